// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

/// Carries the calls of the transport, all on the loop's thread, into the session.
final class SessionBridge: ByteChannelDelegate, LoopTurn, Sendable {
    struct Reference {
        weak var session: XMPPSession?
    }

    let session = Locked(Reference())
    let turnFlag = LoopTurnFlag()

    private var live: XMPPSession? { session.withLock { $0.session } }

    func channelDidRead(_ bytes: UnsafeRawBufferPointer) {
        // Unsafe: the call below runs here and now, on the thread that owns the bytes.
        nonisolated(unsafe) let bytes = bytes
        live?.assumeIsolated { $0.received(bytes) }
    }
    func channelDidSecure(_ information: TLSInformation) { live?.assumeIsolated { $0.secured(information) } }
    /// On the loop's thread.
    func observe(_ event: ConnectEvent) { live?.assumeIsolated { $0.observe(event) } }
    func channelDidDrain() { live?.assumeIsolated { $0.flush() } }
    func channelDidClose(_ error: TransportError?) { live?.assumeIsolated { $0.closed(error) } }
    /// Runs `call` with the session on the loop's thread, soon; not when there is none any more.
    func loopDo(_ call: @escaping @Sendable (XMPPSession) -> Void) {
        guard let loop = live?.loop else { return }
        loop.execute { [self] in if let session = live { call(session) } }
    }
    func takeTurn() { live?.assumeIsolated { $0.turn() } }
}
