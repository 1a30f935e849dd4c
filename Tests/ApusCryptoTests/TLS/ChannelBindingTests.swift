// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Testing

@testable import ApusCrypto

@Suite struct ChannelBindingTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
    }

    private func connect(
        _ certificate: TestCertificate, _ settings: TestServer.Settings = .init(), pins: Set<[UInt8]> = []
    ) throws -> (TLSInformation, TestServer) {
        let trust = TLSTrust(
            usesSystemRoots: false, authorityFiles: [authority.authorityFile], pinnedCertificates: pins)
        let pair = try TLSPair(
            TLSConfiguration(identity: .domain("example.org"), trust: trust), TestServer(certificate, settings))
        try pair.exchange()
        return (try #require(pair.client.information), pair.server)
    }

    @Test func `on TLS 1_3 the exporter equals the server's and there is no unique value`() throws {
        let (information, server) = try connect(authority.issue(names: "DNS:example.org"))
        #expect(information.protocolVersion == "TLSv1.3")
        #expect(information.isTLS13)
        #expect(information.exporter?.count == 32)
        #expect(information.exporter == server.exportedKey(label: "EXPORTER-Channel-Binding", count: 32))
        #expect(information.unique == nil)
    }

    @Test func `on TLS 1_2 with extended master secret exporter and unique equal the server's`() throws {
        let (information, server) = try connect(
            authority.issue(names: "DNS:example.org"), .init(maximumVersion: TLS1_2_VERSION))
        #expect(information.protocolVersion == "TLSv1.2")
        #expect(!information.isTLS13)
        #expect(information.exporter == server.exportedKey(label: "EXPORTER-Channel-Binding", count: 32))
        #expect(information.unique?.count == 12)
        #expect(information.unique == server.clientFinished)
    }

    @Test func `on TLS 1_2 without extended master secret only the end point is left`() throws {
        let (information, _) = try connect(
            authority.issue(names: "DNS:example.org"),
            .init(maximumVersion: TLS1_2_VERSION, options: 1 /* SSL_OP_NO_EXTENDED_MASTER_SECRET */))
        #expect(information.exporter == nil)
        #expect(information.unique == nil)
        #expect(information.serverEndPoint?.count == 32)
    }

    @Test(arguments: [("sha256", HashAlgorithm.sha256), ("sha384", .sha384), ("sha512", .sha512)])
    func `the end point is the certificate's digest by its signature's hash`(
        name: String, algorithm: HashAlgorithm
    ) throws {
        let certificate = try authority.issue(names: "DNS:example.org", key: .rsa2048, hash: name)
        let (information, _) = try connect(certificate)
        let der = try authority.der(of: certificate)
        #expect(information.peerCertificate == der)
        #expect(information.serverEndPoint == digest(algorithm, der))
        #expect(information.subject == "server")
    }

    @Test func `a SHA-1 signature gives a SHA-256 end point`() throws {
        let certificate = try authority.selfSigned(extensions: "subjectAltName=DNS:example.org\n", hash: "sha1")
        let der = try authority.der(of: certificate)
        let (information, _) = try connect(certificate, pins: [digest(.sha256, der)])
        #expect(information.serverEndPoint == digest(.sha256, der))
    }

    @Test func `a signature without a hash function gives no end point`() throws {
        let certificate = try authority.selfSigned(extensions: "subjectAltName=DNS:example.org\n", key: .ed25519)
        let der = try authority.der(of: certificate)
        let (information, _) = try connect(certificate, pins: [digest(.sha256, der)])
        #expect(information.serverEndPoint == nil)
        #expect(information.exporter != nil)
    }
}
