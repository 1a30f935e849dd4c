// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Lets a WebSocket carry a stream as RFC 7395 says.
///
/// Owner of the machine; confined to the loop's thread.
final class WebSocketFraming: StreamFraming {
    private var machine = FramedStreamStateMachine()

    func outgoing(_ bytes: UnsafeRawBufferPointer, send: (UnsafeRawBufferPointer) -> Void) {
        machine.outgoing(bytes, send: send)
    }

    func incoming(
        _ piece: UnsafeRawBufferPointer, begins: Bool, ends: Bool, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(WebSocketError) {
        do throws(FramedStreamStateMachine.Violation) {
            try machine.incoming(piece, begins: begins, ends: ends, deliver: deliver)
        } catch { throw .content(error.reason) }
    }
}

extension WebSocketOptions {
    /// XMPP over WebSocket, with the domain's host-meta as the place to ask for endpoints.
    static let xmpp = WebSocketOptions(
        subprotocol: Framing.subprotocol, maximumMessageBytes: XMLLimits.afterLogin.stanzaBytes,
        lookup: WebSocketLookup([
            .init(HostMeta.path) { HostMeta.endpoints(xml: $0) },
            .init(HostMeta.jsonPath) { HostMeta.endpoints(json: $0) },
        ])
    ) { WebSocketFraming() }
}
