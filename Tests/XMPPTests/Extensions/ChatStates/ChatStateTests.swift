// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Chat states (XEP-0085)")
struct ChatStateTests {
    @Test("all five are written and read", arguments: ChatState.allCases)
    func roundTrips(_ state: ChatState) throws {
        try roundTrip(state)
        let message = Message.chatState(state, to: try JID("bo@example.org"), thread: "t1")
        #expect(message.chatState == state)
        #expect(message.body == nil && message.kind == .chat && message.thread == "t1")
    }

    @Test("an unknown state, two states, and the state of a bounced message are none")
    func refusal() throws {
        let start = "<message from='bo@example.org/p'"
        let space = "xmlns='http://jabber.org/protocol/chatstates'"
        #expect(try receivedMessage("\(start)><thinking \(space)/></message>").chatState == nil)
        #expect(try receivedMessage("\(start)><active/></message>").chatState == nil)
        #expect(try receivedMessage("\(start)><active \(space)/><gone \(space)/></message>").chatState == nil)
        #expect(try receivedMessage("\(start) type='error'><active \(space)/></message>").chatState == nil)
    }

    @Test("B108 a state that was held back is none, but its body counts")
    func late() throws {
        let message = try receivedMessage(
            """
            <message from='bo@example.org/p'><body>hi</body><composing xmlns='http://jabber.org/protocol/chatstates'/>
            <delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/></message>
            """)
        #expect(message.chatState == nil)
        #expect(message.body == "hi")
    }

    @Test("a new state takes the place of the old one")
    func replaces() throws {
        var message = Message.chat(to: try JID("bo@example.org"), "hi")
        message.chatState = .composing
        message.chatState = .active
        #expect(message.chatState == .active)
        message.chatState = nil
        #expect(message.chatState == nil)
        #expect(message.body == "hi")
    }

    @Test("the module announces them")
    func features() { #expect(ChatStatesModule().features == ["http://jabber.org/protocol/chatstates"]) }
}
