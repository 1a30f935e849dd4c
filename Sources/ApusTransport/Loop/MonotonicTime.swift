// SPDX-License-Identifier: Apache-2.0
import ApusCLinux

/// A point on a clock that never jumps and goes on while the machine sleeps (`CLOCK_BOOTTIME`).
package struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since an arbitrary start.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads the clock.
    package static func now() -> MonotonicTime {
        MonotonicTime(nanoseconds: apus_boot_time())
    }

    /// The time `duration` later; a duration of centuries ends at the far end of the clock.
    package func advanced(by duration: Duration) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return MonotonicTime(nanoseconds: overflow ? (duration < .zero ? 0 : .max) : sum)
    }

    /// How long it is from here to `other`.
    package func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds &- nanoseconds)
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The length in nanoseconds, rounded up and limited to ± 146 years.
    package var wholeNanoseconds: Int64 {
        let limit: Int64 = 4_611_686_018
        let (seconds, attoseconds) = components
        let bounded = min(max(seconds, -limit), limit)
        // Division rounds towards zero, which is up below zero.
        let fraction = attoseconds > 0 ? (attoseconds &+ 999_999_999) / 1_000_000_000 : attoseconds / 1_000_000_000
        return bounded &* 1_000_000_000 &+ fraction
    }
}
