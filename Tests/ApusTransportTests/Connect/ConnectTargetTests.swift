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
        #expect(target.directTLSConfiguration.identity == .domain("example.org"))
        #expect(target.directTLSConfiguration.applicationProtocols == ["xmpp-client"])
    }

    @Test("an IP literal is an address to prove and sends no server name", arguments: ["[::1]", "::1"])
    func literal(domain: String) {
        let target = ConnectTarget(domain: domain)
        #expect(target.tls.identity == .address("::1"))
        #expect(!target.tls.sendsServerName)
        #expect(ConnectTarget(domain: "127.0.0.1").tls.identity == .address("127.0.0.1"))
    }
}
