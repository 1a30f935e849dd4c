// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing
import TransportTesting

/// Answers after a time on the loop, and counts the questions.
private final class Decider: Sendable {
    let questions = Locked<[TLSError]>([])
    private let delay: Duration
    private let accepts: Bool?

    /// nil: never answers.
    init(_ accepts: Bool?, after delay: Duration = .milliseconds(50)) {
        self.accepts = accepts
        self.delay = delay
    }

    var tls: TLSTrustDecider {
        TLSTrustDecider { [self] refusal, answer in
            questions.withLock { $0.append(refusal) }
            guard let accepts else { return }
            _ = EventLoop.shared.schedule(after: delay) { answer(accepts) }
        }
    }

    var codes: [TLSError.Code] { questions.withLock { $0.map(\.code) } }
}

@Suite("Channels whose certificate somebody decides about", .timeLimit(.minutes(1)))
struct TCPChannelTrustTests {
    private let context = TestTLSContext("DNS:example.test", selfSigned: true)

    private func target(_ endpoint: Endpoint, _ decider: Decider) -> ConnectTarget {
        var target = testTarget("example.test", endpoint)
        target.tls.decider = decider.tls
        return target
    }

    private func echo() throws -> TestServer {
        try TestServer { [context] peer in
            guard peer.acceptTLS(context) else { return }
            peer.write("welcome")
            peer.write(peer.read(through: "!"))
            _ = peer.readToEnd()
        }
    }

    @Test("T021 direct TLS waits for the answer; the time for connecting does not run meanwhile")
    func direct() async throws {
        let server = try echo()
        defer { server.stop() }
        let decider = Decider(true, after: .milliseconds(400))
        let channel = try await TCPConnector().connect(
            to: target(server.directEndpoint, decider), loop: .shared, deadline: .milliseconds(300))
        let recorder = Recorder()
        await EventLoop.shared.perform {
            channel.delegate = recorder
            channel.send("hello!")
        }
        #expect(await recorder.wait { $0.text == "welcomehello!" }.text == "welcomehello!")
        #expect(decider.codes == [.selfSigned])
        await EventLoop.shared.perform { channel.abort() }
    }

    @Test("T021 no is the reason that is reported, and connecting goes on to the next target")
    func refused() async throws {
        let server = try echo()
        defer { server.stop() }
        let decider = Decider(false)
        let error = await connectError(TCPConnector(), target(server.directEndpoint, decider))
        guard case .tls(let failure) = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.code == .selfSigned)
    }

    @Test("T021 STARTTLS waits for the answer; what is written meanwhile goes out after it")
    func startTLS() async throws {
        let server = try echo()
        defer { server.stop() }
        let decider = Decider(true)
        let recorder = Recorder()
        let target = target(server.endpoint, decider)
        let channel = try await TCPConnector().connect(to: target, loop: .shared, deadline: .seconds(20))
        await EventLoop.shared.perform {
            channel.delegate = recorder
            channel.startTLS(target.tls)
            channel.send("early!")
        }
        let state = await recorder.wait { $0.text == "welcomeearly!" }
        #expect(state.secured.count == 1)
        #expect(decider.codes == [.selfSigned])
        await EventLoop.shared.perform { channel.abort() }
    }

    @Test("an unanswered question holds up nobody else, and ends with its channel")
    func unanswered() async throws {
        let server = try echo()
        let other = try TestServer { $0.write("here") }
        defer {
            server.stop()
            other.stop()
        }
        let decider = Decider(nil)
        let waiting = Task { await connectError(TCPConnector(), target(server.directEndpoint, decider)) }
        while decider.codes.isEmpty { await Task.yield() }
        let recorder = Recorder()
        let channel = try await open(other, recorder)
        #expect(await recorder.wait { $0.text == "here" }.text == "here")
        await EventLoop.shared.perform { channel.abort() }
        waiting.cancel()
        guard case .cancelled = await waiting.value?.code else {
            Issue.record("it did not end")
            return
        }
    }

    @Test("what an attempt meets is told in order")
    func observed() async throws {
        let server = try echo()
        defer { server.stop() }
        let closed = try TestServer.refusingPort()
        let names = try DNSTestServer([
            "_xmpps-client._tcp.example.test SRV": .records([
                .service(priority: 1, weight: 0, port: closed, target: "a.example.test"),
                .service(priority: 2, weight: 0, port: server.port, target: "b.example.test"),
            ]),
            "a.example.test A": .records([.address("127.0.0.1")]),
            "b.example.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let seen = Locked<[String]>([])
        var target = testTarget()
        target.tls.decider = Decider(true).tls
        target.observer = { event in
            seen.withLock { seen in
                switch event {
                case .targets(let endpoints, let areFound): seen.append("\(areFound) \(endpoints.map(\.host))")
                case .noAddress(let host, _): seen.append("none \(host)")
                case .failed(let endpoint, let error): seen.append("failed \(endpoint.host) \(error.code)")
                case .connected(let endpoint, let address): seen.append("connected \(endpoint.host) \(address)")
                }
            }
        }
        let channel = try await TCPConnector(resolver: names.configuration)
            .connect(to: target, loop: .shared, deadline: .seconds(20))
        #expect(
            seen.withLock { $0 } == [
                #"true ["a.example.test", "b.example.test"]"#, "failed a.example.test refused",
                "connected b.example.test 127.0.0.1",
            ])
        await EventLoop.shared.perform { channel.abort() }
    }
}
