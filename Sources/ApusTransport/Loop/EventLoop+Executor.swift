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
        precondition(isCurrent, "this must run on the event loop's thread")
    }

    package nonisolated func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
