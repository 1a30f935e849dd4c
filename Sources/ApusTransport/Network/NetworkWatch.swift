// SPDX-License-Identifier: Apache-2.0
import ApusCLinux
import Glibc

/// Tells when the machine's way out to the network changed, and when it woke from sleep, without ever polling.
///
/// The kernel tells of each changed address or route (rtnetlink); what comes within half a second is one change, and a
/// change that leaves addresses and default routes as they were is none. At a wake the kernel cancels a timer of the
/// wall clock; whether the machine slept, two clocks tell.
// Unchecked: everything mutable is confined to the loop's thread; it is Sendable so that the loop can carry calls to it.
package final class NetworkWatch: @unchecked Sendable {
    package enum Event: Sendable, Hashable {
        case networkChanged
        case woke(after: Duration)
    }

    /// How long changes are gathered.
    static let settling = Duration.milliseconds(500)

    private let loop: EventLoop
    private let clock: any LoopClock
    private let readState: @Sendable () -> NetworkState
    private let readSleep: @Sendable () -> Duration
    private let onEvent: @Sendable (Event) -> Void
    private var state: NetworkState
    private var sleep: SleepDetector
    private var timer: (any LoopTimer)?
    private var sources: [WatchedDescriptor] = []
    /// How many descriptors are watched.
    var watchedCount: Int { sources.count }

    /// `onEvent` is called on the loop's thread and must not block.
    package init(
        loop: EventLoop = .shared, clock: (any LoopClock)? = nil,
        state: @escaping @Sendable () -> NetworkState = { NetworkState.current() },
        sleep: @escaping @Sendable () -> Duration = { SleepDetector.sinceStart() },
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.loop = loop
        self.clock = clock ?? loop
        readState = state
        readSleep = sleep
        self.onEvent = onEvent
        self.state = state()
        self.sleep = SleepDetector(slept: sleep())
    }

    /// Begins to watch; where the system refuses a descriptor, that part stays silent.
    package func start() {
        loop.execute { [self] in
            guard sources.isEmpty else { return }
            add(apus_open_network_watch()) { [weak self] _ in self?.routesChanged() }
            let clock = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
            if clock >= 0 { _ = apus_arm_clock_watch(clock) }
            add(clock) { [weak self] descriptor in
                _ = apus_arm_clock_watch(descriptor)
                self?.clockWasSet()
            }
        }
    }

    /// Ends it; no event comes afterwards on the loop's thread.
    package func stop() {
        loop.execute { [self] in
            for source in sources { source.close(loop) }
            sources = []
            timer?.cancel()
            timer = nil
        }
    }

    /// The kernel said something about interfaces, addresses or routes.
    func routesChanged() {
        guard timer == nil else { return }
        timer = clock.schedule(after: Self.settling) { [weak self] in self?.settled() }
    }

    /// The wall clock was set, by a user or by a wake.
    func clockWasSet() {
        if let span = sleep.look(slept: readSleep()) { onEvent(.woke(after: span)) }
    }

    private func settled() {
        timer = nil
        let now = readState()
        guard now != state else { return }
        state = now
        onEvent(.networkChanged)
    }

    private func add(_ descriptor: Int32, _ handler: @escaping (Int32) -> Void) {
        guard descriptor >= 0 else { return }
        let source = WatchedDescriptor(descriptor, handler)
        guard source.register(loop) else { return source.close(loop) }
        sources.append(source)
    }
}

/// A descriptor that is emptied whenever it is ready; what it says does not matter.
private final class WatchedDescriptor: LoopEventHandler {
    private let descriptor: Int32
    private let handler: (Int32) -> Void
    private var registration: LoopRegistration?

    init(_ descriptor: Int32, _ handler: @escaping (Int32) -> Void) {
        self.descriptor = descriptor
        self.handler = handler
    }

    func register(_ loop: EventLoop) -> Bool {
        registration = loop.register(descriptor, EPOLLIN.rawValue, self)
        return registration != nil
    }

    func close(_ loop: EventLoop) {
        if let registration { loop.unregister(registration) }
        registration = nil
        _ = Glibc.close(descriptor)
    }

    func handleEvents(_ events: UInt32) {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            // Bounded: a flood of messages must not hold the loop; what is left is reported again. A lost message
            // (ENOBUFS) and a cancelled timer (ECANCELED) are read away as well.
            for _ in 0..<64 {
                if read(descriptor, buffer.baseAddress, buffer.count) < 0, errno == EAGAIN { break }
            }
        }
        handler(descriptor)
    }
}
