// SPDX-License-Identifier: Apache-2.0

extension EventLoop {
    package nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        signal(
            inbox.withLock { inbox in
                inbox.work.jobs.append(unowned)
                return inbox.nudge()
            })
    }

    package nonisolated func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Lets `assumeIsolated` work for actors of this loop inside its callbacks.
    package nonisolated func checkIsolated() {
        // Code that claims to be on this thread and is not would race with it: a fault of the program.
        precondition(isCurrent, "this must run on the event loop's thread")
    }

    package nonisolated func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
