// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("TimerHeap")
struct TimerHeapTests {
    private let loop = EventLoop(name: "unused")

    private func timer(_ nanoseconds: Int64) -> EventLoopTimer {
        EventLoopTimer(loop: loop, deadline: MonotonicTime(nanoseconds: nanoseconds)) {}
    }

    @Test("gives random timers back in order, after random removals", arguments: [1, 2, 3, 4] as [UInt64])
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = TimerHeap()
        var kept: [Int64] = []
        var removed: [EventLoopTimer] = []
        for _ in 0..<2000 {
            let timer = timer(Int64.random(in: 0..<500, using: &generator))
            heap.insert(timer)
            if Bool.random(using: &generator) { removed.append(timer) } else { kept.append(timer.deadline.nanoseconds) }
        }
        removed.shuffle(using: &generator)
        for timer in removed {
            let isIn = heap.remove(timer)
            let isInAgain = heap.remove(timer)
            #expect(isIn && !isInAgain)
        }
        var order: [Int64] = []
        while let next = heap.popDue(MonotonicTime(nanoseconds: .max)) { order.append(next.deadline.nanoseconds) }
        #expect(order == kept.sorted())
        #expect(heap.count == 0)
    }

    @Test("equal deadlines keep the order of scheduling")
    func ties() {
        var heap = TimerHeap()
        let timers = (0..<50).map { _ in timer(7) }
        for timer in timers { heap.insert(timer) }
        for expected in timers {
            let next = heap.popDue(MonotonicTime(nanoseconds: 7))
            #expect(next === expected)
        }
    }

    @Test("what is not due stays")
    func notDue() {
        var heap = TimerHeap()
        heap.insert(timer(10))
        let due = heap.popDue(MonotonicTime(nanoseconds: 9))
        #expect(due == nil)
        #expect(heap.earliest == MonotonicTime(nanoseconds: 10))
    }
}
