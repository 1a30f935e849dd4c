// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import XMPP

/// `SEED=` and `COUNT=` in the environment choose which runs, and how many; `OFFSETS=all` cuts at every byte.
@Suite("A session in a bad network, simulated", .timeLimit(.minutes(30)))
struct SimulationTests {
    static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
    static var seeds: Range<UInt64> {
        let first = UInt64(max(0, number("SEED") ?? 1))
        return first..<first + UInt64(max(1, number("COUNT") ?? (number("SEED") == nil ? 12 : 1)))
    }

    /// Runs one after the other on one loop; the first that fails is told with its seed.
    private func run(_ plans: [Simulation.Plan]) async throws -> [Simulation.Outcome] {
        let loop = EventLoop(name: "simulation")
        defer { loop.shutdown() }
        var outcomes: [Simulation.Outcome] = []
        for plan in plans {
            let outcome = try await Simulation(plan, loop: loop).run()
            if !outcome.faults.isEmpty {
                let what = plan.script.map { " script \($0)" } ?? ""
                Issue.record(
                    """
                    SEED=\(plan.seed)\(what) memory \(plan.memory) store \(plan.hasStore):
                    \(outcome.faults.joined(separator: "\n"))
                    \(outcome.trace.suffix(30).joined(separator: "\n"))
                    """)
                break
            }
            outcomes.append(outcome)
        }
        return outcomes
    }

    @Test(
        "T007 T092 B150 B151 whatever the network does, each message arrives once and in order",
        arguments: [false, true])
    func resumed(_ hasStore: Bool) async throws {
        let outcomes = try await run(Self.seeds.map { Simulation.Plan(seed: $0, hasStore: hasStore) })
        // It was a bad network indeed.
        #expect(outcomes.reduce(0) { $0 + $1.resumptions } > outcomes.count)
    }

    @Test("T095 B144 a server that forgets sessions costs no message", arguments: [false, true])
    func forgotten(_ hasStore: Bool) async throws {
        for memory in [SimulatedServer.Memory.countOnly, .bad] {
            let outcomes = try await run(
                Self.seeds.map { Simulation.Plan(seed: $0, memory: memory, hasStore: hasStore) })
            #expect(outcomes.reduce(0) { $0 + $1.refusals } > 0)
        }
    }

    @Test(
        "T092 a server that reads a resumed stream as the rest of half a stanza costs no message",
        arguments: [false, true])
    func halfStanza(_ hasStore: Bool) async throws {
        let outcomes = try await run(
            Self.seeds.map { Simulation.Plan(seed: $0, keepsParser: true, hasStore: hasStore) })
        #expect(outcomes.reduce(0) { $0 + $1.deafResumptions } > 0)
    }

    @Test("T100 B157 a program that ends at any moment loses nothing and repeats nothing")
    func killed() async throws {
        let outcomes = try await run(
            Self.seeds.map { Simulation.Plan(seed: $0, faults: 3, hasStore: true, kills: 4) })
        #expect(outcomes.reduce(0) { $0 + $1.kills } > outcomes.count)
    }

    @Test("T007 T029 a cut after any byte, in either direction, of a login and of what follows it")
    func everyOffset() async throws {
        let base = Simulation.Plan(seed: 1, messages: 3, script: [nil])
        let whole = try #require(try await run([base]).first)
        #expect(whole.connections == 1)
        var plans: [Simulation.Plan] = []
        let stride = ProcessInfo.processInfo.environment["OFFSETS"] == "all" ? 1 : 13
        for direction in LinkFault.Direction.allCases {
            for (index, offset) in Swift.stride(from: 0, through: whole.bytes[direction.rawValue], by: stride)
                .enumerated()
            {
                for kind in stride == 1 ? LinkFault.Kind.allCases : [LinkFault.Kind.allCases[index % 5]] {
                    var plan = base
                    plan.script = [LinkFault(kind: kind, direction: direction, offset: offset)]
                    plan.hasStore = index.isMultiple(of: 2)
                    plans.append(plan)
                }
            }
        }
        let outcomes = try await run(plans)
        #expect(outcomes.count == plans.count)
    }

    @Test("the same seed is the same run")
    func repeats() async throws {
        let plan = Simulation.Plan(seed: 7, hasStore: true)
        let outcomes = try await run([plan, plan])
        #expect(outcomes.first?.trace == outcomes.last?.trace)
        #expect(outcomes.count == 2)
    }
}
