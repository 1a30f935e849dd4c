// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Glibc
import XMPP
import XMPPTesting

/// A session and a server with a bad network between them, in a time of their own: the same seed is the same run.
///
/// Everything happens on one loop, one thing after the other. The oracle: each message exactly once and in order, at
/// both ends.
actor Simulation {
    struct Plan: Sendable {
        var seed: UInt64
        /// Messages in each direction.
        var messages = 30
        /// Connections that something happens to; later ones are good.
        var faults = 6
        var memory = SimulatedServer.Memory.good
        /// After half a stanza the server understands nothing on a resumed stream.
        var keepsParser = false
        /// Counters and messages are kept on a disk, and the program ends now and then.
        var hasStore = false
        var kills = 0
        /// Instead of chance: what happens to the first connections.
        var script: [LinkFault?]?
    }

    struct Outcome: Sendable {
        var faults: [String] = []
        var bytes = [0, 0]
        var connections = 0
        var resumptions = 0
        var deafResumptions = 0
        var refusals = 0
        var kills = 0
        var trace: [String] = []
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let plan: Plan
    private let dice: Dice
    private let clock: SimulatedClock
    private let server: SimulatedServer
    private let network: SimulatedNetwork
    private let disk = SimulatedDisk()
    private let notes: Notes
    private var session: XMPPSession?
    private var outcome = Outcome()
    private var requests = (made: 0, ended: 0)
    /// Messages that the app wants to send, and how many of them it gave to the session of now.
    private let wanted: [String]
    private var posted = 0

    init(_ plan: Plan, loop: EventLoop) {
        self.plan = plan
        self.loop = loop
        let dice = Dice(seed: plan.seed)
        let clock = SimulatedClock(loop: loop)
        let notes = Notes()
        let server = SimulatedServer(dice: dice, memory: plan.memory, keepsParser: plan.keepsParser) { notes.add($0) }
        self.dice = dice
        self.clock = clock
        self.notes = notes
        self.server = server
        network = SimulatedNetwork(plan, server: server, clock: clock, dice: dice, loop: loop) { notes.add($0) }
        wanted = (0..<plan.messages).map { "c\($0)" }
    }

    func run() async throws -> Outcome {
        try open()
        planEvents()
        var steps = 0
        while !isDone {
            steps += 1
            guard steps < 200_000, clock.now < MonotonicTime(nanoseconds: 400_000_000_000_000), await step() else {
                outcome.faults.append("stuck after \(steps) steps, \(clock.now.nanoseconds / 1_000_000_000) s")
                break
            }
            await settle()
        }
        judge()
        await close()
        outcome.trace = notes.lines
        outcome.bytes = network.bytes
        outcome.connections = network.connections
        outcome.resumptions = server.resumptions
        outcome.deafResumptions = server.deafResumptions
        outcome.refusals = server.refusals
        return outcome
    }

    private func open() throws {
        var configuration = SessionConfiguration(modules: [PingModule()])
        configuration.connector = network.connector()
        configuration.loop = loop
        configuration.clock = clock
        configuration.randomness = SeededRandomness(seed: plan.seed &+ UInt64(outcome.kills))
        configuration.reconnect = ReconnectPolicy(maximum: .seconds(20))
        var account = try Account("juliet@example.org/balcony", password: "secret")
        account.server = ServerAddress(host: "127.0.0.1", security: .none)
        account.permitsPlain = true
        let store = plan.hasStore ? SimulatedStore(disk, clock: clock, dice: dice, loop: loop) : nil
        let made = XMPPSession(account: account, configuration: configuration, store: store)
        session = made
        // A task that does not hold this actor would begin on another thread.
        Task { await self.begin(made) }
    }

    private func begin(_ session: XMPPSession) async {
        let notes = notes
        await session.handleMessages { notes.received($0.id ?? "") }
        await session.start()
    }

    private func end(_ session: XMPPSession) async {
        await session.disconnect()
        notes.ended += 1
    }

    private func planEvents() {
        var at = Duration.milliseconds(200)
        for number in 0..<plan.messages {
            at += network.isPerfect ? .milliseconds(50) : dice.milliseconds(0...800)
            _ = clock.schedule(after: at) { [self] in assumeIsolated { $0.post() } }
            at += network.isPerfect ? .milliseconds(50) : dice.milliseconds(0...800)
            _ = clock.schedule(after: at) { [server] in server.deliver("s\(number)") }
            guard plan.script == nil else { continue }
            if dice.chance(20) { _ = clock.schedule(after: at) { [self] in assumeIsolated { $0.request() } } }
            if plan.hasStore, dice.chance(10) {
                _ = clock.schedule(after: at) { [disk] in disk.fails = true }
                _ = clock.schedule(after: at + dice.milliseconds(1...3000)) { [disk] in disk.fails = false }
            }
        }
        for _ in 0..<plan.kills {
            let when = dice.milliseconds(200...(500 + plan.messages * 900))
            _ = clock.schedule(after: when) { [self] in assumeIsolated { $0.kill() } }
        }
    }

    /// The app gives the next messages to the session; right after a start that may have to wait a little.
    private func post() {
        guard posted < wanted.count, let session, let to = try? JID("bo@example.org") else { return }
        // Now and then several in a row.
        let count = plan.script == nil && dice.chance(20) ? 3 : 1
        for id in wanted[posted...].prefix(count) {
            do throws(XMPPError) {
                try session.post(.chat(to: to, "\(id) é<🦊", id: id))
                posted += 1
            } catch { break }
        }
        guard posted < wanted.count else { return }
        // Whatever was not taken is tried again later, until all of it is.
        _ = clock.schedule(after: .seconds(5)) { [self] in assumeIsolated { $0.post() } }
    }

    private func request() {
        guard let session else { return }
        requests.made += 1
        Task {
            _ = try? await session.get(Element(XMLName("ping", "urn:xmpp:ping")))
            requests.ended += 1
        }
    }

    /// The program ends here and now, and starts again: what was not on the disk is gone.
    private func kill() {
        guard let old = session, !isDone else { return }
        notes.add("kill")
        outcome.kills += 1
        disk.run += 1
        network.cutCurrent()
        session = nil
        // Only to end its tasks: neither disk nor network hear of it any more.
        Task { await self.end(old) }
        // The app knows from its disk what still is to be sent.
        posted = disk.sent.count
        do { try open() } catch { outcome.faults.append("no new session: \(error)") }
        _ = clock.schedule(after: .milliseconds(10)) { [self] in assumeIsolated { $0.post() } }
    }

    /// What the client holds as received: on its disk, or else what it was given.
    private var received: [String] { plan.hasStore ? disk.received : notes.messages }

    private var isDone: Bool {
        posted == wanted.count && Set(server.accepted).count >= wanted.count
            && Set(received).count >= plan.messages && requests.ended == requests.made
            && !(plan.hasStore && disk.fails)
    }

    private func judge() {
        let sent = (0..<plan.messages).map { "s\($0)" }
        let isExact = plan.memory == .good
        // A server that lost its counters cannot know; then the ids tell.
        compare("the server", plan.memory == .bad ? Self.unique(server.accepted) : server.accepted, wanted)
        // Servers give what was not acknowledged to the next session, handled or not.
        compare("the client", isExact ? received : Self.unique(received), sent)
        if isExact, server.refusals > 0 { outcome.faults.append("a session was not resumed") }
        outcome.faults += server.faults.map { "server: \($0)" } + disk.faults
    }

    private func compare(_ who: String, _ has: [String], _ wanted: [String]) {
        guard has != wanted else { return }
        let missing = wanted.filter { !has.contains($0) }
        let repeated = Set(has.filter { id in has.filter { $0 == id }.count > 1 }).sorted()
        outcome.faults.append("\(who): lost \(missing), repeated \(repeated), got \(has)")
    }

    private static func unique(_ ids: [String]) -> [String] {
        var seen: Set<String> = []
        return ids.filter { seen.insert($0).inserted }
    }

    private func close() async {
        guard let session else { return }
        Task { await self.end(session) }
        var steps = 0
        while notes.ended <= outcome.kills, steps < 10_000 {
            await settle()
            if notes.ended <= outcome.kills { _ = clock.step() }
            steps += 1
        }
        if notes.ended <= outcome.kills { outcome.faults.append("the session does not end") }
    }

    /// What is due next; a task that is on another thread for a moment gets the time to come back.
    private func step() async -> Bool {
        let began = ContinuousClock.now
        while !clock.step() {
            guard began.duration(to: .now) < .seconds(5) else { return false }
            sched_yield()
            await settle()
        }
        return true
    }

    /// Lets everything happen that happens without time going on: until this is the only thing left to do.
    private func settle() async {
        var hops = 0
        repeat {
            hops += 1
            await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        } while hops < 4 || loop.work.jobs.count > 1 || !loop.work.turns.isEmpty || !loop.flushes.isEmpty
            || !loop.inbox.withLock { $0.work.isEmpty }
    }
}

/// What is written down on the way.
// Unchecked: it is used on the simulation's loop only.
final class Notes: @unchecked Sendable {
    private(set) var lines: [String] = []
    private(set) var messages: [String] = []
    /// How many sessions have ended.
    var ended = 0
    func add(_ line: String) { lines.append(line) }
    func received(_ id: String) { messages.append(id) }
}
