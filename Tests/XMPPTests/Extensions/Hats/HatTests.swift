// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Hats (XEP-0317)")
struct HatTests {
    func hats(_ content: String, _ namespace: String = "urn:xmpp:hats:0") throws -> [Hat] {
        let presence = try receivedPresence(
            "<presence from='tearoom@rooms.example.org/bo'><hats xmlns='\(namespace)'>\(content)</hats></presence>")
        return try #require(RoomPresence(presence)).hats
    }

    @Test(
        "are read in both namespaces, with language and colour",
        arguments: ["urn:xmpp:hats:0", "xmpp:prosody.im/protocol/hats:1"])
    func read(_ namespace: String) throws {
        let hats = try hats(
            """
            <hat title='Host' uri='http://schemas.example.com/hats#host' hue='327.255249' xml:lang='en-us'>\
            <badge xmlns='urn:example:badges' level='3'/></hat><hat title='Presenter' uri='urn:p'/>
            """, namespace)
        #expect(
            hats == [
                Hat(uri: "http://schemas.example.com/hats#host", title: "Host", language: "en-us", hue: 327.255249),
                Hat(uri: "urn:p", title: "Presenter"),
            ])
    }

    @Test("without name or title are none, and a colour out of the circle is left out")
    func refused() throws {
        #expect(try hats("<hat title='x'/><hat uri='x'/><hat/><cap title='x' uri='x'/>").isEmpty)
        #expect(try hats("<hat title='x' uri='x' hue='400'/>").first?.hue == nil)
        #expect(try hats("<hat title='x' uri='x' hue='nan'/>").first?.hue == nil)
        #expect(try hats("<hat title='x' uri='\(String(repeating: "u", count: 300))'/>").isEmpty)
    }

    @Test("T136 of one occupant so many are kept, and none twice")
    func cap() throws {
        let many = (0..<100).map { "<hat title='x' uri='u\($0)'/>" }.joined()
        #expect(try hats(many).count == Hat.cap)
        #expect(try hats("<hat title='x' uri='u'/><hat title='y' uri='u'/>").map(\.title) == ["x"])
        let long = String(repeating: "ü", count: 300)
        #expect(try hats("<hat title='\(long)' uri='u'/>").first?.title.utf8.count == 256)
    }
}
