// SPDX-License-Identifier: Apache-2.0

/// Tells the time and calls back later; an `EventLoop` does it for real, tests use a clock that they move by hand.
package protocol LoopClock: Sendable {
    /// The present time of this clock.
    var now: MonotonicTime { get }

    /// Runs `body` once on the loop's thread, `delay` from now at the earliest.
    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any LoopTimer
}

/// A call that will come; cancelling it releases what its body holds.
package protocol LoopTimer: AnyObject, Sendable {
    /// Prevents the call. On the loop's thread the body does not run afterwards; from another thread it may be running.
    func cancel()
}
