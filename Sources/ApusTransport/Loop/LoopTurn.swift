// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Work that the loop does once per turn, however often it was asked for: flushing a session's output, say.
package protocol LoopTurn: AnyObject, Sendable {
    /// Storage for the loop: whether a turn is already due.
    var turnFlag: LoopTurnFlag { get }

    /// Does the work, on the loop's thread. A request made from here on leads to another turn.
    func takeTurn()
}

/// Remembers that a turn was asked for, so that asking again costs one atomic exchange.
package final class LoopTurnFlag: Sendable {
    private let isDue = Atomic(false)

    package init() {}

    /// True for the first request since the last turn.
    func request() -> Bool {
        !isDue.exchange(true, ordering: .acquiringAndReleasing)
    }

    func clear() {
        isDue.store(false, ordering: .sequentiallyConsistent)
    }
}
