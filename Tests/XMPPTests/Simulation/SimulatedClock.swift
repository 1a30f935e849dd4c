// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Chance that comes out the same for the same seed.
final class Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }

    /// A number from 0 up to and without `bound`.
    func below(_ bound: Int) -> Int { bound < 1 ? 0 : Int(next() % UInt64(bound)) }
    func chance(_ percent: Int) -> Bool { below(100) < percent }
    func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .microseconds(range.lowerBound * 1000 + below((range.upperBound - range.lowerBound) * 1000 + 1))
    }
}

/// The time of a simulation: it goes from one timer to the next, and no two of them are due at once.
// Unchecked: it is used on the simulation's loop only.
final class SimulatedClock: LoopClock, @unchecked Sendable {
    private let loop: EventLoop
    private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var timers: [SimulatedTimer] = []
    private var order: Int64 = 0

    init(loop: EventLoop) { self.loop = loop }

    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any LoopTimer {
        // Anything that happens elsewhere would make the order a matter of chance.
        precondition(loop.isCurrent)
        // One nanosecond more for each makes the order total.
        order += 1
        let deadline = now.advanced(by: delay).nanoseconds &+ order % 1000
        let timer = SimulatedTimer(self, MonotonicTime(nanoseconds: max(deadline, now.nanoseconds)), order, body)
        timers.append(timer)
        return timer
    }

    fileprivate func cancel(_ timer: SimulatedTimer) { timers.removeAll { $0 === timer } }

    /// Runs what is due next; false when nothing is.
    func step() -> Bool {
        let next = timers.min { ($0.deadline.nanoseconds, $0.order) < ($1.deadline.nanoseconds, $1.order) }
        guard let next else { return false }
        cancel(next)
        now = max(now, next.deadline)
        next.take()?()
        return true
    }
}

/// A timer of a `SimulatedClock`.
// Unchecked: as the clock.
private final class SimulatedTimer: LoopTimer, @unchecked Sendable {
    let deadline: MonotonicTime
    let order: Int64
    private let clock: SimulatedClock
    private var body: (@Sendable () -> Void)?

    init(_ clock: SimulatedClock, _ deadline: MonotonicTime, _ order: Int64, _ body: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.deadline = deadline
        self.order = order
        self.body = body
    }

    func cancel() {
        clock.cancel(self)
        body = nil
    }

    func take() -> (@Sendable () -> Void)? {
        defer { body = nil }
        return body
    }
}
