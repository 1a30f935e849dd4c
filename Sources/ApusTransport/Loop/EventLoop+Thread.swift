// SPDX-License-Identifier: Apache-2.0
import ApusCLinux
import Glibc
import Synchronization

extension EventLoop {
    /// How often work that makes new work is followed before sockets get their turn.
    private static let roundsPerTurn = 16

    func startThread() {
        let context = Unmanaged.passRetained(self).toOpaque()
        let result = apus_start_thread(runEventLoop, context)
        // Nothing can run without the thread, and there is nobody to tell.
        precondition(result == 0, "the system gives no thread for an event loop")
    }

    fileprivate func run() {
        threadIdentity.store(UInt(pthread_self()), ordering: .relaxed)
        apus_name_thread(name)
        while true {
            guard let blocks = runWork() else { break }
            armTimer()
            let count = poller.wait(blocks: blocks)
            if blocks { inbox.withLock { $0.isAsleep = false } }
            for index in 0..<count {
                switch poller.event(index) {
                case .woken, .stale: break
                case .timer:
                    armedDeadline = .max
                    runTimers()
                case .handler(let handler, let events): handler.handleEvents(events)
                }
            }
        }
        threadIdentity.store(0, ordering: .relaxed)
    }

    /// Runs what waits; true when nothing is left and the thread may sleep, nil when it shall end.
    private func runWork() -> Bool? {
        var rounds = 0
        while rounds < EventLoop.roundsPerTurn {
            switch takeWork() {
            case .stop: return nil
            case .work: runTaken()
            case .nothing:
                guard !flushes.isEmpty else { return true }
                runFlushes()
            }
            rounds &+= 1
        }
        runFlushes()
        return false
    }

    private enum Taken { case work, nothing, stop }

    private func takeWork() -> Taken {
        inbox.withLock { inbox in
            if inbox.work.isEmpty {
                if inbox.isStopping { return .stop }
                inbox.isAsleep = flushes.isEmpty
                return .nothing
            }
            swap(&inbox.work, &work)
            return .work
        }
    }

    private func runTaken() {
        for task in work.tasks { task() }
        work.tasks.removeAll(keepingCapacity: true)
        let executor = asUnownedSerialExecutor()
        for job in work.jobs { job.runSynchronously(on: executor) }
        work.jobs.removeAll(keepingCapacity: true)
        for turn in work.turns {
            turn.turnFlag.clear()
            turn.takeTurn()
        }
        work.turns.removeAll(keepingCapacity: true)
    }

    private func runFlushes() {
        // By index: a flush may ask for another, which is run in the same pass.
        var index = 0
        while index < flushes.count {
            flushes[index].flushOutput()
            index &+= 1
        }
        flushes.removeAll(keepingCapacity: true)
    }
}

// A plain function: a closure formed in isolated code would trap on the new thread.
private func runEventLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
