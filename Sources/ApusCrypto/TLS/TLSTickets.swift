// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// What one account can take up earlier TLS sessions with (RFC 8446 §2.2), in memory only.
///
/// A session is taken up only for the same identity, trust and protocols that it was made with, since the certificate
/// is not checked again, and each ticket only once, so that nobody can tell that two connections are of one client
/// (RFC 8446 §C.4). Each account has its own; nothing is shared (T027). Early data is never sent (T028).
// Sendable unchecked: what is held is only touched under `lock`, and the library counts references itself.
package final class TLSTickets: @unchecked Sendable {
    /// So many are kept; servers give two at a time.
    private static let most = 4

    private let lock = ProcessLock()
    private var key: TicketKey?
    private var held: [OpaquePointer] = []

    package init() {}

    deinit { for session in held { SSL_SESSION_free(session) } }

    /// How many there are.
    package var count: Int { lock.withLock { held.count } }

    /// The newest session for this configuration; the caller owns it.
    func take(for configuration: TLSConfiguration) -> OpaquePointer? {
        let wanted = TicketKey(configuration)
        return lock.withLock {
            if key != wanted { forget() }
            while let session = held.popLast() {
                if isUsable(session) { return session }
                SSL_SESSION_free(session)
            }
            return nil
        }
    }

    /// Keeps a session, which it owns from now on.
    func keep(_ session: OpaquePointer, for configuration: TLSConfiguration) {
        let made = TicketKey(configuration)
        lock.withLock {
            if key != made { forget() }
            key = made
            if held.count == Self.most { SSL_SESSION_free(held.removeFirst()) }
            held.append(session)
        }
    }

    private func forget() {
        for session in held { SSL_SESSION_free(session) }
        held = []
        key = nil
    }

    /// The library takes up no session that it finds too old; that its certificate has run out is for us to see.
    private func isUsable(_ session: OpaquePointer) -> Bool {
        guard SSL_SESSION_is_resumable(session) == 1, let leaf = SSL_SESSION_get0_peer(session),
            let end = Certificate(leaf).end
        else { return false }
        return end.age < 0
    }
}

extension TLSTickets: Hashable {
    package static func == (left: TLSTickets, right: TLSTickets) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// All that a session was made with.
private struct TicketKey: Equatable {
    private var configuration: TLSConfiguration
    private var stamps: [FileStamp]

    init(_ configuration: TLSConfiguration) {
        self.configuration = configuration
        self.configuration.tickets = nil
        self.configuration.decider = nil
        stamps = configuration.trust.authorityFiles.map(FileStamp.init)
    }
}

/// Called by the library for each session that a server lets be taken up later; 1 means that it is kept.
func keepSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let session, let wire = TLSWire.of(ssl), let tickets = wire.pointee.configuration.tickets else { return 0 }
    // What a user accepted holds by the pin that came of it, not by a ticket that would outlive the pin.
    guard wire.pointee.decision == nil else { return 0 }
    tickets.keep(session, for: wire.pointee.configuration)
    return 1
}
