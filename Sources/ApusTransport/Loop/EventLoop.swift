// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// One thread that waits on sockets and timers and runs the actors that live on it.
///
/// Many sessions share a loop. The thread starts with the first work and waits in `epoll_wait`; waking it costs a
/// system call only when it is asleep. Handlers must not block.
// Unchecked: `inbox` and `timers` have locks of their own; the rest belongs to the loop's thread alone.
package final class EventLoop: SerialExecutor, LoopClock, @unchecked Sendable {
    /// The loop that sessions use unless told otherwise.
    package static let shared = EventLoop(name: "apus-loop")

    let name: String
    let inbox = Locked(Inbox())
    let timers = Locked(TimerHeap())
    /// Deadline of the first timer, readable without the lock; `.max` when there is none.
    let earliestDeadline = Atomic(Int64.max)
    /// `pthread_self()` of the running thread, 0 before and after.
    let threadIdentity = Atomic(UInt(0))

    private let wakeEvent: WakeEvent

    // The loop's thread only, from here on.
    var poller: Poller
    var armedDeadline = Int64.max
    var work = Work()
    var flushes: [any LoopFlush] = []
    private var sharedBuffers: LoopBuffers?

    package init(name: String) {
        self.name = name
        let event = WakeEvent()
        wakeEvent = event
        poller = Poller(wakeEvent: event)
    }

    deinit {
        // A running thread holds the loop: this one has ended, or never started.
        poller.close()
    }

    /// Buffers for the channel that is at work; the loop's thread only.
    var buffers: LoopBuffers {
        if let sharedBuffers { return sharedBuffers }
        let made = LoopBuffers()
        sharedBuffers = made
        return made
    }

    /// Whether the caller is on the loop's thread.
    package var isCurrent: Bool {
        threadIdentity.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Runs `body` on the loop's thread, soon; callable from any thread.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        signal(
            inbox.withLock { inbox in
                inbox.work.tasks.append(body)
                return inbox.nudge()
            })
    }

    /// Gives `turn` one call of `takeTurn` on the loop's thread, soon; callable from any thread, allocates nothing.
    package func requestTurn(for turn: any LoopTurn) {
        guard turn.turnFlag.request() else { return }
        signal(
            inbox.withLock { inbox in
                inbox.work.turns.append(turn)
                return inbox.nudge()
            })
    }

    /// Ends the thread after the work at hand.
    ///
    /// For loops made by tests; what is scheduled later never runs.
    package func shutdown() {
        signal(
            inbox.withLock { inbox in
                inbox.isStopping = true
                return inbox.isStarted ? inbox.nudge() : .none
            })
    }

    /// Watches a descriptor; nil when the system refuses.
    ///
    /// The loop's thread only, and so are the next two.
    package func register(
        _ descriptor: Int32, _ interest: UInt32, _ handler: any LoopEventHandler
    ) -> LoopRegistration? {
        poller.add(descriptor, interest, handler)
    }

    package func modify(_ registration: LoopRegistration, _ interest: UInt32) {
        poller.modify(registration, interest)
    }

    /// Stops watching; call it before closing the descriptor.
    package func unregister(_ registration: LoopRegistration) {
        poller.remove(registration)
    }

    func signal(_ wake: Inbox.Wake) {
        switch wake {
        case .none: break
        case .wake: wakeEvent.signal()
        case .start: startThread()
        }
    }
}

/// What other threads hand to a loop.
struct Inbox {
    enum Wake { case none, wake, start }

    var work = Work()
    var isAsleep = false
    var isStarted = false
    var isStopping = false

    /// Says what the caller must do, after leaving the lock, so that the loop sees the new work.
    mutating func nudge() -> Wake {
        if isAsleep {
            isAsleep = false
            return .wake
        }
        if isStarted { return .none }
        isStarted = true
        return .start
    }
}

/// Jobs, calls and turns that wait; two of these are swapped so that their arrays keep their capacity.
struct Work {
    var jobs: [UnownedJob] = []
    var tasks: [@Sendable () -> Void] = []
    var turns: [any LoopTurn] = []

    var isEmpty: Bool { jobs.isEmpty && tasks.isEmpty && turns.isEmpty }
}

/// Output that is gathered during a turn and sent at its end; used on the loop's thread only.
protocol LoopFlush: AnyObject {
    func flushOutput()
}

extension EventLoop {
    /// Waits until what was written so far, on this thread or before the call, was given to the system.
    ///
    /// What the system does not take yet is not waited for.
    package func flushed() async {
        if isCurrent, flushes.isEmpty { return }
        await withCheckedContinuation { continuation in
            // Behind the channels that asked before.
            execute { self.flushes.append(FlushEnd(continuation)) }
        }
    }
}

/// Tells somebody that the flushes before it are done.
private final class FlushEnd: LoopFlush {
    private let continuation: CheckedContinuation<Void, Never>

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

    func flushOutput() { continuation.resume() }
}
