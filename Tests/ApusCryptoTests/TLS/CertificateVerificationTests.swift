// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import ApusCrypto

@Suite struct CertificateVerificationTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
    }

    private func error(of certificate: TestCertificate, pins: Set<[UInt8]> = []) throws -> TLSError? {
        try handshakeError(of: certificate, trusting: [authority.authorityFile], pins: pins)
    }

    private func day(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day())
    }

    @Test func `a certificate of a trusted authority for the domain is accepted`() throws {
        #expect(try error(of: authority.issue(names: "DNS:example.org")) == nil)
        #expect(try error(of: authority.authority("Middle").issue(names: "DNS:example.org")) == nil)
    }

    @Test("T021 a valid chain with the wrong name says which names there are")
    func wrongName() throws {
        let certificate = try authority.issue("example.org", names: "DNS:chat.example.net")
        let error = try #require(try error(of: certificate))
        #expect(error.code == .nameMismatch(presented: ["chat.example.net"]))
        #expect(error.description == "certificate of example.org names only chat.example.net")
        let der = try authority.der(of: certificate)
        #expect(error.peerCertificate == der)
        #expect(error.peerFingerprint == digest(.sha256, der))
    }

    @Test("T021 an expired certificate says since when")
    func expired() throws {
        let end = Date.now - 2 * 86400 - 60
        let certificate = try authority.issue(names: "DNS:example.org", from: end - 86400, to: end)
        let error = try #require(try error(of: certificate))
        #expect(error.code == .expired)
        #expect(error.description == "certificate of example.org expired 2 days ago (on \(day(end)))")
        #expect(error.peerCertificate == (try authority.der(of: certificate)))
    }

    @Test("T021 a certificate of the future says from when")
    func notYetValid() throws {
        let start = Date.now + 3 * 86400 + 60
        let certificate = try authority.issue(names: "DNS:example.org", from: start, to: start + 86400)
        let error = try #require(try error(of: certificate))
        #expect(error.code == .notYetValid)
        #expect(error.description == "certificate of example.org is not valid before \(day(start)) (in 3 days)")
    }

    @Test("T021 a self-signed certificate is called so")
    func selfSigned() throws {
        let certificate = try authority.selfSigned(extensions: "subjectAltName=DNS:example.org\n")
        let error = try #require(try error(of: certificate))
        #expect(error.code == .selfSigned)
        #expect(error.description == "certificate of example.org is self-signed")
    }

    @Test("T021 an unknown authority is named")
    func unknownAuthority() throws {
        let other = try TestAuthority(name: "Other Root")
        let error = try #require(try error(of: other.issue(names: "DNS:example.org")))
        #expect(error.code == .unknownAuthority)
        #expect(error.description == "certificate of example.org was issued by unknown authority \"Other Root\"")
        // The same with the root sent along, which proves nothing.
        var certificate = try other.authority("Middle").issue(names: "DNS:example.org")
        certificate.chainFiles.append(other.authorityFile)
        let chained = try #require(try self.error(of: certificate))
        #expect(chained.code == .unknownAuthority)
        #expect(chained.description.hasSuffix("unknown authority \"Other Root\""))
    }

    @Test("T021 a root of the same name as a trusted one is unknown")
    func namesake() throws {
        let namesake = try TestAuthority(name: "Test Root")
        let error = try error(of: namesake.issue(names: "DNS:example.org"))
        #expect(error != nil)
    }

    @Test("T021 an expired authority in between is told from an expired certificate")
    func expiredAuthority() throws {
        let middle = try authority.authority("Old Middle", to: .now - 5 * 86400 - 60)
        let error = try #require(try error(of: middle.issue(names: "DNS:example.org")))
        #expect(error.code == .expired)
        #expect(
            error.description.hasPrefix(
                "certificate of example.org was issued by \"Old Middle\", whose own certificate expired 5 days ago"))
    }

    @Test(
        "T026 a certificate of an unfit issuer is refused",
        arguments: [
            ("not an authority", "basicConstraints=critical,CA:FALSE\n"),
            ("no basic constraints", "keyUsage=digitalSignature\n"),
            ("may not sign certificates", "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,digitalSignature\n"),
            (
                "other names only",
                TestAuthority.authorityUsage + "nameConstraints=critical,permitted;DNS:example.net\n"
            ),
            (
                "this name excluded",
                TestAuthority.authorityUsage + "nameConstraints=critical,excluded;DNS:example.org\n"
            ),
            ("for clients only", TestAuthority.authorityUsage + "extendedKeyUsage=clientAuth\n"),
        ])
    func unfitIssuer(name: String, usage: String) throws {
        let middle = try authority.authority("Middle", usage: usage)
        let error = try #require(try error(of: middle.issue(names: "DNS:example.org")))
        #expect(error.code == .unsuitableCertificate, "\(error)")
        #expect(error.description.contains("cannot be used"))
    }

    @Test("T026 a chain that is longer than its issuer allows is refused")
    func pathLength() throws {
        let short = "basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign\n"
        let middle = try authority.authority("Middle", usage: short)
        #expect(try error(of: middle.issue(names: "DNS:example.org")) == nil)
        let lower = try middle.authority("Lower").issue(names: "DNS:example.org")
        #expect(try error(of: lower)?.code == .unsuitableCertificate)
    }

    @Test(
        "T026 a certificate for another purpose is refused",
        arguments: ["clientAuth", "codeSigning", "emailProtection", "1.3.6.1.4.1.99999.1"])
    func wrongPurpose(usage: String) throws {
        let certificate = try authority.issue(
            names: "DNS:example.org", usage: "basicConstraints=CA:FALSE\nextendedKeyUsage=\(usage)\n")
        let error = try #require(try error(of: certificate))
        #expect(error.code == .unsuitableCertificate)
    }

    @Test("T026 an unknown critical extension is refused")
    func criticalExtension() throws {
        let certificate = try authority.issue(
            names: "DNS:example.org", usage: TestAuthority.serverUsage + "1.2.3.4.5=critical,DER:0500\n")
        #expect(try error(of: certificate)?.code == .unsuitableCertificate)
    }

    @Test func `weak keys and signatures are refused`() throws {
        let short = try authority.issue(names: "DNS:example.org", key: .rsa1024)
        #expect(try error(of: short)?.code == .unsuitableCertificate)
        let old = try authority.issue(names: "DNS:example.org", hash: "sha1")
        #expect(try error(of: old)?.code == .unsuitableCertificate)
    }

    @Test("T021 a pin accepts exactly one certificate, whatever else is wrong with it")
    func pins() throws {
        let other = try TestAuthority(name: "Other Root")
        let end = Date.now - 86400
        let pinned = try other.issue(names: "DNS:elsewhere.example", from: end - 86400, to: end)
        let pin = digest(.sha256, try other.der(of: pinned))
        #expect(try error(of: pinned, pins: [pin]) == nil)

        let valid = try authority.issue(names: "DNS:example.org")
        let refused = try #require(try error(of: valid, pins: [pin]))
        #expect(refused.code == .notPinned)
        #expect(refused.peerCertificate == (try authority.der(of: valid)))
        #expect(refused.description.contains(hexadecimal(digest(.sha256, try authority.der(of: valid)))))
    }

    @Test func `a pinned certificate without its key is refused`() throws {
        let pinned = try authority.issue(names: "DNS:example.org")
        let pin = digest(.sha256, try authority.der(of: pinned))
        let trust = TLSTrust(usesSystemRoots: false, pinnedCertificates: [pin])
        let pair = try TLSPair(
            TLSConfiguration(identity: .domain("example.org"), trust: trust), TestServer(pinned))
        let output = TLSBuffer()
        try pair.client.start(output: output)
        pair.server.receive(Array(output.bytes))
        // Replayed to another client, the flight's signature does not fit any more.
        let replay = try TLSPair(
            TLSConfiguration(identity: .domain("example.org"), trust: trust), TestServer(pinned))
        try replay.client.start(output: TLSBuffer())
        #expect(throws: TLSError.self) { try replay.deliver(pair.server.takeOutput()) }
    }

    @Test func `an authority file that is missing or empty is an error that names it`() throws {
        let empty = "\(authority.directory)/empty.pem"
        try authority.write("nothing here\n", to: empty)
        for file in ["/nonexistent/authority.pem", empty] {
            #expect(
                throws: TLSError(
                    .unreadableAuthority(file), "the authority file \(file) cannot be read as certificates in PEM form")
            ) {
                try TLSSession(
                    TLSConfiguration(identity: .domain("example.org"), trust: TLSTrust(authorityFiles: [file])))
            }
        }
    }

    @Test func `an authority file that changes is read again`() throws {
        let file = "\(authority.directory)/trusted.pem"
        let other = try TestAuthority(name: "Other Root")
        try authority.write(String(contentsOfFile: other.authorityFile, encoding: .utf8), to: file)
        let certificate = try authority.issue(names: "DNS:example.org")
        #expect(try handshakeError(of: certificate, trusting: [file])?.code == .unknownAuthority)
        try authority.write(String(contentsOfFile: authority.authorityFile, encoding: .utf8), to: file)
        #expect(try handshakeError(of: certificate, trusting: [file]) == nil)
    }

    @Test func `the private authority is not trusted by other trust sets`() throws {
        let certificate = try authority.issue(names: "DNS:example.org")
        #expect(try error(of: certificate) == nil)
        #expect(try handshakeError(of: certificate, trusting: [])?.code == .unknownAuthority)
    }
}
