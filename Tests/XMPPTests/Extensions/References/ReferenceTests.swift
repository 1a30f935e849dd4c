// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("References (XEP-0372)")
struct ReferenceTests {
    @Test("are written and read")
    func roundTrips() throws {
        let jid = try JID("juliet@capulet.lit")
        try roundTrip(Reference.mention(jid, range: 72..<78))
        try roundTrip(Reference(.data, uri: "xmpp:fdp.shakespeare.lit?;node=x", anchor: "xmpp:a@b.example"))
        try roundTrip(Reference(.other("odd"), uri: nil))
        #expect(Reference(try received("<reference xmlns='urn:xmpp:reference:0' uri='x'/>")) == nil)
    }

    @Test(
        "T085 a range that is none is left out", arguments: [("7", "3"), ("-1", "3"), ("x", "3"), ("0", "99999999999")])
    func ranges(_ begin: String, _ end: String) throws {
        let read = Reference(
            try received("<reference xmlns='urn:xmpp:reference:0' type='mention' begin='\(begin)' end='\(end)'/>"))
        #expect(read == Reference(.mention, uri: nil))
    }

    @Test("a mention names a person, also with escapes in the address")
    func mentions() throws {
        let odd = try JID(local: "d%artagnan+é", domain: "example.org")
        let mention = Reference.mention(odd, range: 0..<3)
        #expect(mention.mentioned == odd)
        #expect(Reference(.mention, uri: "xmpp:bo@example.org?message").mentioned?.description == "bo@example.org")
        #expect(Reference(.mention, uri: "XMPP:bo%40example.org").mentioned?.description == "bo@example.org")
        for uri in ["http://example.org", "xmpp:%", "xmpp:%ff@example.org", "xmpp:@", "xmpp:%4"] {
            #expect(Reference(.mention, uri: uri).mentioned == nil, "\(uri)")
        }
        #expect(Reference(.data, uri: "xmpp:bo@example.org").mentioned == nil)
        var message = Message.chat(to: nil, "hey bo")
        message.references = [.mention(try JID("bo@example.org"), range: 4..<6)]
        let read = try receivedMessage(try written(message))
        #expect(try read.mentions(JID("bo@example.org/p")) && !read.mentions(JID("cy@example.org")))
    }
}
