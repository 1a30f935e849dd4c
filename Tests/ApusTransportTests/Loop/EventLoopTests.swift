// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Synchronization
import Testing

@Suite("EventLoop", .timeLimit(.minutes(1)))
struct EventLoopTests {
    /// An actor that lives on a loop.
    private actor Resident {
        nonisolated let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private(set) var count = 0

        init(_ loop: EventLoop) { self.loop = loop }

        func add() -> Bool {
            count += 1
            return loop.isCurrent
        }

        nonisolated func addFromCallback() -> Int {
            assumeIsolated { this in
                this.count += 1
                return this.count
            }
        }
    }

    private final class Turn: LoopTurn {
        let turnFlag = LoopTurnFlag()
        let count = Atomic(0)
        private let body: @Sendable (Int) -> Void

        init(_ body: @escaping @Sendable (Int) -> Void = { _ in }) { self.body = body }

        func takeTurn() { body(count.add(1, ordering: .relaxed).newValue) }
    }

    @Test("actors run on the loop's thread, and callbacks may assume it")
    func actors() async {
        let resident = Resident(.shared)
        #expect(await resident.add())
        #expect(!EventLoop.shared.isCurrent)
        #expect(await EventLoop.shared.perform { resident.addFromCallback() } == 2)
        #expect(await resident.count == 2)
    }

    /// Output that counts its flushes; used on the loop's thread only.
    private final class Output: LoopFlush {
        private(set) var count = 0
        func flushOutput() { count += 1 }
    }

    @Test("whoever waits for the flush hears of it after what was written before, however busy the loop is")
    func flushed() async {
        let loop = EventLoop(name: "test")
        let resident = Resident(loop)
        for _ in 0..<200 {
            let busy = Task { for _ in 0..<20 { _ = await resident.add() } }
            let output = await loop.perform {
                let output = Output()
                loop.flushes.append(output)
                return UncheckedOutput(output)
            }
            await loop.flushed()
            #expect(await loop.perform { output.value.count } == 1)
            await busy.value
        }
        loop.shutdown()
    }

    /// Carries an output between turns of its loop.
    // Unchecked: looked at on the loop's thread only.
    private struct UncheckedOutput: @unchecked Sendable {
        let value: Output
        init(_ value: Output) { self.value = value }
    }

    @Test("jobs from many threads all run, in turn")
    func manyJobs() async {
        let loop = EventLoop(name: "test")
        let resident = Resident(loop)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<2000 { _ = await resident.add() } }
            }
        }
        #expect(await resident.count == 16_000)
        loop.shutdown()
    }

    @Test("calls keep their order")
    func order() async {
        let seen = Locked<[Int]>([])
        for index in 0..<1000 { EventLoop.shared.execute { seen.withLock { $0.append(index) } } }
        await EventLoop.shared.perform {}
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test("a turn asked for many times before it comes is taken once")
    func coalesced() async {
        let turn = Turn()
        await EventLoop.shared.perform {
            for _ in 0..<100 { EventLoop.shared.requestTurn(for: turn) }
        }
        // Calls come before turns: the second of these is in a later round than the turn.
        await EventLoop.shared.perform {}
        await EventLoop.shared.perform {}
        #expect(turn.count.load(ordering: .relaxed) == 1)
    }

    @Test("a request made inside a turn leads to another one")
    func again() async {
        let count = await withCheckedContinuation { continuation in
            let box = Locked<Turn?>(nil)
            let turn = Turn { count in
                guard count < 5 else {
                    box.withLock { $0 = nil }
                    return continuation.resume(returning: count)
                }
                box.withLock { $0 }.map { EventLoop.shared.requestTurn(for: $0) }
            }
            box.withLock { $0 = turn }
            EventLoop.shared.requestTurn(for: turn)
        }
        #expect(count == 5)
    }

    @Test("no request of many threads is lost")
    func requests() async {
        // Each thread adds and then asks; a turn that sees all additions must come.
        let added = Locked(0)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isDone = Locked(false)
            let turn = Turn { _ in
                guard added.withLock({ $0 }) == 40_000 else { return }
                let isFirst = isDone.withLock { done in
                    defer { done = true }
                    return !done
                }
                if isFirst { continuation.resume() }
            }
            for _ in 0..<4 {
                Task.detached {
                    for _ in 0..<10_000 {
                        added.withLock { $0 += 1 }
                        EventLoop.shared.requestTurn(for: turn)
                    }
                }
            }
        }
        #expect(added.withLock { $0 } == 40_000)
    }

    @Test("timers fire in the order of their deadlines and not before them")
    func timers() async {
        let seen = Locked<[Int]>([])
        let start = MonotonicTime.now()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            _ = EventLoop.shared.schedule(after: .milliseconds(30)) {
                seen.withLock { $0.append(30) }
                continuation.resume()
            }
            _ = EventLoop.shared.schedule(after: .milliseconds(10)) { seen.withLock { $0.append(10) } }
            _ = EventLoop.shared.schedule(after: .milliseconds(20)) { seen.withLock { $0.append(20) } }
            _ = EventLoop.shared.schedule(after: .zero) { seen.withLock { $0.append(0) } }
        }
        #expect(seen.withLock { $0 } == [0, 10, 20, 30])
        #expect(start.duration(to: .now()) >= .milliseconds(30))
    }

    @Test("a cancelled timer does not fire and lets go of what it holds")
    func cancelledTimer() async {
        final class Token: Sendable {}
        weak var held: Token?
        let timer: any LoopTimer
        do {
            let token = Token()
            held = token
            timer = EventLoop.shared.schedule(after: .seconds(3600)) { _ = token }
        }
        #expect(held != nil)
        timer.cancel()
        #expect(held == nil)
        let fired = Locked(false)
        await EventLoop.shared.perform {
            // Due in the same moment as the one that cancels it.
            let second = Locked<(any LoopTimer)?>(nil)
            _ = EventLoop.shared.schedule(after: .zero) { second.withLock { $0 }?.cancel() }
            second.withLock { $0 = EventLoop.shared.schedule(after: .zero) { fired.withLock { $0 = true } } }
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            _ = EventLoop.shared.schedule(after: .milliseconds(2)) { continuation.resume() }
        }
        #expect(!fired.withLock { $0 })
    }

    @Test("thousands of timers from several threads, half of them cancelled")
    func manyTimers() async {
        let fired = Locked(0)
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for index in 0..<2500 {
                        let delay = Duration.microseconds((index * 7919 + thread) % 20_000)
                        let timer = EventLoop.shared.schedule(after: delay + .milliseconds(50)) {
                            fired.withLock { $0 += 1 }
                        }
                        if index % 2 == 0 { timer.cancel() }
                    }
                }
            }
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            _ = EventLoop.shared.schedule(after: .milliseconds(120)) { continuation.resume() }
        }
        // The cancels come at once after 50 ms of room; a machine that is held up may let one slip through.
        #expect((5000...5010).contains(fired.withLock { $0 }))
    }

    @Test("a loop that is shut down frees what it had")
    func shutdown() async {
        weak var gone: EventLoop?
        do {
            let loop = EventLoop(name: "short")
            gone = loop
            #expect(await loop.perform { loop.isCurrent })
            loop.shutdown()
        }
        for _ in 0..<1_000_000 where gone != nil { await Task.yield() }
        #expect(gone == nil)
    }
}
