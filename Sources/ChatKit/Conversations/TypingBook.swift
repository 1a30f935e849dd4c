// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport
package import XMPP

/// Who is writing at this moment, in memory.
///
/// Its lock owns the state.
package final class TypingBook: Sendable {
    /// Somebody who says to be writing and then says nothing more is forgotten after this time, in milliseconds.
    package static let lifetime: Int64 = 30_000
    /// The most peers that are kept; more are ignored.
    package static let maximum = 1000

    private let state = Locked([TypingState.ID: Int64]())

    package init() {}

    /// Takes a chat state in; true when it changed something.
    package func set(_ isTyping: Bool, account: JID, peer: JID, now: Int64) -> Bool {
        let id = TypingState.ID(account: account, peer: peer)
        return state.withLock { state in
            guard isTyping else { return state.removeValue(forKey: id) != nil }
            if state[id] == nil, state.count >= Self.maximum { return false }
            return state.updateValue(now, forKey: id) == nil
        }
    }

    /// Forgets everybody of an account, or those who have been silent for too long; true when somebody was forgotten.
    package func forget(account: JID) -> Bool {
        state.withLock { state in
            let before = state.count
            state = state.filter { $0.key.account != account }
            return state.count != before
        }
    }

    package func forgetSilent(now: Int64) -> Bool {
        state.withLock { state in
            let before = state.count
            state = state.filter { now - $0.value < Self.lifetime }
            return state.count != before
        }
    }

    package func states() -> [TypingState] {
        state.withLock { $0.keys.map { TypingState(id: $0) } }
            .sorted { ($0.account, $0.peer) < ($1.account, $1.peer) }
    }
}
