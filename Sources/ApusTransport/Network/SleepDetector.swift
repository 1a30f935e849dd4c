// SPDX-License-Identifier: Apache-2.0
import ApusCLinux

/// Finds out that the machine slept: one clock went on meanwhile, the other did not.
package struct SleepDetector: Sendable, Hashable {
    /// Shorter sleeps than this cut no connection.
    static let threshold = Duration.seconds(1)

    private var slept: Duration

    /// `slept` is how long the machine has slept since it was started.
    package init(slept: Duration) { self.slept = slept }

    /// Looks again; gives how long the machine slept since the last look, nil when it did not.
    package mutating func look(slept now: Duration) -> Duration? {
        let span = now - slept
        guard span >= Self.threshold else { return nil }
        slept = now
        return span
    }

    /// How long the machine has slept since it was started: CLOCK_BOOTTIME less CLOCK_MONOTONIC.
    package static func sinceStart() -> Duration {
        // In this order, so that the moment between the two readings cannot make it negative.
        let awake = apus_awake_time()
        return .nanoseconds(apus_boot_time() &- awake)
    }
}
