// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Glibc
import Testing
import TransportTesting

@Suite("Resolver", .timeLimit(.minutes(1)))
struct ResolverTests {
    private let loop = EventLoop.shared

    private func services(
        _ configuration: ResolverConfiguration, _ domain: String, _ service: String = "xmpp-client"
    ) async -> ServiceAnswer {
        await withCheckedContinuation { continuation in
            loop.execute { [loop] in
                guard let resolver = Resolver(loop: loop, configuration: configuration, searches: false) else {
                    return continuation.resume(returning: .failed("no resolver"))
                }
                resolver.services(service, of: domain, directTLS: service == "xmpps-client") { answer in
                    resolver.close()
                    continuation.resume(returning: answer)
                }
            }
        }
    }

    private func addresses(
        _ configuration: ResolverConfiguration, _ host: String, isIPv6: Bool
    ) async -> AddressAnswer {
        await withCheckedContinuation { continuation in
            loop.execute { [loop] in
                guard let resolver = Resolver(loop: loop, configuration: configuration, searches: false) else {
                    return continuation.resume(returning: .failed("no resolver"))
                }
                resolver.addresses(of: host, isIPv6: isIPv6) { answer in
                    resolver.close()
                    continuation.resume(returning: answer)
                }
            }
        }
    }

    @Test("reads services and addresses from a name server")
    func answers() async throws {
        let server = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": .records([
                .service(priority: 5, weight: 7, port: 5269, target: "Chat.Example.test")
            ]),
            "chat.example.test A": .records([.address("192.0.2.1"), .address("192.0.2.1"), .address("192.0.2.2")]),
            "chat.example.test AAAA": .records([.address("2001:db8::1")]),
        ])
        defer { server.stop() }
        let endpoint = Endpoint(host: "chat.example.test", port: 5269)
        #expect(
            await services(server.configuration, "example.test")
                == .records([ServiceRecord(priority: 5, weight: 7, endpoint: endpoint)]))
        guard case .addresses(let found) = await addresses(server.configuration, "chat.example.test", isIPv6: false)
        else { throw TransportError(.nameNotFound, "no IPv4 address") }
        #expect(Set(found.map(\.description)) == ["192.0.2.1", "192.0.2.2"])
        #expect(found.count == 2)
        #expect(
            await addresses(server.configuration, "chat.example.test", isIPv6: true)
                == .addresses([IPAddress("2001:db8::1")].compactMap(\.self)))
    }

    @Test("T004 a \".\" target, no data, an unknown name and failures are told apart")
    func misses() async throws {
        let server = try DNSTestServer([
            "_xmpp-client._tcp.dot.test SRV": .records([.service(priority: 0, weight: 0, port: 0, target: "")]),
            "_xmpp-client._tcp.empty.test SRV": .records([]),
            "_xmpp-client._tcp.port0.test SRV": .records([.service(priority: 0, weight: 0, port: 0, target: "a")]),
            "_xmpp-client._tcp.bad.test SRV": .failure,
            "_xmpp-client._tcp.junk.test SRV": .garbage,
            "_xmpp-client._tcp.quiet.test SRV": .silence,
        ])
        defer { server.stop() }
        var configuration = server.configuration
        configuration.timeout = .milliseconds(500)
        configuration.tries = 1
        #expect(await services(configuration, "dot.test") == .notOffered)
        #expect(await services(configuration, "empty.test") == ServiceAnswer.none)
        #expect(await services(configuration, "port0.test") == ServiceAnswer.none)
        #expect(await services(configuration, "missing.test") == ServiceAnswer.none)
        #expect(await services(configuration, String(repeating: "a", count: 64) + ".test") == ServiceAnswer.none)
        for domain in ["bad.test", "junk.test", "quiet.test"] {
            guard case .failed = await services(configuration, domain) else {
                Issue.record("\(domain) did not fail")
                continue
            }
        }
    }

    @Test("T004 an answer as large as DNS allows comes over TCP and is read whole")
    func largeAnswer() async throws {
        let records = (0..<2000).map {
            DNSTestServer.Record.service(priority: UInt16($0), weight: 0, port: 5222, target: "h\($0).test")
        }
        let server = try DNSTestServer(["_xmpps-client._tcp.big.test SRV": .records(records)])
        defer { server.stop() }
        let answer = await services(server.configuration, "big.test", "xmpps-client")
        #expect(answer.records.count == 2000)
        #expect(answer.records.allSatisfy { $0.endpoint.usesDirectTLS })
    }

    @Test("a resolver that is closed answers nothing more")
    func closed() async throws {
        let server = try DNSTestServer(["_xmpp-client._tcp.quiet.test SRV": .silence])
        defer { server.stop() }
        let configuration = server.configuration
        let called = Locked(false)
        await loop.perform { [loop] in
            let resolver = Resolver(loop: loop, configuration: configuration, searches: false)
            resolver?.services("xmpp-client", of: "quiet.test", directTLS: false) { _ in called.withLock { $0 = true } }
            resolver?.close()
        }
        await loop.perform {}
        #expect(!called.withLock { $0 })
    }

    @Test("localhost needs no name server")
    func hostsFile() async {
        let answer = await addresses(ResolverConfiguration(), "localhost", isIPv6: false)
        #expect(answer == .addresses([IPAddress("127.0.0.1")].compactMap(\.self)))
    }

    @Test(
        "agrees with dnsmasq, too",
        .enabled(if: access(dnsmasqPath, X_OK) == 0, "dnsmasq is not installed"))
    func dnsmasq() async throws {
        let port = try TestServer.freePort()
        let arguments = [
            "--no-daemon", "--port=\(port)", "--listen-address=127.0.0.1", "--bind-interfaces", "--no-resolv",
            "--no-hosts", "--conf-file=/dev/null", "--pid-file=", "--user=root", "--local=/test/",
            "--srv-host=_xmpp-client._tcp.a.test,host.a.test,5222,10,5",
            "--srv-host=_xmpp-client._tcp.a.test,second.a.test,5223,20,5",
            "--address=/host.a.test/127.0.0.9",
        ]
        let process = try #require(ChildProgram(dnsmasqPath, arguments))
        defer { process.stop() }
        var configuration = ResolverConfiguration(servers: "127.0.0.1:\(port)", timeout: .milliseconds(100), tries: 1)
        // Until it listens, a question is answered by "refused" at once.
        for _ in 0..<2000 {
            if case .addresses = await addresses(configuration, "host.a.test", isIPv6: false) { break }
        }
        configuration.tries = 4
        let answer = await services(configuration, "a.test")
        #expect(
            answer.records.sorted { $0.priority < $1.priority } == [
                ServiceRecord(priority: 10, weight: 5, endpoint: Endpoint(host: "host.a.test", port: 5222)),
                ServiceRecord(priority: 20, weight: 5, endpoint: Endpoint(host: "second.a.test", port: 5223)),
            ])
        #expect(await services(configuration, "b.test") == ServiceAnswer.none)
        #expect(await addresses(configuration, "host.a.test", isIPv6: true) == AddressAnswer.none)
    }
}

private let dnsmasqPath = "/usr/sbin/dnsmasq"
