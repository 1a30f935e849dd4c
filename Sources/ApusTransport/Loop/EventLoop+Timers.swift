// SPDX-License-Identifier: Apache-2.0
import Synchronization

extension EventLoop {
    package var now: MonotonicTime { .now() }

    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any LoopTimer {
        let timer = EventLoopTimer(loop: self, deadline: now.advanced(by: delay), body: body)
        let isFirst = timers.withLock { heap in
            heap.insert(timer)
            return publishEarliest(heap)
        }
        // On the loop's thread the next sleep looks at the deadline anyway.
        if isFirst, !isCurrent { signal(inbox.withLock { $0.nudge() }) }
        return timer
    }

    func cancel(_ timer: EventLoopTimer) {
        // Released outside the lock: what the body holds may end in a cancel of its own.
        let body = timers.withLock { heap -> (@Sendable () -> Void)? in
            guard heap.remove(timer) else { return nil }
            _ = publishEarliest(heap)
            return timer.takeBody()
        }
        _ = body
    }

    /// Runs what is due.
    ///
    /// What these calls schedule waits for the next turn.
    func runTimers() {
        let now = self.now
        while true {
            let next = timers.withLock { heap -> (@Sendable () -> Void)?? in
                guard let timer = heap.popDue(now) else { return .none }
                _ = publishEarliest(heap)
                return .some(timer.takeBody())
            }
            guard let body = next else { return }
            body?()
        }
    }

    /// Call it under the timers' lock; true when the first deadline came nearer.
    private func publishEarliest(_ heap: borrowing TimerHeap) -> Bool {
        let earliest = heap.earliest?.nanoseconds ?? .max
        let before = earliestDeadline.exchange(earliest, ordering: .sequentiallyConsistent)
        return earliest < before
    }

    /// Sets the timerfd when the first deadline is nearer than what it is set to; a later one is left to fire early.
    func armTimer() {
        let earliest = earliestDeadline.load(ordering: .sequentiallyConsistent)
        guard earliest < armedDeadline else { return }
        armedDeadline = earliest
        poller.setTimer(MonotonicTime(nanoseconds: earliest))
    }
}
