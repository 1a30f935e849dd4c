// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing
import TransportTesting

@Suite("TCPConnector through a proxy", .timeLimit(.minutes(1)))
struct TCPConnectorProxyTests {
    private func target(
        _ proxy: TestProxy, _ kind: Proxy.Kind, user: String? = nil, password: String? = nil,
        _ override: Endpoint? = nil
    ) -> ConnectTarget {
        var target = testTarget("example.test", override)
        target.proxy = Proxy(kind, host: "127.0.0.1", port: proxy.port, user: user, password: password)
        return target
    }

    @Test(
        "TLS goes through it, under the domain's name; the host is the proxy's to find",
        arguments: [Proxy.Kind.socks5, .http])
    func directTLS(kind: Proxy.Kind) async throws {
        let context = TestTLSContext("DNS:example.test", applicationProtocol: "xmpp-client")
        let server = try TestServer { peer in
            guard peer.acceptTLS(context) else { return }
            peer.write("hello")
            _ = peer.readToEnd()
        }
        let proxy = try TestProxy(
            kind, user: "ann", password: "hunter2", routes: ["chat.nowhere.test:5223": server.port])
        defer {
            server.stop()
            proxy.stop()
        }
        let names = try DNSTestServer([:])
        defer { names.stop() }
        let endpoint = Endpoint(host: "chat.nowhere.test", port: 5223, usesDirectTLS: true)
        let channel = try await TCPConnector(resolver: names.configuration).connect(
            to: target(proxy, kind, user: "ann", password: "hunter2", endpoint), loop: .shared, deadline: .seconds(20))
        let recorder = Recorder()
        await EventLoop.shared.perform { channel.delegate = recorder }
        #expect(await recorder.wait { $0.text == "hello" || $0.isClosed }.text == "hello")
        await EventLoop.shared.perform { channel.close() }
        #expect(proxy.targets == ["chat.nowhere.test:5223"])
        #expect(names.questions.isEmpty)
    }

    @Test("SOCKS5 leaves the name servers of this machine alone: the standard ports are tried")
    func withoutNameServers() async throws {
        let server = try TestServer { _ = $0.readToEnd() }
        let proxy = try TestProxy(.socks5, routes: ["example.test:5222": server.port])
        defer {
            server.stop()
            proxy.stop()
        }
        let names = try DNSTestServer([:])
        defer { names.stop() }
        let connector = TCPConnector(resolver: names.configuration)
        let channel = try await connector.connect(to: target(proxy, .socks5), loop: .shared, deadline: .seconds(20))
        #expect(channel.endpoint == Endpoint(host: "example.test", port: 5222))
        await EventLoop.shared.perform { channel.abort() }
        #expect(names.questions.isEmpty)
        // With nothing there, both were tried.
        let empty = try TestProxy(.socks5, routes: [:])
        defer { empty.stop() }
        let error = await connectError(TCPConnector(resolver: names.configuration), target(empty, .socks5))
        guard case .proxy(.unreachable)? = error?.code else {
            Issue.record("\(error?.description ?? "it connected")")
            return
        }
        #expect(Set(empty.targets) == ["example.test:5222", "example.test:5223"])
    }

    @Test("beside an HTTP proxy the services are looked up, their hosts are not")
    func withNameServers() async throws {
        let server = try TestServer { _ = $0.readToEnd() }
        let proxy = try TestProxy(.http, routes: ["chat.example.test:5999": server.port])
        defer {
            server.stop()
            proxy.stop()
        }
        let names = try DNSTestServer([
            "_xmpp-client._tcp.example.test SRV": .records([
                .service(priority: 1, weight: 0, port: 5999, target: "chat.example.test")
            ])
        ])
        defer { names.stop() }
        let channel = try await TCPConnector(resolver: names.configuration).connect(
            to: target(proxy, .http), loop: .shared, deadline: .seconds(20))
        await EventLoop.shared.perform { channel.abort() }
        #expect(proxy.targets == ["chat.example.test:5999"])
        #expect(Set(names.questions.map { $0.hasSuffix("SRV") }) == [true])
    }

    @Test("a wrong password is a definite error that does not show it", arguments: [Proxy.Kind.socks5, .http])
    func wrongPassword(kind: Proxy.Kind) async throws {
        let proxy = try TestProxy(kind, user: "ann", password: "right", routes: [:])
        defer { proxy.stop() }
        let endpoint = Endpoint(host: "a.test", port: 5222)
        let error = await connectError(
            TCPConnector(), target(proxy, kind, user: "ann", password: "hunter2", endpoint))
        guard case .proxy(.credentials)? = error?.code else {
            Issue.record("\(error?.description ?? "it connected")")
            return
        }
        #expect(error?.isRetryable == false)
        #expect(error?.description.contains("127.0.0.1:\(proxy.port) does not accept the user and password") == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test("T005 a proxy that stays silent, hangs up, or speaks out of turn is a failure in time")
    func badProxies() async throws {
        let scripts: [@Sendable (TestPeer) -> Void] = [
            { _ = $0.readToEnd() }, { _ in }, { $0.write([5, 0, 1, 2, 3]) }, { $0.write("HTTP/1.1 200 OK\r\n\r\n") },
            {
                $0.write([5]); _ = $0.readToEnd()
            },
        ]
        for script in scripts {
            let server = try TestServer(script)
            defer { server.stop() }
            var target = testTarget("example.test", Endpoint(host: "a.test", port: 5222))
            target.proxy = Proxy(.socks5, host: "127.0.0.1", port: server.port)
            let error = await connectError(TCPConnector(), target, deadline: .milliseconds(500))
            switch error?.code {
            case .timedOut?, .proxy?, .reset?: break
            default: Issue.record("\(error?.description ?? "it connected")")
            }
        }
    }
}
