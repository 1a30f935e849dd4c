// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Testing

@testable import ApusCrypto

@Suite struct TLSOfferTests {
    private let fixture: TLSFixture

    private let output = TLSBuffer()

    init() throws {
        fixture = try TLSFixture()
    }

    private func take() -> [UInt8] {
        let bytes = Array(output.bytes)
        output.removeAll()
        return bytes
    }

    @Test("T027 TLS 1.1 is refused, asked for and answered")
    func oldVersions() throws {
        let refused = try fixture.pair(.init(minimumVersion: TLS1_VERSION, maximumVersion: TLS1_1_VERSION))
        let first = tlsError { try refused.exchange() }
        #expect(first?.code == .protocolVersion)
        #expect(first?.description == "example.org offers no TLS version from 1.2 on")

        for minor: UInt8 in [0, 1, 2] {
            let answered = try fixture.pair()
            try answered.client.start(output: output)
            let hello: [UInt8] = [2, 0, 0, 38, 3, minor] + randomBytes(32) + [0, 0xC0, 0x13, 0]
            let second = tlsError { try answered.deliver([22, 3, minor, 0, UInt8(hello.count)] + hello) }
            #expect(second?.code == .protocolVersion, "3.\(minor)")
        }
    }

    @Test("T027 T028 T030 no compression, early data or resumption is offered; TLS 1.2 suites are forward secret AEAD")
    func offer() throws {
        for _ in 0..<2 {
            let pair = try fixture.pair()
            try pair.client.start(output: output)
            let hello = try #require(ClientHello(record: take()))
            #expect(hello.compressionMethods == [0])
            #expect(hello.extensions[41] == nil, "pre-shared key")
            #expect(hello.extensions[42] == nil, "early data")
            #expect(hello.extensions[35] == nil, "session ticket")
            #expect(hello.extensions[23] != nil, "extended master secret")
            let allowed: Set<UInt16> = [
                0x1301, 0x1302, 0x1303, 0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0x00FF,
            ]
            #expect(Set(hello.cipherSuites).isSubset(of: allowed))
            // A full connection with tickets in between must not change the next offer.
            let other = try fixture.pair()
            try other.exchange()
        }
    }

    @Test func `a server with only suites that are not forward secret or not AEAD is refused`() throws {
        for suites in ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA256"] {
            let pair = try fixture.pair(.init(maximumVersion: TLS1_2_VERSION, ciphersTLS12: suites))
            #expect(tlsError { try pair.exchange() }?.code == .alert("handshake failure"))
        }
    }

    @Test func `the server name is the domain, and is left out for addresses and on request`() throws {
        let named = try fixture.pair()
        try named.exchange()
        #expect(named.server.serverName == "example.org")
        let silent = try fixture.pair(sendsServerName: false)
        try silent.exchange()
        #expect(silent.server.serverName == nil)
        for identity in [TLSIdentity.address("127.0.0.1"), .address("::1"), .domain("127.0.0.1")] {
            let client = try TLSSession(TLSConfiguration(identity: identity))
            try client.start(output: output)
            let hello = try #require(ClientHello(record: take()))
            #expect(hello.extensions[0] == nil)
        }
    }

    @Test("T013 the offered protocol may be answered or not; another one ends the handshake")
    func applicationProtocol() throws {
        let offered = try fixture.pair(.init(answeredProtocol: "xmpp-client"), protocols: ["xmpp-client"])
        try offered.exchange()
        #expect(offered.client.information?.applicationProtocol == "xmpp-client")

        let silent = try fixture.pair(protocols: ["xmpp-client"])
        try silent.exchange()
        #expect(silent.client.state == .established)
        #expect(silent.client.information?.applicationProtocol == nil)

        for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
            let foreign = try fixture.pair(
                .init(maximumVersion: version, answeredProtocol: "http/1.1"), protocols: ["xmpp-client"])
            let error = tlsError { try foreign.exchange() }
            #expect(error?.code == .applicationProtocol)
            #expect(
                error?.description == "example.org answers with the application protocol \"http/1.1\", not XMPP")
            #expect(foreign.client.state == .failed)
        }
    }
}
