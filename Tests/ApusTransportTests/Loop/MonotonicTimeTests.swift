// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Glibc
import Testing

@Suite("MonotonicTime")
struct MonotonicTimeTests {
    @Test("T014 the clock is the one that never jumps and goes on in a suspended machine")
    func boottime() {
        func boottime() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
        let before = boottime()
        let now = MonotonicTime.now()
        #expect(before <= now.nanoseconds && now.nanoseconds <= boottime())
    }

    @Test("an endless duration ends at the far end, and a past one at the start")
    func saturates() {
        let now = MonotonicTime.now()
        #expect(now.advanced(by: .seconds(Int64.max)) > now.advanced(by: .seconds(3_000_000_000)))
        #expect(MonotonicTime(nanoseconds: .max).advanced(by: .seconds(1)).nanoseconds == .max)
        #expect(MonotonicTime(nanoseconds: 5).advanced(by: .nanoseconds(-2)).nanoseconds == 3)
    }

    @Test("a fraction of a nanosecond rounds up, so that nothing fires early")
    func rounding() {
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 1).wholeNanoseconds == 1_000_000_001)
        #expect(Duration.milliseconds(250).wholeNanoseconds == 250_000_000)
        #expect(MonotonicTime(nanoseconds: 1).duration(to: MonotonicTime(nanoseconds: 4)) == .nanoseconds(3))
    }
}
