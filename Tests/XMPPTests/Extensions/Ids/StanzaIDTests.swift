// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Stanza and origin ids (XEP-0359)")
struct StanzaIDTests {
    @Test("are written and read")
    func roundTrips() throws {
        try roundTrip(StanzaID(id: "5f3d", by: try JID("room@muc.example.com")))
        try roundTrip(OriginID(id: "de30"))
    }

    @Test(
        "an element that lacks an attribute is none",
        arguments: [
            "<stanza-id xmlns='urn:xmpp:sid:0' id='a'/>", "<stanza-id xmlns='urn:xmpp:sid:0' by='a@b'/>",
            "<stanza-id xmlns='urn:xmpp:sid:0' id='' by='a@b'/>", "<stanza-id xmlns='urn:xmpp:sid:0' id='a' by='@'/>",
            "<stanza-id xmlns='urn:xmpp:sid:1' id='a' by='a@b'/>",
        ])
    func refusal(_ xml: String) throws {
        #expect(try receivedMessage("<message>\(xml)</message>").stanzaIDs.isEmpty)
    }

    @Test("only the id of the address asked about counts")
    func assigner() throws {
        let message = try receivedMessage(
            """
            <message from='bo@example.org/p'><stanza-id xmlns='urn:xmpp:sid:0' id='forged' by='bo@example.org'/>
            <stanza-id xmlns='urn:xmpp:sid:0' id='true' by='ann@example.org'/>
            <origin-id xmlns='urn:xmpp:sid:0' id='mine'/></message>
            """)
        #expect(message.stanzaID(by: try JID("ann@example.org")) == "true")
        #expect(message.stanzaID(by: try JID("eve@example.org")) == nil)
        #expect(message.originID == "mine")
        #expect(message.stanzaIDs.count == 2)
    }

    @Test("two different ids by one address are both doubted")
    func contradiction() throws {
        let message = try receivedMessage(
            """
            <message><stanza-id xmlns='urn:xmpp:sid:0' id='one' by='ann@example.org'/>
            <stanza-id xmlns='urn:xmpp:sid:0' id='two' by='ann@example.org'/></message>
            """)
        #expect(message.stanzaID(by: try JID("ann@example.org")) == nil)
    }

    @Test("an origin id is set, replaced and taken out")
    func originID() throws {
        var message = Message.chat(to: try JID("bo@example.org"), "hi", id: "m1")
        message.originID = "m1"
        message.originID = "m2"
        #expect(try written(message).split(separator: "<origin-id").count == 2)
        #expect(message.originID == "m2")
        message.originID = nil
        #expect(try !written(message).contains("origin-id"))
    }
}
