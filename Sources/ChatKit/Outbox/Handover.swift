// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport

/// Which rows of an account's outbox the session that runs may have, so that what it never got can still be changed.
///
/// A row is handed over outside of any transaction, so both sides meet here: while somebody looks at the outbox to change it,
/// nothing is handed over, and what was read from it before is read again. Owner of its state: its lock.
final class Handover: Sendable {
    /// Whether a row may be handed over now.
    enum Permit {
        case granted
        /// The outbox was changed since it was read.
        case stale
        /// It is being changed; whoever does so looks after it next.
        case busy
    }

    private struct State {
        var through: Int64 = 0
        var version = 0
        var changing = 0
    }

    private let state = Locked(State())

    /// Rows up to this one were handed to the session that runs, since its last new stream.
    var through: Int64 { state.withLock { $0.through } }

    /// Changes whenever what was read from the outbox may be old.
    var version: Int { state.withLock { $0.version } }

    /// The session has nothing of the outbox.
    func reset() { state.withLock { $0.through = 0 } }

    /// Takes note of a row that is handed over next, which may be done once for each session.
    func hand(_ row: Int64, asOf version: Int) -> Permit {
        state.withLock { state in
            if state.changing > 0 { return .busy }
            if state.version != version { return .stale }
            state.through = max(state.through, row)
            return .granted
        }
    }

    /// Nothing is handed over until ``endChange()``.
    func beginChange() { state.withLock { $0.changing += 1 } }

    func endChange() {
        state.withLock { state in
            state.changing -= 1
            state.version += 1
        }
    }
}
