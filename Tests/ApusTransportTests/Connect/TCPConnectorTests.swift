// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing
import TransportTesting

@Suite("TCPConnector", .timeLimit(.minutes(1)))
struct TCPConnectorTests {
    private func srv(
        _ targets: (priority: UInt16, port: UInt16, host: String)...
    ) -> DNSTestServer.Answer {
        .records(targets.map { .service(priority: $0.priority, weight: 0, port: $0.port, target: $0.host) })
    }

    private func connector(_ names: DNSTestServer) -> TCPConnector {
        TCPConnector(resolver: names.configuration, attemptDelay: .milliseconds(40), seed: 1)
    }

    /// Connects, says which endpoint it was, and hangs up.
    private func connect(
        _ connector: TCPConnector, _ target: ConnectTarget, deadline: Duration = .seconds(20)
    ) async throws -> Endpoint {
        let channel = try await connector.connect(to: target, loop: .shared, deadline: deadline)
        return await EventLoop.shared.perform {
            defer { channel.abort() }
            return channel.endpoint
        }
    }

    private func isCode(_ error: TransportError?, _ test: (TransportError.Code) -> Bool) -> Bool {
        guard let error else { return false }
        return test(error.code)
    }

    @Test("B27 both services are asked for, and a miss on one does not stop the other")
    func missingService() async throws {
        let server = try TestServer { _ in }
        defer { server.stop() }
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv((5, server.port, "chat.example.test")),
            "chat.example.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let endpoint = try await connect(connector(names), testTarget())
        #expect(endpoint == Endpoint(host: "chat.example.test", port: server.port))
        #expect(names.questions.contains("_xmpps-client._tcp.example.test SRV"))
        #expect(!names.questions.contains { $0.hasSuffix(" ?") })
    }

    @Test("B28 all addresses of the first target, then the next target")
    func nextTarget() async throws {
        let server = try TestServer { _ in }
        defer { server.stop() }
        let refusing = try TestServer.refusingPort()
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv(
                (1, refusing, "a.example.test"), (2, server.port, "b.example.test")),
            "a.example.test A": .records([.address("127.0.0.2"), .address("127.0.0.3")]),
            "a.example.test AAAA": .records([.address("::1")]),
            "b.example.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        #expect(try await connect(connector(names), testTarget()).host == "b.example.test")
    }

