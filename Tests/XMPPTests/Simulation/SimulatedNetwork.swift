// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Makes the links of a simulation and decides what happens to each.
// Unchecked: it is used on the simulation's loop only.
final class SimulatedNetwork: @unchecked Sendable {
    private let plan: Simulation.Plan
    private let server: SimulatedServer
    private let clock: SimulatedClock
    private let dice: Dice
    private let loop: EventLoop
    private let trace: (String) -> Void
    private var links: [SimulatedLink] = []
    private var current: SimulatedConnector?

    init(
        _ plan: Simulation.Plan, server: SimulatedServer, clock: SimulatedClock, dice: Dice, loop: EventLoop,
        trace: @escaping (String) -> Void
    ) {
        self.plan = plan
        self.server = server
        self.clock = clock
        self.dice = dice
        self.loop = loop
        self.trace = trace
    }

    /// With a script, nothing but what it says goes wrong.
    var isPerfect: Bool { plan.script != nil }
    var connections: Int { links.count }
    /// Bytes that arrived on the first link, in each direction.
    var bytes: [Int] { links.first?.carried ?? [0, 0] }

    /// The way to the server for one run of the program.
    func connector() -> SimulatedConnector {
        let made = SimulatedConnector(self)
        current = made
        return made
    }

    /// The program ended: the system closes its socket, and it connects no more.
    func cutCurrent() {
        current?.network = nil
        guard let link = links.last else { return }
        link.channel.abort()
    }

    fileprivate func connect() throws(TransportError) -> SimulatedChannel {
        if !isPerfect, links.count <= plan.faults, dice.chance(10) {
            throw TransportError(.refused, "the server refused the connection")
        }
        let link = SimulatedLink(
            links.count, fault: nextFault(), isPerfect: isPerfect, clock: clock, dice: dice, loop: loop,
            onBytes: { [server] link, bytes in server.received(bytes, link) },
            onLoss: { [server] link in server.lost(link) }, trace: trace)
        links.append(link)
        trace("link \(link.number) at \(clock.now.nanoseconds / 1_000_000) ms")
        return link.channel
    }

    private func nextFault() -> LinkFault? {
        if let script = plan.script { return links.count < script.count ? script[links.count] : nil }
        guard links.count < plan.faults else { return nil }
        // Early ones fall into the login, late ones between messages.
        let offset = dice.chance(30) ? dice.below(1200) : dice.below(6000)
        return LinkFault(
            kind: LinkFault.Kind.allCases[dice.below(LinkFault.Kind.allCases.count)],
            direction: dice.chance(50) ? .toServer : .toClient, offset: offset)
    }
}

/// How one run of the program connects.
// Unchecked: it is used on the simulation's loop only.
final class SimulatedConnector: Connector, @unchecked Sendable {
    fileprivate var network: SimulatedNetwork?

    fileprivate init(_ network: SimulatedNetwork) { self.network = network }

    nonisolated(nonsending) func connect(
        to target: ConnectTarget, loop: EventLoop, deadline: Duration
    ) async throws(TransportError) -> any ByteChannel {
        guard let network else { throw TransportError(.refused, "the program has ended") }
        return try network.connect()
    }
}
