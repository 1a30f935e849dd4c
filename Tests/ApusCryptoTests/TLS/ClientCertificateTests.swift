// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import ApusCrypto
import Testing

@Suite("A certificate of our own") struct ClientCertificateTests {
    private let fixture: TLSFixture
    private let own: TestCertificate

    init() throws {
        fixture = try TLSFixture()
        own = try fixture.authority.issue("ana", names: "otherName:1.3.6.1.5.5.7.8.5;UTF8:ana@example.org")
    }

    private func pair(
        _ certificate: TLSClientCertificate?, trusted: Bool = true, _ settings: TestServer.Settings = .init()
    ) throws -> TLSPair {
        let trust = TLSTrust(usesSystemRoots: false, authorityFiles: trusted ? [fixture.authority.authorityFile] : [])
        let server = try TestServer(fixture.certificate, settings)
        // The verdict of the server is not what this is about: it takes whatever comes.
        SSL_set_verify(server.ssl, SSL_VERIFY_PEER) { _, _ in 1 }
        return try TLSPair(
            TLSConfiguration(identity: .domain("example.org"), trust: trust, clientCertificate: certificate), server)
    }

    private func shown(to pair: TLSPair) -> Bool {
        guard let certificate = SSL_get1_peer_certificate(pair.server.ssl) else { return false }
        X509_free(certificate)
        return true
    }

    @Test("a server that asks is shown it, and the key is proved", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func shown(version: Int32) throws {
        let files = TLSClientCertificate(certificateFile: own.certificateFile, keyFile: own.keyFile)
        let pair = try pair(files, TestServer.Settings(maximumVersion: version))
        try pair.exchange()
        #expect(pair.server.hasFinishedHandshake)
        #expect(shown(to: pair))
        let without = try self.pair(nil, TestServer.Settings(maximumVersion: version))
        try without.exchange()
        #expect(!shown(to: without))
    }

    @Test("a server that was not verified sees nothing of it")
    func unverified() throws {
        let files = TLSClientCertificate(certificateFile: own.certificateFile, keyFile: own.keyFile)
        let pair = try pair(files, trusted: false)
        #expect(tlsError { try pair.exchange() }?.code == .unknownAuthority)
        #expect(!shown(to: pair))
    }

    @Test("files that are missing, no PEM, or do not belong together are named")
    func unusable() throws {
        let files = [
            (TLSClientCertificate(certificateFile: "/nowhere.pem", keyFile: own.keyFile), "/nowhere.pem"),
            (TLSClientCertificate(certificateFile: own.keyFile, keyFile: own.keyFile), own.keyFile),
            (TLSClientCertificate(certificateFile: own.certificateFile, keyFile: "/nowhere.key"), "/nowhere.key"),
            (
                TLSClientCertificate(
                    certificateFile: own.certificateFile, keyFile: fixture.certificate.keyFile),
                fixture.certificate.keyFile
            ),
        ]
        for (certificate, named) in files {
            let error = try #require(tlsError { _ = try pair(certificate) })
            #expect(error.code == .unreadableClientCertificate(named))
            #expect(error.description.contains(named))
            #expect(!error.isRetryable)
        }
    }

    @Test("a key behind a pass phrase is an error, never a question on the terminal")
    func passPhrase() throws {
        let locked = "\(fixture.authority.directory)/locked.key"
        try fixture.authority.encryptKey(of: own, to: locked)
        let certificate = TLSClientCertificate(certificateFile: own.certificateFile, keyFile: locked)
        #expect(tlsError { _ = try pair(certificate) }?.code == .unreadableClientCertificate(locked))
    }
}
