// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatService
import Testing
import XMPPTesting

@Suite(.timeLimit(.minutes(1))) struct FaceActivityTests {
    private let clock = ManualClock()
    private let told = Locked<[Bool]>([])
    private let activity: FaceActivity

    init() {
        activity = FaceActivity(clock: clock) { [told] isActive in told.withLock { $0.append(isActive) } }
    }

    private var seen: [Bool] { told.withLock { $0 } }

    @Test func `a service that nobody attaches to becomes inactive after half a minute`() async {
        await clock.advance(by: .milliseconds(29_999))
        #expect(seen.isEmpty)
        await clock.advance(by: .milliseconds(1))
        #expect(seen == [false])
    }

    @Test func `a face makes it active at once, and short commands do not switch it to and fro`() async {
        await clock.advance(by: .seconds(30))
        activity.changed(to: 1)
        #expect(seen == [false, true])
        for _ in 0..<20 {
            activity.changed(to: 0)
            await clock.advance(by: .seconds(20))
            activity.changed(to: 1)
        }
        activity.changed(to: 2)
        activity.changed(to: 1)
        #expect(seen == [false, true])
        activity.changed(to: 0)
        await clock.advance(by: .seconds(30))
        #expect(seen == [false, true, false])
        #expect(clock.scheduledCount == 0)
    }
}
