// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Testing
import XMPP
import XMPPTesting

/// A connector whose TLS refuses a certificate, asks, and connects to the scripted peer after a yes.
private struct AskingConnector: Connector {
    let peer: ScriptedPeer
    let refusal: TLSError
    /// How many places show this certificate, one after another.
    var places = 1

    func connect(
        to target: ConnectTarget, loop: EventLoop, deadline: Duration
    ) async throws(TransportError) -> any ByteChannel {
        let isPinned = refusal.peerFingerprint.map { target.tls.trust.pinnedCertificates == [$0] } ?? false
        if !isPinned {
            guard let decider = target.tls.decider else { throw TransportError(refusal) }
            var accepts = false
            for _ in 0..<places where !accepts {
                accepts = await withCheckedContinuation { continuation in
                    loop.execute { decider.decide(refusal) { continuation.resume(returning: $0) } }
                }
            }
            guard accepts else { throw TransportError(refusal) }
        }
        return try await peer.connect(to: target, loop: loop, deadline: deadline)
    }
}

@Suite("Certificates that the user is asked about", .timeLimit(.minutes(1)))
struct CertificatePromptTests {
    private let refusal: TLSError

    init() throws {
        var refusal = TLSError(
            .selfSigned, "certificate of example.org is self-signed", peerCertificate: Self.certificate)
        refusal.furtherProblems = [.nameMismatch(presented: ["localhost"])]
        refusal.expectedName = "example.org"
        self.refusal = refusal
    }

    private func fixture(
        timeout: Duration = .seconds(120), reconnect: ReconnectPolicy = .never, places: Int = 1,
        _ prompt: (@Sendable (CertificateRefusal) async -> Bool)?
    ) throws -> SessionFixture {
        let refusal = refusal
        return try SessionFixture(movesClock: true) { configuration in
            if let peer = configuration.connector as? ScriptedPeer {
                configuration.connector = AskingConnector(peer: peer, refusal: refusal, places: places)
            }
            configuration.certificatePrompt = prompt
            configuration.certificatePromptTimeout = timeout
            configuration.reconnect = reconnect
        }
    }

    @Test("T021 the user hears everything that is known; yes is told, and holds for the next connection, too")
    func accepted() async throws {
        let asked = Locked<[CertificateRefusal]>([])
        let fixture = try fixture(reconnect: ReconnectPolicy(minimum: .zero, maximum: .zero)) { question in
            asked.withLock { $0.append(question) }
            return true
        }
        var events = EventReader(fixture.session)
        try await fixture.connect()
        let question = try #require(asked.withLock { $0.first })
        #expect(question.domain == "example.org")
        #expect(question.problems == [.selfSigned, .wrongName])
        #expect(question.explanation == "certificate of example.org is self-signed")
        #expect(question.certificate.subject == "test")
        #expect(question.certificate.fingerprint == refusal.peerFingerprint)
        let pinned = try await events.next { if case .certificatePinned(let pinned) = $0 { pinned } else { nil } }
        #expect(pinned == question.certificate)
        fixture.peer.cut()
        await fixture.clock.advanceWhenPlanned(by: .zero)
        await fixture.acceptResumption(h: 0)
        #expect(asked.withLock { $0.count } == 1)
        await fixture.leave()
    }

    @Test("T021 no ends the session for good, and does not ask again")
    func refused() async throws {
        let asked = Locked(0)
        let fixture = try fixture(reconnect: ReconnectPolicy()) { _ in
            asked.withLock { $0 += 1 }
            return false
        }
        let events = fixture.session.events()
        await fixture.session.start()
        await #expect(throws: XMPPError.self) { for try await _ in events {} }
        #expect(asked.withLock { $0 } == 1)
        #expect(fixture.peer.connections == 0)
    }

    @Test("T021 a certificate that several places show is asked about once")
    func onePlaceOfMany() async throws {
        let asked = Locked(0)
        let fixture = try fixture(places: 3) { _ in
            asked.withLock { $0 += 1 }
            return false
        }
        await #expect(throws: XMPPError.self) { try await fixture.session.connect() }
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("T021 without anybody to ask the error holds what a user has to know")
    func nobody() async throws {
        let fixture = try fixture(nil)
        let error = await #expect(throws: XMPPError.self) { try await fixture.session.connect() }
        #expect(error?.code == .tlsFailed)
        #expect(error?.certificateRefusal?.problems == [.selfSigned, .wrongName])
        #expect(error?.certificateRefusal?.mayBePinned == true)
        #expect(error?.refusedCertificate == refusal.peerFingerprint)
    }

    @Test("an answer that does not come is no, at its deadline and not before")
    func timeout() async throws {
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let fixture = try fixture(timeout: .seconds(90)) { _ in
            open.yield()
            await Self.untilCancelled()
            return true
        }
        let connecting = Task { try await fixture.session.connect() }
        for await _ in opened { break }
        await fixture.clock.advance(by: .seconds(89))
        #expect(fixture.peer.connections == 0)
        await fixture.clock.advance(by: .seconds(1))
        let error = await #expect(throws: XMPPError.self) { try await connecting.value }
        #expect(error?.certificateRefusal != nil)
    }

    @Test("leaving ends a question")
    func leaving() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let fixture = try fixture { _ in
            gate.continuation.yield()
            await Self.untilCancelled()
            return true
        }
        let connecting = Task { try await fixture.session.connect() }
        for await _ in gate.stream { break }
        await fixture.session.disconnect()
        await #expect(throws: XMPPError.self) { try await connecting.value }
    }

    private static func untilCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
    }

    /// Self-signed, for localhost, with the common name "test".
    private static let certificate =
        decodeBase64(
            "MIIBjDCCATGgAwIBAgIUTDr0flMe55V9C6MQlFfmu9LhYoUwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEdGVzdDAgFw0yNjEx"
                + "MzAwNzQ1NTVaGA8yMTI2MTEwNjA3NDU1NVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHc3"
                + "gylCmQnZbTTZzuZSL1RJ9dz2szRvhdpUs5KC0iVD+/98ETtqowCxEFzZnlTobDL38nJpVv4z+wkA+3jRPKijaTBnMB0GA1Ud"
                + "DgQWBBQTyGshHWhJwy//6qtXvNFuD/K1OjAfBgNVHSMEGDAWgBQTyGshHWhJwy//6qtXvNFuD/K1OjAPBgNVHRMBAf8EBTAD"
                + "AQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNJADBGAiEAsQkfG3olqA6m3+u8u1fbN5Z4vHRMSROnjdb4"
                + "OW1f7BgCIQDIXMbNfQQ7XR/TJ4NlErS5AodDUIQF5UC2aqIohjEFMg==") ?? []
}
