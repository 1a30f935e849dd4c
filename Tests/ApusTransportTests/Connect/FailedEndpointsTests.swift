// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("Endpoints that failed lately")
struct FailedEndpointsTests {
    private func endpoint(_ port: UInt16) -> Endpoint { Endpoint(host: "a.test", port: port) }

    @Test("T003 a failure is remembered for a while, and until it works")
    func lifetime() {
        let failures = FailedEndpoints(lifetime: .seconds(300))
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        failures.remember(endpoint(1), now: start)
        failures.remember(endpoint(2), now: start.advanced(by: .seconds(200)))
        #expect(failures.recent(now: start.advanced(by: .seconds(299))) == [endpoint(1), endpoint(2)])
        #expect(failures.recent(now: start.advanced(by: .seconds(300))) == [endpoint(2)])
        failures.forget(endpoint(2))
        #expect(failures.recent(now: start).isEmpty)
    }

    @Test("T003 T004 what is remembered is bounded; the oldest goes first")
    func capacity() {
        let failures = FailedEndpoints(capacity: 3)
        let start = MonotonicTime(nanoseconds: 0)
        for port in 1...5 as ClosedRange<UInt16> {
            failures.remember(endpoint(port), now: start.advanced(by: .seconds(Int(port))))
        }
        #expect(failures.recent(now: start) == [endpoint(3), endpoint(4), endpoint(5)])
        failures.remember(endpoint(5), now: start.advanced(by: .seconds(9)))
        #expect(failures.recent(now: start).count == 3)
    }
}
