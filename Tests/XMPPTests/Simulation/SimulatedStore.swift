// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import XMPP

/// What is on the disk of a simulated client: it outlives the program, which may end at any time.
// Unchecked: it is used on the simulation's loop only.
final class SimulatedDisk: @unchecked Sendable {
    struct Failure: Error {}

    fileprivate(set) var stored: StoredSession?
    /// Messages of the server, in the order in which they became durable.
    fileprivate(set) var received: [String] = []
    /// Messages of ours, in the order in which they became durable.
    fileprivate(set) var sent: [String] = []
    fileprivate(set) var faults: [String] = []
    /// Which run of the program may write.
    var run = 0
    var fails = false

    fileprivate func apply(_ commit: SessionCommit) {
        for case .message(let message) in commit.received { received.append(message.id ?? "") }
        for stanza in commit.sent where stanza.kind == .message { sent.append(stanza.id ?? "") }
        var next = stored ?? StoredSession(state: commit.state, unacknowledged: [])
        next.state = commit.state
        next.unacknowledged += commit.sent
        if let sequence = commit.acknowledgedThrough { next.unacknowledged.removeAll { $0.sequence <= sequence } }
        next.unacknowledged.removeAll { commit.dropped[$0.sequence] != nil }
        let sequences = next.unacknowledged.map(\.sequence)
        if sequences != Array(Set(sequences)).sorted() { faults.append("sequence numbers out of order: \(sequences)") }
        stored = next
    }
}

/// One run of the program with the disk: commits take time, fail for a while, and are lost when the program ends.
// Unchecked: it is used on the simulation's loop only.
final class SimulatedStore: SessionStore, @unchecked Sendable {
    private let disk: SimulatedDisk
    private let run: Int
    private let delay: SimulatedDelay
    private let dice: Dice

    init(_ disk: SimulatedDisk, clock: SimulatedClock, dice: Dice, loop: EventLoop) {
        self.disk = disk
        self.dice = dice
        delay = SimulatedDelay(clock: clock, loop: loop)
        run = disk.run
    }

    nonisolated(nonsending) func load() async throws -> StoredSession? { disk.stored }

    nonisolated(nonsending) func commit(_ commit: SessionCommit) async throws {
        await delay.wait(dice.milliseconds(0...20))
        // A program that has ended writes nothing; this one only learns that it cannot.
        guard disk.run == run, !disk.fails else { throw SimulatedDisk.Failure() }
        disk.apply(commit)
    }
}

/// Waits in the time of a simulation, on its loop.
actor SimulatedDelay {
    private let clock: SimulatedClock
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(clock: SimulatedClock, loop: EventLoop) {
        self.clock = clock
        self.loop = loop
    }

    func wait(_ span: Duration) async {
        await withCheckedContinuation { continuation in
            _ = clock.schedule(after: span) { continuation.resume() }
        }
    }
}