    @Test("B28 when every target fails, the domain's own addresses are not tried")
    func noFallBack() async throws {
        let refusing = try TestServer.refusingPort()
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv((1, refusing, "a.example.test"), (1, refusing, "gone.test")),
            "a.example.test A": .records([.address("127.0.0.2"), .address("127.0.0.3")]),
            "example.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let error = await connectError(connector(names), testTarget())
        #expect(isCode(error) { if case .refused = $0 { true } else { false } })
        #expect(
            error?.description
                == "example.test cannot be reached: resolved 2 targets, 2 addresses refused, "
                + "no address found for gone.test. Is the server running, and is the port right?")
        #expect(!names.questions.contains("example.test A"))
    }

    @Test("T003 a target that swallows the connection does not hold up the next one")
    func blackhole() async throws {
        let server = try TestServer { _ in }
        defer { server.stop() }
        let hole = try Blackhole()
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv(
                (1, hole.port, "a.example.test"), (2, server.port, "b.example.test")),
            "a.example.test A": .records([.address("127.0.0.1")]),
            "b.example.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let start = MonotonicTime.now()
        #expect(try await connect(connector(names), testTarget()).host == "b.example.test")
        #expect(start.duration(to: .now()) < .seconds(10))
    }

    @Test("T003 targets that refused, swallowed the connection or have no address are not the first ones again")
    func remembered() async throws {
        let server = try TestServer { _ in }
        defer { server.stop() }
        let hole = try Blackhole()
        let refusing = try TestServer.refusingPort()
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv(
                (1, hole.port, "hole.test"), (2, refusing, "refusing.test"), (3, 5222, "gone.test"),
                (4, server.port, "works.test")),
            "hole.test A": .records([.address("127.0.0.1")]),
            "refusing.test A": .records([.address("127.87.41.9")]),
            "works.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let connector = connector(names)
        #expect(try await connect(connector, testTarget()).host == "works.test")
        let asked = names.questions.count
        #expect(try await connect(connector, testTarget()).host == "works.test")
        let again = names.questions[asked...]
        #expect(again.contains("works.test A"))
        #expect(!again.contains("hole.test A") && !again.contains("refusing.test A") && !again.contains("gone.test A"))
        let others = connector.failures.recent().map(\.host).sorted()
        #expect(others == ["gone.test", "hole.test", "refusing.test"])
    }

    @Test("T003 a target whose addresses are never told does not hold up the next one")
    func unresolved() async throws {
        let server = try TestServer { _ in }
        defer { server.stop() }
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv((1, 5222, "mute.test"), (2, server.port, "works.test")),
            "mute.test A": .silence,
            "mute.test AAAA": .silence,
            "works.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        var connector = connector(names)
        // Longer than this test may take.
        connector.resolver.timeout = .seconds(100)
        #expect(try await connect(connector, testTarget()).host == "works.test")
    }

    @Test("T004 \".\" for one kind alone leaves the records of the other, whichever it is", arguments: [true, false])
    func oneKindNotOffered(isDirectOffered: Bool) async throws {
        let server = try TestServer { _ in }
        defer { server.stop() }
        let kinds = ["_xmpp-client._tcp.example.test SRV", "_xmpps-client._tcp.example.test SRV"]
        let names = try DNSTestServer([
            kinds[isDirectOffered ? 0 : 1]: srv((0, 0, "")),
            kinds[isDirectOffered ? 1 : 0]: srv((1, server.port, "a.test")),
            "a.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let error = await connectError(connector(names), testTarget())
        // The kernel takes the connection before the server's thread hears of it.
        while server.acceptedCount < 1 { await Task.yield() }
        #expect(server.acceptedCount == 1)
        // The server hangs up: with direct TLS that is no connection.
        #expect((error == nil) == !isDirectOffered)
        #expect(!names.questions.contains("example.test A"))
    }

    @Test("T003 one family dead, the other works", arguments: [true, false])
    func families(isIPv6Dead: Bool) async throws {
        let server = try TestServer(address: isIPv6Dead ? "127.0.0.1" : "::1") { _ in }
        defer { server.stop() }
        let hole = try Blackhole(address: isIPv6Dead ? "::1" : "127.0.0.1", port: server.port)
        defer { withExtendedLifetime(hole) {} }
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv((1, server.port, "a.example.test")),
            "a.example.test A": .records([.address("127.0.0.1")]),
            "a.example.test AAAA": .records([.address("::1")]),
        ])
        defer { names.stop() }
        #expect(try await connect(connector(names), testTarget()).host == "a.example.test")
        // The kernel takes the connection before the server's thread hears of it.
        while server.acceptedCount < 1 { await Task.yield() }
        #expect(server.acceptedCount == 1)
    }

    @Test("T003 a look-up of one family that is never answered does not hold up the other")
    func halfResolved() async throws {
        let server = try TestServer { _ in }
        defer { server.stop() }
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv((1, server.port, "a.example.test")),
            "_xmpps-client._tcp.example.test SRV": .silence,
            "a.example.test A": .records([.address("127.0.0.1")]),
            "a.example.test AAAA": .silence,
        ])
        defer { names.stop() }
        var connector = connector(names)
        connector.serviceDelay = .milliseconds(50)
        #expect(try await connect(connector, testTarget(), deadline: .seconds(20)).port == server.port)
    }

    @Test("B26 an empty or failed service look-up leads to the domain's addresses", arguments: [true, false])
    func fallBack(fails: Bool) async throws {
        // Loopback addresses that nobody else listens on.
        let address = fails ? "127.87.41.3" : "127.87.41.4"
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": fails ? .failure : .records([]),
            "_xmpps-client._tcp.example.test SRV": fails ? .failure : .records([]),
            "example.test A": .records([.address(address)]),
        ])
        defer { names.stop() }
        var connector = connector(names)
        connector.resolver.tries = 1
        let server = try TestServer(address: address, port: 5222) { _ in }
        defer { server.stop() }
        #expect(try await connect(connector, testTarget()) == Endpoint(host: "example.test", port: 5222))
    }

    @Test("T004 \".\" means not offered: nothing is dialled")
    func notOffered() async throws {
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv((0, 0, "")),
            "_xmpps-client._tcp.example.test SRV": srv((0, 0, "")),
            "example.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let error = await connectError(connector(names), testTarget())
        #expect(isCode(error) { if case .serviceNotOffered = $0 { true } else { false } })
        #expect(!names.questions.contains("example.test A"))
    }

    @Test("T004 an answer of thousands of targets ends after the capped number of attempts")
    func manyTargets() async throws {
        let refusing = try TestServer.refusingPort()
        let targets = (0..<1500).map {
            DNSTestServer.Record.service(priority: UInt16($0), weight: 0, port: refusing, target: "h\($0).test")
        }
        var zone: [String: DNSTestServer.Answer] = ["_xmpp-client._tcp.example.test SRV": .records(targets)]
        for index in 0..<1500 { zone["h\(index).test A"] = .records([.address("127.0.0.1")]) }
        let names = try DNSTestServer(zone)
        defer { names.stop() }
        let error = await connectError(connector(names), testTarget())
        #expect(isCode(error) { if case .refused = $0 { true } else { false } })
        #expect(names.questions.filter { $0.hasSuffix(" A") }.count == 16)
    }

    @Test("T004 a host with thousands of addresses is given up after the capped number")
    func manyAddresses() async throws {
        let refusing = try TestServer.refusingPort()
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv((0, refusing, "a.test"), (1, refusing, "b.test")),
            "a.test A": .records((0..<2000).map { .address("127.0.\($0 / 250).\($0 % 250 + 1)") }),
        ])
        defer { names.stop() }
        var connector = connector(names)
        // Nothing may begin beside it, however slow this machine is.
        connector.attemptDelay = .seconds(20)
        let error = await connectError(connector, testTarget())
        #expect(error?.description.contains("32 addresses refused") == true)
        #expect(!names.questions.contains("b.test A"))
    }

    @Test("T005 B33 one deadline covers look-ups, dialling and the TLS handshake", arguments: ["dns", "tcp", "tls"])
    func deadline(phase: String) async throws {
        let silent = try TestServer { _ = $0.readToEnd() }
        defer { silent.stop() }
        let hole = try Blackhole()
        let port = phase == "tcp" ? hole.port : silent.port
        let service = phase == "tls" ? "_xmpps-client" : "_xmpp-client"
        let names = try DNSTestServer([
            "\(service)._tcp.example.test SRV": phase == "dns" ? .silence : srv((0, port, "a.test")),
            "a.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let start = MonotonicTime.now()
        let error = await connectError(connector(names), testTarget(), deadline: .milliseconds(300))
        let elapsed = start.duration(to: .now())
        #expect(isCode(error) { if case .timedOut = $0 { true } else { false } })
        #expect(elapsed >= .milliseconds(300) && elapsed < .seconds(10))
        #expect(error?.description.contains("0.300 seconds") == true, "\(error?.description ?? "")")
    }

    @Test("cancelling ends the attempt at once", arguments: [true, false])
    func cancellation(early: Bool) async throws {
        let hole = try Blackhole()
        let target = testTarget("example.test", Endpoint(host: "127.0.0.1", port: hole.port))
        let task = Task {
            await connectError(TCPConnector(), target, deadline: .seconds(50))
        }
        if !early {
            // Let it get to dialling.
            for _ in 0..<3 { await EventLoop.shared.perform {} }
        }
        task.cancel()
        let error = await task.value
        #expect(isCode(error) { if case .cancelled = $0 { true } else { false } })
    }

    @Test("an IP-literal domain is dialled without a look-up", arguments: ["[::1]", "127.0.0.1"])
    func literal(domain: String) async throws {
        let names = try DNSTestServer([:])
        defer { names.stop() }
        let error = await connectError(connector(names), testTarget("127.99.3.4", security: .directTLS))
        #expect(error?.description.contains("127.99.3.4 cannot be reached: 1 address refused") == true)
        let address = domain == "[::1]" ? "::1" : domain
        let server = try TestServer(address: address) { _ in }
        defer { server.stop() }
        let override = Endpoint(host: address, port: server.port)
        #expect(try await connect(connector(names), testTarget(domain, override)) == override)
        #expect(names.questions.isEmpty)
    }

    @Test("T003 a target that failed comes last in the next attempt, and first again once it has worked")
    func avoided() async throws {
        let first = try TestServer { _ in }
        let second = try TestServer { _ in }
        defer {
            first.stop()
            second.stop()
        }
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": srv((1, first.port, "a.test"), (2, second.port, "a.test")),
            "a.test A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let connector = connector(names)
        #expect(try await connect(connector, testTarget()).port == first.port)
        // It took the connection and was of no use.
        connector.report(Endpoint(host: "a.test", port: first.port), worked: false)
        #expect(try await connect(connector, testTarget()).port == second.port)
        connector.report(Endpoint(host: "a.test", port: first.port), worked: true)
        #expect(try await connect(connector, testTarget()).port == first.port)
    }

    @Test("an unknown name and a failing name server are told apart")
    func names() async throws {
        let names = try DNSTestServer([
            "_xmpp-client._tcp.bad.test SRV": .failure, "bad.test A": .failure, "bad.test AAAA": .failure,
        ])
        defer { names.stop() }
        var connector = connector(names)
        connector.resolver.tries = 1
        let unknown = await connectError(connector, testTarget("typo.test"))
        #expect(isCode(unknown) { if case .nameNotFound = $0 { true } else { false } })
        #expect(unknown?.description.contains("no address found for typo.test. Check the spelling") == true)
        let failing = await connectError(connector, testTarget("bad.test"))
        #expect(isCode(failing) { if case .lookupFailed = $0 { true } else { false } })
    }
}
