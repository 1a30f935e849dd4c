// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto
package import ApusTransport
import Testing
package import XMPP

/// The server of a test: it says what the script tells it to, and checks what the session sends.
///
/// `inject` sends bytes, `expect` waits for the next element of the session, `expectNothing` for a while without one.
/// Owner of its state: its lock.
package final class ScriptedPeer: Connector {
    /// What the session did, in order.
    package enum Step: Sendable, CustomStringConvertible {
        case header(Element)
        case element(Element)
        case close
        case broken(String)
        /// The session closed the connection.
        case ended

        package var description: String {
            switch self {
            case .header(let element): "header \(element.xml)"
            case .element(let element): element.xml
            case .close: "</stream:stream>"
            case .broken(let reason): "broken XML: \(reason)"
            case .ended: "the end of the connection"
            }
        }
    }

    private struct State {
        var channel: ScriptedChannel?
        var connections = 0
        var steps: [Step] = []
        var written: [UInt8] = []
        var waiter: CheckedContinuation<Step?, Never>?
        var waits = 0
        var isPaused = false
        var handedToTLS: [[UInt8]] = []
        var connected: [CheckedContinuation<Void, Never>] = []
        var failures: [TransportError] = []
        var information = ScriptedPeer.defaultInformation
        var startsWithTLS = false
        var isDeaf = false
        var targets: [ConnectTarget] = []
        var endpoint = Endpoint(host: "127.0.0.1", port: 5222)
    }

    private let state = Locked(State())
    private let parser = Locked(ParserBox())
    private let pauses = ConditionWaiters<Bool>()
    private let recorder = StreamRecorder.current("scripted")
    private let said = Locked(RecordingParser())
    /// The domain it serves.
    package let domain: String

    package init(domain: String = "example.org") { self.domain = domain }

    /// TLS 1.3 with both of its bindings.
    package static let defaultInformation = TLSInformation(
        protocolVersion: "TLSv1.3", isTLS13: true, cipher: "TLS_AES_256_GCM_SHA384", applicationProtocol: nil,
        peerCertificate: [], subject: "CN=example.org",
        exporter: [UInt8](repeating: 7, count: 32), serverEndPoint: [UInt8](repeating: 9, count: 32))

    // MARK: Connector

    package func connect(
        to target: ConnectTarget, loop: EventLoop, deadline: Duration
    ) async throws(TransportError) -> any ByteChannel {
        let failure = state.withLock { state in
            state.targets.append(target)
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        if let failure { throw failure }
        let (information, startsWithTLS, endpoint) = state.withLock { ($0.information, $0.startsWithTLS, $0.endpoint) }
        let channel = ScriptedChannel(loop: loop, information: information, endpoint: endpoint) { [weak self] bytes in
            self?.take(bytes)
        } onEnd: { [weak self] in
            self?.add(.ended)
        }
        if startsWithTLS { channel.tlsInformation = information }
        channel.onPause = { [weak self] in self?.paused($0) }
        channel.onTLS = { [weak self] bytes in self?.state.withLock { $0.handedToTLS.append(bytes) } }
        parser.withLock { $0 = ParserBox() }
        let waiting = state.withLock { state in
            state.channel = channel
            state.connections += 1
            defer { state.connected = [] }
            return state.connected
        }
        for waiter in waiting { waiter.resume() }
        return channel
    }

    // MARK: Script

    /// How often the session connected.
    package var connections: Int { state.withLock { $0.connections } }
    /// What the session asked for, each time it connected or tried to.
    package var targets: [ConnectTarget] { state.withLock { $0.targets } }
    /// All bytes that the session ever wrote.
    package var written: [UInt8] { state.withLock { $0.written } }
    /// The same as text.
    package var writtenText: String { String(decoding: written, as: UTF8.self) }

    /// The next connection attempts fail with these errors.
    package func failNext(_ errors: [TransportError]) { state.withLock { $0.failures += errors } }

    /// What TLS will report on the next connections; `direct` starts it with the first byte.
    package func useTLS(_ information: TLSInformation, direct: Bool = false) {
        state.withLock { state in
            state.information = information
            state.startsWithTLS = direct
        }
    }

    /// Where the next connections seem to lead.
    package func lead(to endpoint: Endpoint) { state.withLock { $0.endpoint = endpoint } }

    /// Sends bytes to the session as they are.
    package func inject(_ text: String) { inject(Array(text.utf8)) }

    /// Sends bytes to the session as they are.
    package func inject(_ bytes: [UInt8]) {
        if let recorder {
            for element in said.withLock({ $0.elements(bytes) }) { recorder.write(.received, element.xml) }
        }
        state.withLock { $0.channel }?.receive(bytes)
    }

    /// Ends the connection from the server's side, as an error or in order.
    package func cut(_ error: TransportError? = TransportError(.reset, "the connection was reset")) {
        state.withLock { $0.channel }?.cut(error)
    }

    /// Whether the session does not read now.
    package var isReadingPaused: Bool { state.withLock { $0.isPaused } }

    /// Waits until the session stops reading, or reads again.
    package func waitUntil(isReadingPaused wanted: Bool) async {
        await pauses.wait {
            isReadingPaused
        } until: {
            $0 == wanted
        }
    }

    private func paused(_ isPaused: Bool) {
        state.withLock { $0.isPaused = isPaused }
        pauses.notify(isPaused)
    }

    /// What followed `<proceed/>` in the same read, once for each start of TLS.
    package var handedToTLS: [[UInt8]] { state.withLock { $0.handedToTLS } }

    /// Lets the network take nothing more from the session, or everything again.
    package func blockNetwork(_ isBlocked: Bool) async {
        guard let channel = state.withLock({ $0.channel }) else { return }
        await channel.block(isBlocked ? 1 << 30 : 0)
    }

    /// The next step of the session, nil when none comes within the time.
    package func next(within limit: Duration = .seconds(20)) async -> Step? {
        let number = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        let timer = EventLoop.shared.schedule(after: limit) { [weak self] in self?.giveUp(number) }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> Step? in
                if !state.steps.isEmpty { return state.steps.removeFirst() }
                state.waiter = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Ends the wait for the next step, for a script that is not needed any more.
    package func abandon() { add(.ended) }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Step?, Never>? in
            guard state.waits == number else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    private func add(_ step: Step) {
        let waiter = state.withLock { state -> CheckedContinuation<Step?, Never>? in
            guard let waiter = state.waiter else {
                state.steps.append(step)
                return nil
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: step)
    }

    /// From now on what the session sends is thrown away unseen.
    package func goDeaf() { state.withLock { $0.isDeaf = true } }

    private func take(_ bytes: [UInt8]) {
        guard !state.withLock({ $0.isDeaf }) else { return }
        state.withLock { $0.written += bytes }
        let steps = parser.withLock { $0.steps(bytes) }
        for step in steps {
            if let recorder, case .element(let element) = step { recorder.write(.sent, element.xml) }
            add(step)
        }
    }
}

/// The parser of what the session writes; a new stream header in the middle starts it anew, as RFC 6120 §6.4.6 has it.
// A class, since the parser cannot be copied.
private final class ParserBox {
    private var parser = XMLStreamParser(limits: .afterLogin)

    func steps(_ bytes: [UInt8]) -> [ScriptedPeer.Step] {
        if bytes.starts(with: "<?xml".utf8) { parser.reset() }
        bytes.withUnsafeBytes { parser.append($0) }
        var steps: [ScriptedPeer.Step] = []
        while true {
            do {
                switch try parser.next() {
                case .needsMoreBytes: return steps
                case .open(let header): steps.append(.header(header))
                case .stanza(let element): steps.append(.element(element))
                case .close: steps.append(.close)
                }
            } catch {
                steps.append(.broken(error.reason))
                return steps
            }
        }
    }
}
