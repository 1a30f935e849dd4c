// SPDX-License-Identifier: Apache-2.0
import ApusCLinux
import Glibc

/// Gets a call when its file descriptor is ready.
///
/// Level-triggered: what is left undone is reported again.
package protocol LoopEventHandler: AnyObject {
    /// `events` are `EPOLL…` bits; runs on the loop's thread.
    func handleEvents(_ events: UInt32)
}

/// Names a registered file descriptor; a stale one is recognised and ignored.
package struct LoopRegistration: Hashable, Sendable {
    var slot: UInt32
    var generation: UInt32
    var descriptor: Int32
}

/// Ends a sleep in epoll from any thread.
struct WakeEvent: Sendable {
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}

/// The epoll set with the event that wakes it and a timerfd that ends its sleep.
///
/// Belongs to the thread of one loop.
struct Poller {
    private struct Slot {
        var handler: (any LoopEventHandler)?
        var generation: UInt32 = 0
    }

    private static let wakeToken = UInt64.max
    private static let timerToken = UInt64.max - 1
    private static let batch = 128

    private let epoll: Int32
    private let wakeEvent: WakeEvent
    private let timer: Int32
    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    private let events: UnsafeMutablePointer<epoll_event>

    init(wakeEvent: WakeEvent) {
        self.wakeEvent = wakeEvent
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        // No descriptor left for the process's one loop: nothing can run, and there is nobody to tell.
        precondition(
            epoll >= 0 && wakeEvent.descriptor >= 0 && timer >= 0, "the system gives no descriptor for an event loop")
        events = .allocate(capacity: Poller.batch)
        // Edge-triggered, so that neither is ever read back.
        control(EPOLL_CTL_ADD, wakeEvent.descriptor, EPOLLIN.rawValue | EPOLLET.rawValue, Poller.wakeToken)
        control(EPOLL_CTL_ADD, timer, EPOLLIN.rawValue | EPOLLET.rawValue, Poller.timerToken)
    }

    func close() {
        _ = Glibc.close(epoll)
        _ = Glibc.close(wakeEvent.descriptor)
        _ = Glibc.close(timer)
        events.deallocate()
    }

    func setTimer(_ deadline: MonotonicTime) {
        // 0 would switch it off.
        _ = apus_set_boot_timer(timer, max(deadline.nanoseconds, 1))
    }

    mutating func add(
        _ descriptor: Int32, _ interest: UInt32, _ handler: any LoopEventHandler
    ) -> LoopRegistration? {
        let slot: UInt32
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = UInt32(truncatingIfNeeded: slots.count)
            slots.append(Slot())
        }
        let generation = slots[Int(slot)].generation
        let registration = LoopRegistration(slot: slot, generation: generation, descriptor: descriptor)
        guard control(EPOLL_CTL_ADD, descriptor, interest, registration.token) else {
            freeSlots.append(slot)
            return nil
        }
        slots[Int(slot)].handler = handler
        return registration
    }

    func modify(_ registration: LoopRegistration, _ interest: UInt32) {
        guard isCurrent(registration) else { return }
        control(EPOLL_CTL_MOD, registration.descriptor, interest, registration.token)
    }

    mutating func remove(_ registration: LoopRegistration) {
        guard isCurrent(registration) else { return }
        control(EPOLL_CTL_DEL, registration.descriptor, 0, 0)
        slots[Int(registration.slot)].handler = nil
        slots[Int(registration.slot)].generation = (registration.generation &+ 1) & 0x7fff_ffff
        freeSlots.append(registration.slot)
    }

    /// Waits for events (`blocks`) or only looks; returns how many of `event(_:)` there are.
    func wait(blocks: Bool) -> Int {
        let count = epoll_wait(epoll, events, Int32(Poller.batch), blocks ? -1 : 0)
        return max(Int(count), 0)
    }

    enum Event {
        case woken, timer, stale
        case handler(any LoopEventHandler, UInt32)
    }

    /// Looked up at the last moment: an earlier handler of the same batch may have removed this one.
    func event(_ index: Int) -> Event {
        let token = events[index].data.u64
        if token == Poller.wakeToken { return .woken }
        if token == Poller.timerToken { return .timer }
        let slot = Int(token & 0xffff_ffff)
        guard slot < slots.count, slots[slot].generation == UInt32(token >> 32), let handler = slots[slot].handler
        else { return .stale }
        return .handler(handler, events[index].events)
    }

    private func isCurrent(_ registration: LoopRegistration) -> Bool {
        let slot = Int(registration.slot)
        return slot < slots.count && slots[slot].generation == registration.generation && slots[slot].handler != nil
    }

    @discardableResult
    private func control(_ operation: Int32, _ descriptor: Int32, _ interest: UInt32, _ token: UInt64) -> Bool {
        var event = epoll_event()
        event.events = interest
        event.data.u64 = token
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }
}

extension LoopRegistration {
    /// What epoll gives back; the two highest values are the poller's own.
    fileprivate var token: UInt64 {
        UInt64(generation) << 32 | UInt64(slot)
    }
}
