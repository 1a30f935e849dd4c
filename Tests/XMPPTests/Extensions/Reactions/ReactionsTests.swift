// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Reactions (XEP-0444)")
struct ReactionsTests {
    @Test("are written and read, none twice, an empty list takes all back")
    func roundTrips() throws {
        try roundTrip(Reactions(to: "m1", ["👋", "🐢", "👨‍👩‍👧"]))
        try roundTrip(Reactions(to: "m1", []))
        #expect(Reactions(to: "m1", ["👋", "👋 ", "", "two words", "👋👋"]).emojis == ["👋"])
        #expect(Reactions(try received("<reactions xmlns='urn:xmpp:reactions:0'/>")) == nil)
    }

    @Test("more pictures than anybody has, and ones of thousands of characters, are left out")
    func caps() throws {
        let many = (0..<5000).map { "<reaction>\(Unicode.Scalar(0x4E00 + $0).map(String.init) ?? "x")</reaction>" }
            .joined()
        let read = try #require(
            Reactions(try received("<reactions xmlns='urn:xmpp:reactions:0' id='m'>\(many)</reactions>")))
        #expect(read.emojis.count == 64)
        #expect(Reactions(to: "m", ["a" + String(repeating: "\u{301}", count: 10_000)]).emojis.isEmpty)
    }

    @Test("a message with reactions alone is kept, and an error says nothing")
    func send() throws {
        let message = Message.reactions(Reactions(to: "m1", ["👋"]), to: try JID("bo@example.org"))
        let read = try receivedMessage(try written(message))
        #expect(read.reactions?.emojis == ["👋"] && read.hints == .store && read.body == nil)
        var error = read
        error.kind = .error
        #expect(error.reactions == nil)
    }
}
