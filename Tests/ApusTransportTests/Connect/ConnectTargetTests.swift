// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing

@Suite("ConnectTarget")
struct ConnectTargetTests {
    @Test("T001 B24 the identity is the domain's, whatever is dialled")
    func identity() {
        let target = ConnectTarget(
            domain: "example.org", override: Endpoint(host: "chat.example.net", port: 5223, usesDirectTLS: true))
        #expect(target.tls.identity == .domain("example.org"))
        #expect(target.tls.sendsServerName)
        #expect(target.tls.applicationProtocols.isEmpty)
        let direct = target.tlsConfiguration(for: Endpoint(host: "evil.net", port: 1, usesDirectTLS: true))
        #expect(direct.identity == .domain("example.org"))
        #expect(direct.applicationProtocols == ["xmpp-client"])
    }

    @Test("T001 a WebSocket's identity is the host of its URL, which the account or the domain gave")
    func webSocket() {
        let target = testTarget("example.org")
        let named = target.tlsConfiguration(for: Endpoint(host: "ws.example.net", webSocketPath: "/ws"))
        #expect(named.identity == .domain("ws.example.net"))
        #expect(named.sendsServerName)
        #expect(named.applicationProtocols == ["http/1.1"])
        #expect(named.trust == target.tls.trust)
        let address = target.tlsConfiguration(for: Endpoint(host: "192.0.2.1", webSocketPath: "/ws"))
        #expect(address.identity == .address("192.0.2.1"))
        #expect(!address.sendsServerName)
    }

    @Test("an IP literal is an address to prove and sends no server name", arguments: ["[::1]", "::1"])
    func literal(domain: String) {
        let target = ConnectTarget(domain: domain)
        #expect(target.tls.identity == .address("::1"))
        #expect(!target.tls.sendsServerName)
        #expect(ConnectTarget(domain: "127.0.0.1").tls.identity == .address("127.0.0.1"))
    }
}
