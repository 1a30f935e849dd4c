// SPDX-License-Identifier: Apache-2.0
import Testing
package import XMPP

/// A session that is online with a scripted server, without stream management and first presence unless asked for.
package struct OnlineSession: Sendable {
    package let peer: ScriptedPeer
    package let session: XMPPSession

    package init(
        _ jid: String = "juliet@example.org/balcony", features: String = "",
        change: (inout SessionConfiguration) -> Void = { _ in }
    ) async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.connector = peer
        configuration.randomness = SeededRandomness()
        configuration.reconnect = .never
        configuration.initialPresence = nil
        configuration.usesStreamManagement = false
        change(&configuration)
        let session = XMPPSession(
            account: try Account("juliet@example.org/balcony", password: "secret"), configuration: configuration)
        self.peer = peer
        self.session = session
        async let connecting: Void = session.connect()
        await peer.acceptTLS()
        peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await peer.acceptSCRAM()
        await peer.expectHeader()
        peer.openStream(id: "up", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>" + features)
        await peer.acceptBind(jid: jid, managed: false)
        try await connecting
    }

    /// Lets the session do everything that was injected before: the answer to a ping comes after all else.
    package func settle() async {
        peer.inject("<iq type='get' id='settle' from='example.org'><ping xmlns='urn:xmpp:ping'/></iq>")
        await peer.expect("iq")
    }

    /// Ends the session and waits for it.
    package func end() async {
        peer.cut(nil)
        await session.disconnect()
    }
}
