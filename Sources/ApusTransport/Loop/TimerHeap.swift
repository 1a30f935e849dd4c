// SPDX-License-Identifier: Apache-2.0

/// Timers by deadline, earliest first; equal deadlines keep the order of scheduling.
struct TimerHeap {
    private var timers: [EventLoopTimer] = []
    private var nextSequence: UInt64 = 0

    var count: Int { timers.count }
    var earliest: MonotonicTime? { timers.first?.deadline }

    mutating func insert(_ timer: EventLoopTimer) {
        timer.sequence = nextSequence
        nextSequence &+= 1
        timer.index = timers.count
        timers.append(timer)
        siftUp(timer.index)
    }

    /// Takes the timer out; false when it was not in.
    mutating func remove(_ timer: EventLoopTimer) -> Bool {
        let index = timer.index
        guard index >= 0 else { return false }
        timer.index = -1
        let last = timers.removeLast()
        if last !== timer {
            timers[index] = last
            last.index = index
            siftUp(index)
            siftDown(last.index)
        }
        return true
    }

    mutating func popDue(_ now: MonotonicTime) -> EventLoopTimer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        _ = remove(first)
        return first
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        let timer = timers[index]
        while index > 0 {
            let parent = (index &- 1) / 2
            guard timer.isBefore(timers[parent]) else { break }
            place(timers[parent], at: index)
            index = parent
        }
        place(timer, at: index)
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        let timer = timers[index]
        while true {
            var child = index &* 2 &+ 1
            guard child < timers.count else { break }
            if child &+ 1 < timers.count, timers[child &+ 1].isBefore(timers[child]) { child &+= 1 }
            guard timers[child].isBefore(timer) else { break }
            place(timers[child], at: index)
            index = child
        }
        place(timer, at: index)
    }

    private mutating func place(_ timer: EventLoopTimer, at index: Int) {
        timers[index] = timer
        timer.index = index
    }
}
