// SPDX-License-Identifier: Apache-2.0
package import ApusTransport

/// A clock that stands still until a test moves it; timers run on the loop's thread, as with the real one.
// Unchecked: everything mutable is behind the lock.
package final class ManualClock: LoopClock, @unchecked Sendable {
    private struct State {
        var now = MonotonicTime(nanoseconds: 1_000_000_000)
        var timers: [ManualTimer] = []
    }

    private let loop: EventLoop
    private let state = Locked(State())
    /// Who waits for a timer that is due by some time.
    private let watchers = ConditionWaiters<MonotonicTime?>()

    /// `loop` is the one that the timers' bodies belong to.
    package init(loop: EventLoop = .shared) {
        self.loop = loop
    }

    package var now: MonotonicTime { state.withLock { $0.now } }

    /// How many timers wait.
    package var scheduledCount: Int { state.withLock { $0.timers.count } }

    /// When the next timer is due, nil when there is none.
    package var nextDeadline: MonotonicTime? { state.withLock { $0.timers.map(\.deadline).min() } }

    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any LoopTimer {
        let timer = state.withLock { state in
            let timer = ManualTimer(clock: self, deadline: state.now.advanced(by: delay), body: body)
            state.timers.append(timer)
            return timer
        }
        watchers.notify(nextDeadline)
        return timer
    }

    /// Waits until something is planned for within `span` from now.
    package func plan(within span: Duration) async {
        let deadline = now.advanced(by: span)
        await watchers.wait {
            nextDeadline
        } until: {
            $0.map { $0 <= deadline } ?? false
        }
    }

    /// Waits until something is planned for within `span`, then moves the clock by it.
    package func advanceWhenPlanned(by span: Duration) async {
        await plan(within: span)
        await advance(by: span)
    }

    /// Moves the clock on and on until the task is done; gives how far, at most `limit`.
    package func advance<Result: Sendable>(until task: Task<Result, Never>, limit: Duration) async -> Duration {
        let isDone = Locked(false)
        let watching = Task {
            _ = await task.value
            isDone.withLock { $0 = true }
        }
        let start = now
        while !isDone.withLock({ $0 }), start.duration(to: now) < limit {
            await advance(by: .milliseconds(100))
            for _ in 0..<20 { await Task.yield() }
        }
        watching.cancel()
        return start.duration(to: now)
    }

    /// Moves the clock and runs what is due on the way, in order, each at its own time; returns when all of it has run.
    package func advance(by duration: Duration) async {
        let end = now.advanced(by: duration)
        while let timer = state.withLock({ takeNext(&$0, through: end) }) {
            await onLoop { timer.fire() }
        }
        state.withLock { $0.now = max($0.now, end) }
        await onLoop {}
    }

    fileprivate func cancel(_ timer: ManualTimer) {
        state.withLock { state in state.timers.removeAll { $0 === timer } }
    }

    private func takeNext(_ state: inout State, through end: MonotonicTime) -> ManualTimer? {
        // `min` gives the first of equals: the order of scheduling.
        guard let next = state.timers.min(by: { $0.deadline < $1.deadline }), next.deadline <= end else { return nil }
        state.timers.removeAll { $0 === next }
        state.now = max(state.now, next.deadline)
        return next
    }

    private func onLoop(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            loop.execute {
                body()
                continuation.resume()
            }
        }
    }
}

/// A timer of a `ManualClock`.
private final class ManualTimer: LoopTimer {
    let deadline: MonotonicTime
    private let clock: ManualClock
    private let body: Locked<(@Sendable () -> Void)?>

    init(clock: ManualClock, deadline: MonotonicTime, body: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.deadline = deadline
        self.body = Locked(body)
    }

    func cancel() {
        clock.cancel(self)
        _ = take()
    }

    func fire() {
        take()?()
    }

    private func take() -> (@Sendable () -> Void)? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
