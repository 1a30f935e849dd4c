// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport

/// Where the accounts of a profile stand with their rooms now; a passing state, never stored.
package final class RoomStates: Sendable {
    private struct Entry {
        let account: Int64
        var state: LiveRoomState
    }

    /// By the conversation's row.
    private let entries = Locked([Int64: Entry]())

    package init() {}

    func state(of conversation: Int64) -> LiveRoomState? { entries.withLock { $0[conversation]?.state } }

    /// Gives whether that is news.
    func set(_ state: LiveRoomState, of conversation: Int64, account: Int64) -> Bool {
        entries.withLock { entries in
            if entries[conversation]?.state == state { return false }
            entries[conversation] = Entry(account: account, state: state)
            return true
        }
    }

    /// The account is in no room any more; gives the conversations that this is news for.
    func reset(account: Int64) -> Set<Int64> {
        entries.withLock { entries in
            let gone = entries.filter { $0.value.account == account }.keys
            for conversation in gone { entries[conversation] = nil }
            return Set(gone)
        }
    }
}
