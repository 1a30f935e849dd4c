// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Displayed markers (XEP-0333)")
struct MessageMarkersTests {
    static func own() throws -> JID { try JID("ann@example.org/pc") }

    @Test("T078 a marker counts only from the account that the message went to")
    func senders() throws {
        func marker(_ from: String, _ type: String = "chat") throws -> Message {
            try receivedMessage(
                "<message from='\(from)' type='\(type)'><displayed xmlns='urn:xmpp:chat-markers:0' id='m1'/></message>")
        }
        let bo = try JID("bo@example.org")
        #expect(try marker("bo@example.org/p").isDisplayedMarker(for: "m1", sentTo: bo))
        #expect(try !marker("bo@example.org/p").isDisplayedMarker(for: "m2", sentTo: bo))
        #expect(try !marker("mal@example.net/x").isDisplayedMarker(for: "m1", sentTo: bo))
        #expect(try !marker("ann@example.org/phone").isDisplayedMarker(for: "m1", sentTo: bo))
        #expect(try !marker("bo@example.org/p", "error").isDisplayedMarker(for: "m1", sentTo: bo))
    }

    @Test("a marker is due for a message that asks for it, and goes to the account")
    func due() throws {
        let asked = try receivedMessage(
            "<message from='bo@example.org/p' type='chat' id='m1'><body>x</body><thread>t</thread><markable xmlns='urn:xmpp:chat-markers:0'/></message>"
        )
        let marker = try #require(Message.displayedMarker(for: asked, account: Self.own()))
        #expect(marker.to?.description == "bo@example.org" && marker.displayedID == "m1" && marker.thread == "t")
        #expect(marker.hints == .store && marker.id != "m1")
        let room = try receivedMessage(
            "<message from='tearoom@rooms.example.org/eli' type='groupchat' id='m1'><body>x</body><stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='tearoom@rooms.example.org'/></message>"
        )
        let inRoom = try #require(Message.displayedMarker(for: room, account: Self.own()))
        #expect(inRoom.displayedID == "s1" && inRoom.kind == .groupchat)
        #expect(inRoom.to?.description == "tearoom@rooms.example.org")
    }

    @Test(
        "none is due for what nobody asked it of, for markers, errors, own messages, and rooms without identifiers",
        arguments: [
            "<message from='bo@example.org/p' type='chat' id='m1'><body>x</body></message>",
            "<message from='bo@example.org/p' type='chat'><markable xmlns='urn:xmpp:chat-markers:0'/></message>",
            "<message from='bo@example.org/p' type='chat' id='m'><markable xmlns='urn:xmpp:chat-markers:0'/><displayed xmlns='urn:xmpp:chat-markers:0' id='x'/></message>",
            "<message from='bo@example.org/p' type='error' id='m'><markable xmlns='urn:xmpp:chat-markers:0'/></message>",
            "<message from='ann@example.org/x' type='chat' id='m'><markable xmlns='urn:xmpp:chat-markers:0'/></message>",
            "<message type='chat' id='m'><markable xmlns='urn:xmpp:chat-markers:0'/></message>",
            "<message from='tearoom@rooms.example.org/eli' type='groupchat' id='m'><body>x</body></message>",
        ])
    func none(_ xml: String) throws {
        #expect(Message.displayedMarker(for: try receivedMessage(xml), account: try Self.own()) == nil)
    }

    @Test("are written and read")
    func roundTrips() throws {
        try roundTrip(DisplayedMarker(id: "m1"))
        try roundTrip(MarkableRequest())
        var message = Message.chat(to: nil, "x", id: "m")
        message.isMarkable = true
        #expect(message.isMarkable)
        message.isMarkable = false
        #expect(!message.isMarkable && message.payloads.count == 1)
    }
}
