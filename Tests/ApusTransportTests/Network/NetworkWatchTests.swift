// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing
import XMPPTesting

@Suite("Changes of the network, and sleep", .timeLimit(.minutes(1)))
struct NetworkWatchTests {
    private let clock = ManualClock()
    private let state = Locked(NetworkState())
    private let slept = Locked(Duration.zero)
    private let events = Locked<[NetworkWatch.Event]>([])

    private func watch() -> NetworkWatch {
        NetworkWatch(
            clock: clock, state: { [state] in state.withLock { $0 } }, sleep: { [slept] in slept.withLock { $0 } },
            onEvent: { [events] event in events.withLock { $0.append(event) } })
    }

    private var seen: [NetworkWatch.Event] { events.withLock { $0 } }

    @Test("a burst of messages about another address is one change, told half a second after its begin")
    func burst() async {
        let watch = watch()
        state.withLock { $0.addresses = ["wlan0 192.0.2.7"] }
        for _ in 0..<50 { await EventLoop.shared.perform { watch.routesChanged() } }
        await clock.advance(by: .milliseconds(499))
        #expect(seen.isEmpty)
        await clock.advance(by: .milliseconds(1))
        #expect(seen == [.networkChanged])
        await clock.advance(by: .seconds(10))
        #expect(seen.count == 1)
    }

    @Test("what leaves addresses and default routes as they were is no change")
    func noChange() async {
        let watch = watch()
        await EventLoop.shared.perform { watch.routesChanged() }
        await clock.advance(by: .seconds(1))
        #expect(seen.isEmpty)
        state.withLock { $0.defaultRoutes = ["eth0 010200C0"] }
        await EventLoop.shared.perform { watch.routesChanged() }
        await clock.advance(by: .seconds(1))
        #expect(seen == [.networkChanged])
    }

    @Test("T014 a wall clock that is set is no wake; one that is set after a sleep is")
    func wakes() async {
        let watch = watch()
        await EventLoop.shared.perform { watch.clockWasSet() }
        slept.withLock { $0 = .milliseconds(900) }
        await EventLoop.shared.perform { watch.clockWasSet() }
        #expect(seen.isEmpty)
        slept.withLock { $0 = .seconds(8 * 3600) }
        await EventLoop.shared.perform { watch.clockWasSet() }
        #expect(seen == [.woke(after: .seconds(8 * 3600))])
        await EventLoop.shared.perform { watch.clockWasSet() }
        #expect(seen.count == 1)
    }

    @Test("T014 this machine's two clocks stand as far apart as they should")
    func clocks() {
        var detector = SleepDetector(slept: SleepDetector.sinceStart())
        #expect(SleepDetector.sinceStart() >= .zero)
        #expect(detector.look(slept: SleepDetector.sinceStart()) == nil)
    }

    @Test("watching takes two descriptors, once, and gives them back")
    func descriptors() async {
        let watch = NetworkWatch(onEvent: { _ in })
        watch.start()
        watch.start()
        #expect(await EventLoop.shared.perform { watch.watchedCount } == 2)
        watch.stop()
        #expect(await EventLoop.shared.perform { watch.watchedCount } == 0)
    }

    @Test("the kernel's tables give the default routes and nothing else")
    func routes() {
        let version4 = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
            eth0\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
            eth1\t00000000\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
            cut\t00000000
            """
        let zero = String(repeating: "0", count: 32)
        let version6 = """
            \(zero) 00 \(zero) 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003     wlan0
            fe80\(zero.dropFirst(4)) 40 \(zero) 00 \(zero) 00000100 00000001 00000000 00000001     wlan0
            \(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200       lo
            """
        var state = NetworkState()
        state.addRoutes(version4: version4, version6: version6)
        #expect(state.defaultRoutes == ["eth0 010200C0", "wlan0 fe800000000000000000000000000001"])
        #expect(NetworkState.current() == NetworkState.current())
    }
}
