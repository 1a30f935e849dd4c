// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Foundation
import Testing

@Suite("Pins of public keys") struct KeyPinTests {
    private let authority: TestAuthority
    private let certificate: TestCertificate

    init() throws {
        authority = try TestAuthority()
        certificate = try authority.issue(names: "DNS:example.org")
    }

    private func key(_ certificate: TestCertificate) throws -> [UInt8] {
        try #require(CertificateSummary(der: try authority.der(of: certificate))).keyFingerprint
    }

    private func error(
        _ certificate: TestCertificate, keys: Set<[UInt8]>, trusting: [String]? = nil
    ) throws -> TLSError? {
        let trust = TLSTrust(
            usesSystemRoots: false, authorityFiles: trusting ?? [authority.authorityFile], pinnedKeys: keys)
        let pair = try TLSPair(
            TLSConfiguration(identity: .domain("example.org"), trust: trust), TestServer(certificate))
        return tlsError { try pair.exchange() }
    }

    @Test("T021 a valid certificate needs one of the pinned keys, its own or its authority's")
    func needed() throws {
        #expect(try error(certificate, keys: [key(certificate)]) == nil)
        #expect(try error(certificate, keys: [key(authority.own)]) == nil)
        let refusal = try #require(try error(certificate, keys: [[UInt8](repeating: 0, count: 32)]))
        #expect(refusal.code == .keyNotPinned)
        #expect(refusal.description.contains(hexadecimal(try key(certificate))))
    }

    @Test("the digest is the one that other tools make of a key")
    func digestOfKey() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            "openssl x509 -in \(certificate.certificateFile) -noout -pubkey | openssl pkey -pubin -outform DER"
                + " | openssl dgst -sha256 -r",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.hasPrefix(hexadecimal(try key(certificate))))
    }

    @Test("a key kept for later lets the next certificate in, and nothing is learnt from the first")
    func rotation() throws {
        let next = try authority.issue(names: "DNS:example.org")
        let pins = [try key(certificate), try key(next)] as Set
        #expect(try error(certificate, keys: pins) == nil)
        #expect(try error(next, keys: pins) == nil)
        let third = try authority.issue(names: "DNS:example.org")
        #expect(try error(third, keys: pins)?.code == .keyNotPinned)
    }

    @Test("T021 T026 a pinned key makes nothing valid that is not")
    func noExcuse() throws {
        let key = try key(certificate)
        #expect(try error(certificate, keys: [key], trusting: [])?.code == .unknownAuthority)
        let other = try authority.issue(names: "DNS:example.net")
        #expect(try error(other, keys: [self.key(other)])?.code == .nameMismatch(presented: ["example.net"]))
    }

    @Test("accounts that share authorities keep their own keys")
    func perAccount() throws {
        #expect(try error(certificate, keys: [key(certificate)]) == nil)
        #expect(try error(certificate, keys: [[9]])?.code == .keyNotPinned)
        #expect(try error(certificate, keys: []) == nil)
    }
}
