// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing
import TransportTesting

@Suite("TCPConnector with direct TLS", .timeLimit(.minutes(1)))
struct TCPConnectorTLSTests {
    private func names(_ direct: UInt16, _ plain: UInt16?) throws -> DNSTestServer {
        var zone: [String: DNSTestServer.Answer] = [
            "_xmpps-client._tcp.example.test SRV": .records([
                .service(priority: 1, weight: 0, port: direct, target: "chat.evil.test")
            ]),
            "chat.evil.test A": .records([.address("127.0.0.1")]),
            "chat.example.test A": .records([.address("127.0.0.1")]),
        ]
        if let plain {
            zone["_xmpp-client._tcp.example.test SRV"] = .records([
                .service(priority: 2, weight: 0, port: plain, target: "chat.example.test")
            ])
        }
        return try DNSTestServer(zone)
    }

    private func secureServer(
        _ context: TestTLSContext, _ seen: AsyncStream<String?>.Continuation? = nil
    ) throws -> TestServer {
        try TestServer { peer in
            guard peer.acceptTLS(context) else { return }
            seen?.yield(peer.serverName)
            _ = peer.readToEnd()
        }
    }

    private func tlsCode(_ error: TransportError?) -> TLSError.Code? {
        guard case .tls(let failure) = error?.code else { return nil }
        return failure.code
    }

    @Test("B24 a certificate for the domain is accepted behind any target, and the server name is the domain")
    func domainCertificate() async throws {
        // The server's side of the handshake may end after ours: the name is waited for.
        let (serverNames, seen) = AsyncStream.makeStream(of: String?.self)
        let server = try secureServer(
            TestTLSContext("DNS:example.test", applicationProtocol: "xmpp-client"), seen)
        defer { server.stop() }
        let names = try names(server.port, nil)
        defer { names.stop() }
        let channel = try await TCPConnector(resolver: names.configuration)
            .connect(to: testTarget(), loop: .shared, deadline: .seconds(20))
        let information = await EventLoop.shared.perform { channel.tlsInformation }
        #expect(information?.applicationProtocol == "xmpp-client")
        await EventLoop.shared.perform { channel.close() }
        var seenNames = serverNames.makeAsyncIterator()
        #expect(await seenNames.next() == "example.test")
    }

    @Test("T001 B24 a certificate for the target that SRV names is refused")
    func targetCertificate() async throws {
        let server = try secureServer(TestTLSContext("DNS:chat.evil.test"))
        defer { server.stop() }
        let names = try names(server.port, nil)
        defer { names.stop() }
        let error = await connectError(TCPConnector(resolver: names.configuration), testTarget())
        #expect(tlsCode(error) == .nameMismatch(presented: ["chat.evil.test"]))
    }

    @Test("a refused certificate does not stop the next target, but is what is reported when nothing works")
    func certificateFailure() async throws {
        let direct = try secureServer(TestTLSContext("DNS:example.test", selfSigned: true))
        let plain = try TestServer { _ in }
        defer {
            direct.stop()
            plain.stop()
        }
        let both = try names(direct.port, plain.port)
        defer { both.stop() }
        let channel = try await TCPConnector(resolver: both.configuration)
            .connect(to: testTarget(), loop: .shared, deadline: .seconds(20))
        #expect(channel.endpoint == Endpoint(host: "chat.example.test", port: plain.port))
        await EventLoop.shared.perform { channel.abort() }

        let onlyRefusing = try names(direct.port, TestServer.refusingPort())
        defer { onlyRefusing.stop() }
        let error = await connectError(TCPConnector(resolver: onlyRefusing.configuration), testTarget())
        #expect(error?.isCertificateFailure == true, "\(error?.description ?? "no error")")
        #expect(error?.isRetryable == true)
    }

    @Test("T013 a port that speaks something else fails and the next target is taken")
    func otherProtocol() async throws {
        let web = try TestServer { peer in
            _ = peer.readSome()
            peer.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let plain = try TestServer { _ in }
        defer {
            web.stop()
            plain.stop()
        }
        let both = try names(web.port, plain.port)
        defer { both.stop() }
        let channel = try await TCPConnector(resolver: both.configuration)
            .connect(to: testTarget(), loop: .shared, deadline: .seconds(20))
        #expect(channel.endpoint.port == plain.port)
        await EventLoop.shared.perform { channel.abort() }

        let only = try names(web.port, nil)
        defer { only.stop() }
        let error = await connectError(TCPConnector(resolver: only.configuration), testTarget())
        #expect(tlsCode(error) == .notTLS)
    }

    @Test("T013 a foreign application protocol ends it, none at all is allowed", arguments: ["http/1.1", nil])
    func applicationProtocol(answer: String?) async throws {
        let server = try secureServer(TestTLSContext("DNS:example.test", applicationProtocol: answer))
        defer { server.stop() }
        let names = try names(server.port, nil)
        defer { names.stop() }
        let error = await connectError(TCPConnector(resolver: names.configuration), testTarget())
        #expect(answer == nil ? error == nil : error != nil)
        if answer != nil { #expect(tlsCode(error) != nil) }
    }

    @Test("an IP-literal domain needs the address in the certificate", arguments: ["127.0.0.1", "[::1]"])
    func literal(domain: String) async throws {
        let address = domain == "[::1]" ? "::1" : domain
        let context = TestTLSContext("IP:\(address)")
        let (serverNames, seen) = AsyncStream.makeStream(of: String?.self)
        let server = try TestServer(address: address) { peer in
            guard peer.acceptTLS(context) else { return }
            seen.yield(peer.serverName)
            _ = peer.readToEnd()
        }
        defer { server.stop() }
        let channel = try await TCPConnector().connect(
            to: testTarget(domain, server.directEndpoint), loop: .shared, deadline: .seconds(20))
        await EventLoop.shared.perform { channel.abort() }
        var seenNames = serverNames.makeAsyncIterator()
        #expect(await seenNames.next() == .some(nil))
        let error = await connectError(TCPConnector(), testTarget("example.test", server.directEndpoint))
        #expect(error?.isCertificateFailure == true)
    }
}
