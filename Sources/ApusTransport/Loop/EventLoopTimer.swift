// SPDX-License-Identifier: Apache-2.0

/// A timer of an `EventLoop`.
// Unchecked: `index`, `sequence` and `body` are touched under the lock of the loop's timers only.
final class EventLoopTimer: LoopTimer, @unchecked Sendable {
    let deadline: MonotonicTime
    private let loop: EventLoop
    var index = -1
    var sequence: UInt64 = 0
    private var body: (@Sendable () -> Void)?

    init(loop: EventLoop, deadline: MonotonicTime, body: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.deadline = deadline
        self.body = body
    }

    func cancel() {
        loop.cancel(self)
    }

    /// Hands the body out once, so that it is run or released outside the lock.
    func takeBody() -> (@Sendable () -> Void)? {
        defer { body = nil }
        return body
    }

    func isBefore(_ other: EventLoopTimer) -> Bool {
        deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
    }
}
