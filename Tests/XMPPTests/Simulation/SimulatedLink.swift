// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

/// What goes wrong with one connection, and after which byte of which direction.
struct LinkFault: Sendable, CustomStringConvertible {
    enum Direction: Int, Sendable, CaseIterable { case toServer, toClient }

    enum Kind: Sendable, CaseIterable {
        /// Both ends hear of it.
        case reset
        /// The client hears of it; what is under way to the server still arrives, and it hears of it later.
        case clientFirst
        /// The other way round.
        case serverFirst
        /// Nobody hears of it: bytes vanish in this direction.
        case halfOpen
        /// The same in both directions.
        case blackHole
    }

    var kind: Kind
    var direction: Direction
    var offset: Int

    var description: String { "\(kind) after byte \(offset) \(direction)" }
}

/// One TCP connection between a session and the simulated server; chunks have sizes and delays of the dice's choice.
// Unchecked: it is used on the simulation's loop only.
final class SimulatedLink: @unchecked Sendable {
    let number: Int
    /// Bytes that arrived, for each direction.
    private(set) var carried = [0, 0]
    private let fault: LinkFault?
    private let isPerfect: Bool
    private let clock: SimulatedClock
    private let dice: Dice
    private var lastArrival = [MonotonicTime(nanoseconds: 0), MonotonicTime(nanoseconds: 0)]
    private var isSilent = [false, false]
    private(set) var isClientGone = false
    private(set) var isServerGone = false
    let channel: SimulatedChannel
    private let onBytes: (SimulatedLink, [UInt8]) -> Void
    private let onLoss: (SimulatedLink) -> Void
    private let trace: (String) -> Void

    /// With `isPerfect` each write arrives as a whole, one millisecond later.
    init(
        _ number: Int, fault: LinkFault?, isPerfect: Bool, clock: SimulatedClock, dice: Dice, loop: EventLoop,
        onBytes: @escaping (SimulatedLink, [UInt8]) -> Void, onLoss: @escaping (SimulatedLink) -> Void,
        trace: @escaping (String) -> Void
    ) {
        self.number = number
        self.fault = fault
        self.isPerfect = isPerfect
        self.clock = clock
        self.dice = dice
        self.onBytes = onBytes
        self.onLoss = onLoss
        self.trace = trace
        channel = SimulatedChannel(loop: loop)
        channel.link = self
    }

    func send(_ bytes: [UInt8], _ direction: LinkFault.Direction) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let size = isPerfect ? rest.count : min(rest.count, 1 + dice.below(dice.chance(20) ? 8 : 400))
            let chunk = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            later(direction) { $0.arrive(chunk, direction) }
        }
    }

    /// Nothing overtakes anything in one direction.
    private func later(_ direction: LinkFault.Direction, _ body: @escaping @Sendable (SimulatedLink) -> Void) {
        let delay: Duration =
            isPerfect ? .milliseconds(1) : dice.milliseconds(dice.chance(5) ? 500...4000 : 1...60)
        let time = max(clock.now.advanced(by: delay), lastArrival[direction.rawValue].advanced(by: .microseconds(2)))
        lastArrival[direction.rawValue] = time
        _ = clock.schedule(after: clock.now.duration(to: time)) { [self] in body(self) }
    }

    private func arrive(_ bytes: [UInt8], _ direction: LinkFault.Direction) {
        guard !isSilent[direction.rawValue] else { return }
        var bytes = bytes
        var isStruck = false
        if let fault, fault.direction == direction {
            let before = carried[direction.rawValue]
            guard before < fault.offset || fault.offset == 0 else { return }
            isStruck = before + bytes.count >= fault.offset
            bytes = Array(bytes.prefix(fault.offset - before))
        }
        carried[direction.rawValue] += bytes.count
        if !bytes.isEmpty {
            switch direction {
            case .toServer: if !isServerGone { onBytes(self, bytes) }
            case .toClient: if !isClientGone { channel.arrived(bytes) }
            }
        }
        if isStruck, let fault { strike(fault) }
    }

    private func strike(_ fault: LinkFault) {
        trace("link \(number): \(fault)")
        let error = TransportError(.reset, "the connection was reset")
        switch fault.kind {
        case .reset:
            loseServer()
            loseClient(error)
        case .clientFirst:
            loseClient(TransportError(.truncated, "the connection ended without the closing message of TLS"))
            _ = clock.schedule(after: dice.milliseconds(1...30_000)) { [self] in loseServer() }
        case .serverFirst:
            loseServer()
            _ = clock.schedule(after: dice.milliseconds(1...30_000)) { [self] in loseClient(error) }
        case .halfOpen: isSilent[fault.direction.rawValue] = true
        case .blackHole: isSilent = [true, true]
        }
    }

    func loseClient(_ error: TransportError?) {
        guard !isClientGone else { return }
        isClientGone = true
        channel.lost(error)
    }

    func loseServer() {
        guard !isServerGone else { return }
        isServerGone = true
        onLoss(self)
    }

    /// The client closed its end, in order or not; the server hears of it after what was written before.
    func clientClosed() {
        isClientGone = true
        guard !isSilent[0] else { return }
        later(.toServer) { $0.loseServer() }
    }

    /// The server closed its end.
    func serverClosed() {
        isServerGone = true
        guard !isSilent[1] else { return }
        later(.toClient) { $0.loseClient(nil) }
    }
}

/// The session's end of a link.
// Unchecked: it is used on the simulation's loop only.
final class SimulatedChannel: ByteChannel, @unchecked Sendable {
    weak var delegate: (any ByteChannelDelegate)? { didSet { if delegate != nil { deliver() } } }
    let endpoint = Endpoint(host: "127.0.0.1", port: 5222)
    let tlsInformation: TLSInformation? = nil
    let pendingBytes = 0
    weak var link: SimulatedLink?
    private let loop: EventLoop
    private var waiting: [[UInt8]] = []
    private var isPaused = false
    private var hasEnded = false

    init(loop: EventLoop) { self.loop = loop }

    func write(_ bytes: UnsafeRawBufferPointer) {
        guard !hasEnded, !bytes.isEmpty else { return }
        link?.send(Array(bytes), .toServer)
    }
    func startTLS(_ configuration: TLSConfiguration, unread: UnsafeRawBufferPointer) {}
    func pauseReading() { isPaused = true }
    func resumeReading() {
        isPaused = false
        loop.execute { self.deliver() }
    }
    func close() {
        guard !hasEnded else { return }
        hasEnded = true
        link?.clientClosed()
        loop.execute { self.delegate?.channelDidClose(nil) }
    }
    func abort() {
        guard !hasEnded else { return }
        hasEnded = true
        delegate = nil
        link?.clientClosed()
    }

    func arrived(_ bytes: [UInt8]) {
        waiting.append(bytes)
        deliver()
    }
    func lost(_ error: TransportError?) {
        guard !hasEnded else { return }
        hasEnded = true
        delegate?.channelDidClose(error)
    }
    private func deliver() {
        while !isPaused, !hasEnded, let delegate, !waiting.isEmpty {
            let bytes = waiting.removeFirst()
            bytes.withUnsafeBytes { delegate.channelDidRead($0) }
        }
    }
}
