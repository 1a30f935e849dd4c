// SPDX-License-Identifier: Apache-2.0
import Glibc

/// CPU time of one thread.
enum ProcessorTime {
    /// The clock that measures the calling thread, readable from others.
    static func clockOfThread() -> clockid_t {
        var clock = clockid_t()
        pthread_getcpuclockid(pthread_self(), &clock)
        return clock
    }

    static func ofThread(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
