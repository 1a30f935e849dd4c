// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Foundation
import Testing

/// Keeps the questions of a session.
// Unchecked: the tests of this file call everything from one thread.
private final class Questions: @unchecked Sendable {
    var refusals: [TLSError] = []

    var decider: TLSTrustDecider {
        TLSTrustDecider { refusal, _ in self.refusals.append(refusal) }
    }
}

@Suite("A decision about a refused certificate") struct TrustDecisionTests {
    private let fixture: TLSFixture
    private let questions = Questions()

    init() throws { fixture = try TLSFixture() }

    private func pair(
        _ certificate: TestCertificate, trusted: Bool = false, keys: Set<[UInt8]> = [], asks: Bool = true,
        _ settings: TestServer.Settings = .init()
    ) throws -> TLSPair {
        let trust = TLSTrust(
            usesSystemRoots: false, authorityFiles: trusted ? [fixture.authority.authorityFile] : [], pinnedKeys: keys)
        return try TLSPair(
            TLSConfiguration(
                identity: .domain("example.org"), trust: trust, decider: asks ? questions.decider : nil),
            TestServer(certificate, settings))
    }

    private func decide(_ pair: TLSPair, _ accepts: Bool) throws {
        try pair.decide(accepts)
        try pair.exchange()
    }

    private static let versions = [
        TestServer.Settings(), TestServer.Settings(maximumVersion: 0x0303, tickets: 0),
    ]

    @Test("T021 the handshake waits for the answer, and goes on after yes", arguments: [0, 1], [1, 1000, .max])
    func accepted(version: Int, chunk: Int) throws {
        let pair = try pair(fixture.certificate, Self.versions[version])
        try pair.exchange(chunk: chunk)
        #expect(pair.client.state == .awaitingTrust)
        #expect(pair.client.refusal?.code == .unknownAuthority)
        #expect(pair.client.information == nil)
        #expect(!pair.server.hasFinishedHandshake)
        try decide(pair, true)
        #expect(pair.client.state == .established)
        #expect(pair.client.refusal == nil)
        #expect(pair.client.information?.certificate?.names == ["example.org"])
        try pair.write(Array("hello".utf8))
        pair.server.write(Array("good day".utf8))
        try pair.exchange()
        #expect(pair.serverReceived == Array("hello".utf8))
        #expect(pair.clientReceived == Array("good day".utf8))
    }

    @Test("T021 after no the handshake ends with the reason, and an alert tells the server", arguments: [0, 1])
    func refused(version: Int) throws {
        let pair = try pair(fixture.certificate, Self.versions[version])
        try pair.exchange()
        let error = try #require(tlsError { try decide(pair, false) })
        #expect(error.code == .unknownAuthority)
        #expect(pair.client.state == .failed)
        #expect(!pair.takeClientOutput().isEmpty)
        #expect(!pair.server.hasFinishedHandshake)
    }

    @Test("T021 all that is wrong with a certificate is told, not the first thing alone")
    func allProblems() throws {
        let end = Date.now - 3 * 86400
        let certificate = try fixture.authority.issue(names: "DNS:example.net", from: end - 86400, to: end)
        let pair = try pair(certificate)
        try pair.exchange()
        let refusal = try #require(pair.client.refusal)
        #expect(refusal.code == .unknownAuthority)
        #expect(refusal.furtherProblems == [.expired, .nameMismatch(presented: ["example.net"])])
        #expect(refusal.expectedName == "example.org")
    }

    @Test("T026 nobody is asked about a certificate that breaks a rule, or whose key is not a pinned one")
    func notAsked() throws {
        let purpose = try fixture.authority.issue(
            names: "DNS:example.org", usage: "basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth\n")
        let first = try pair(purpose, trusted: true)
        #expect(tlsError { try first.exchange() }?.code == .unsuitableCertificate)
        let second = try pair(fixture.certificate, trusted: true, keys: [[1, 2, 3]])
        #expect(tlsError { try second.exchange() }?.code == .keyNotPinned)
    }

    @Test("T027 what a server sends while a question is open is limited")
    func flood() throws {
        let pair = try pair(fixture.certificate)
        try pair.exchange()
        let piece = [UInt8](repeating: 22, count: 65536)
        var error: TLSError?
        for _ in 0..<10 where error == nil { error = tlsError { try pair.deliver(piece) } }
        #expect(error?.code == .flood)
    }

    @Test("a server that gives up meanwhile is an end of the handshake")
    func gaveUp() throws {
        let pair = try pair(fixture.certificate)
        try pair.exchange()
        #expect(tlsError { try pair.client.endOfInput() }?.code == .closedInHandshake)
    }

    @Test("without anybody to ask there is no question")
    func nobody() throws {
        let pair = try pair(fixture.certificate, asks: false)
        #expect(tlsError { try pair.exchange() }?.code == .unknownAuthority)
    }

    @Test("a certificate is summed up for people")
    func summary() throws {
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        let end = Date(timeIntervalSince1970: 1_900_000_000)
        let certificate = try fixture.authority.issue(
            "Chat", names: "DNS:example.org,IP:192.0.2.7,DNS:*.example.org", from: start, to: end)
        let summary = try #require(CertificateSummary(der: try fixture.authority.der(of: certificate)))
        #expect(summary.subject == "Chat")
        #expect(summary.issuer == "Test Root")
        #expect(summary.names == ["example.org", "192.0.2.7", "*.example.org"])
        #expect(summary.validFrom == 1_700_000_000)
        #expect(summary.validUntil == 1_900_000_000)
        #expect(summary.fingerprint == digest(.sha256, try fixture.authority.der(of: certificate)))
        #expect(CertificateSummary(der: [0x30, 3, 1, 2, 3]) == nil)
        #expect(CertificateSummary(der: []) == nil)
    }
}
