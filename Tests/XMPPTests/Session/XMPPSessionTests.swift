// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("A session", .timeLimit(.minutes(1)))
struct XMPPSessionTests {
    func session(_ peer: ScriptedPeer, _ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> XMPPSession
    {
        var configuration = SessionConfiguration()
        configuration.connector = peer
        configuration.randomness = SeededRandomness()
        change(&configuration)
        return XMPPSession(
            account: try Account("juliet@example.org/balcony", password: "secret"), configuration: configuration)
    }

    @Test("logs in, receives, sends and leaves in order")
    func logsIn() async throws {
        let peer = ScriptedPeer()
        let session = try session(peer)
        let messages = session.messages()
        async let connecting: Void = session.connect()
        await peer.acceptLogin()
        try await connecting
        await peer.expect("presence")
        await peer.expect("r")
        peer.inject("<a xmlns='urn:xmpp:sm:3' h='1'/>")
        peer.inject("<message from='romeo@example.net/orchard' type='chat' id='m1'><body>hi &amp; ho</body></message>")
        var iterator = messages.makeAsyncIterator()
        let message = try await iterator.next()
        #expect(message?.body == "hi & ho")
        #expect(message?.from?.description == "romeo@example.net/orchard")
        let ticket = try await session.send(.chat(to: message?.from, "again"))
        let sent = await peer.expect("message")
        #expect(sent?["to"] == "romeo@example.net/orchard")
        await peer.expect("r")
        peer.inject("<a xmlns='urn:xmpp:sm:3' h='2'/>")
        try await ticket.acknowledged()
        async let leaving: Void = session.disconnect()
        let presence = await peer.expect("presence")
        #expect(presence?["type"] == "unavailable")
        await peer.expect("r")
        peer.inject("<a xmlns='urn:xmpp:sm:3' h='3'/>")
        let answer = await peer.expect("a")
        #expect(answer?["h"] == "1")
        await peer.expectEnd()
        await leaving
    }

    @Test("leaving is final: the server's answer to the end of the stream starts no new attempt")
    func leavingIsFinal() async throws {
        let peer = ScriptedPeer()
        let session = try session(peer) { configuration in
            configuration.reconnect = ReconnectPolicy(minimum: .zero)
            configuration.initialPresence = nil
        }
        async let connecting: Void = session.connect()
        await peer.acceptLogin()
        try await connecting
        async let leaving: Void = session.disconnect()
        await peer.expect("a")
        peer.inject("</stream:stream>")
        await peer.expectEnd()
        await leaving
        #expect(peer.connections == 1)
    }
}
