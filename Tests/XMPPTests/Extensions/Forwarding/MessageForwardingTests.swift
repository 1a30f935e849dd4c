// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Messages that are passed on (XEP-0297)")
struct MessageForwardingTests {
    static let bare = """
        <forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/>\
        <message xmlns='jabber:client' from='alice@good.example' to='ann@example.org'><body>trust me</body></message></forwarded>
        """

    @Test("T105 a message inside is never the text of the one outside, nor the other way round")
    func wrapped() throws {
        let message = try receivedMessage("<message from='mallory@evil.example' type='chat'>\(Self.bare)</message>")
        #expect(message.body == nil && message.from?.description == "mallory@evil.example")
        #expect(message.carbon(for: try JID("ann@example.org")) == nil)
        let inner = try #require(message.forwardedMessages.first)
        #expect(inner.message.body == "trust me" && inner.delay != nil)
        #expect(try receivedMessage("<message type='error'>\(Self.bare)</message>").forwardedMessages.isEmpty)
    }

    @Test("what was added on the way stays behind")
    func forward() throws {
        let original = try receivedMessage(
            "<message from='bo@example.org/p' type='chat' id='m1'><body>x</body><stanza-id xmlns='urn:xmpp:sid:0' id='s' by='ann@example.org'/><delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/></message>"
        )
        var message = Message.chat(to: try JID("cy@example.org"), "look")
        message.forward(original, stamp: DateTime("2031-03-04T05:06:07Z"))
        let read = try receivedMessage(try written(message))
        let inner = try #require(read.forwardedMessages.first)
        #expect(inner.message.body == "x" && inner.message.id == "m1" && inner.message.kind == .chat)
        #expect(inner.message.payloads.count == 1 && inner.delay?.stamp.description == "2031-03-04T05:06:07Z")
        #expect(read.body == "look")
    }
}
