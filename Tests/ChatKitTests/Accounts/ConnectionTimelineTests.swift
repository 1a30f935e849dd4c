// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite struct ConnectionTimelineTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private static func target(_ host: String, _ port: UInt16 = 5222) -> ConnectionTarget {
        ConnectionTarget(Endpoint(host: host, port: port))
    }

    private static func failure(_ code: TransportError.Code, _ text: String = "text") -> XMPPError {
        XMPPError(.connectionFailed, text, isRetryable: true, underlying: TransportError(code, text))
    }

    private static let expired = failure(
        .tls(TLSError(.expired, "certificate of example.org expired 2 days ago (on 2026-11-28)")), "Certificate …")

    /// The events, a second apart.
    private func timeline(_ events: [SessionEvent]) -> ConnectionTimeline {
        var timeline = ConnectionTimeline()
        for (index, event) in events.enumerated() {
            timeline.add(event, at: Self.start.addingTimeInterval(Double(index)))
        }
        return timeline
    }

    private func summary(after seconds: Double = 0, _ events: SessionEvent...) -> String {
        timeline(events).summary(now: Self.start.addingTimeInterval(Double(events.count - 1) + seconds))
    }

    @Test("the last attempt is one line: targets, refusals, TLS, and when the next one is made")
    func failedAttempt() {
        let refused = Self.failure(.refused)
        let events: [SessionEvent] = [
            .connecting(attempt: 1), .resolved([Self.target("x")], areFound: true), .connecting(attempt: 2),
            .resolved([Self.target("a"), Self.target("b"), Self.target("c", 5223)], areFound: true),
            .targetFailed(Self.target("a"), refused), .targetFailed(Self.target("b"), refused),
            .targetFailed(Self.target("c", 5223), Self.expired), .interrupted(Self.expired, retryIn: .seconds(40)),
        ]
        let timeline = timeline(events)
        let end = Self.start.addingTimeInterval(7)
        let beginning =
            "resolved 3 targets, 2 refused, TLS failed: certificate of example.org expired 2 days ago (on 2026-11-28), "
        #expect(timeline.summary(now: end) == beginning + "next try in 40 s")
        #expect(timeline.summary(now: end.addingTimeInterval(28)) == beginning + "next try in 12 s")
        #expect(timeline.summary(now: end.addingTimeInterval(60)) == beginning + "next try now")
        #expect(timeline.lastAttempt.count == 6)
    }

    @Test("a connection that works says what it is made of")
    func online() throws {
        let jid = try JID("ann@example.org/x")
        #expect(
            summary(
                .connecting(attempt: 1), .resolved([Self.target("a")], areFound: true),
                .secured(version: "TLSv1.3", cipher: "c"),
                .authenticated(mechanism: "SCRAM-SHA-256-PLUS", isBoundToChannel: true), .online(jid, isResumed: false))
                == "resolved 1 target, TLSv1.3, logged in by SCRAM-SHA-256-PLUS, online")
    }

    @Test("a login that was refused is the reason; so is a connection that was lost, with how long it lasted")
    func reasons() throws {
        let wrong = XMPPError(.notAuthorized, "wrong user name or password")
        #expect(
            summary(
                .connecting(attempt: 1), .resolved([Self.target("example.org")], areFound: false),
                .secured(version: "TLSv1.3", cipher: "c"), .ended(wrong))
                == "trying example.org:5222, TLSv1.3, wrong user name or password")
        let lost = XMPPError(.connectionLost, "the server has not answered for 20.0 seconds", isRetryable: true)
        #expect(
            summary(
                after: 3, .connecting(attempt: 1), .online(try JID("ann@example.org/x"), isResumed: true),
                .interrupted(lost, retryIn: .seconds(1)))
                == "online, stream resumed, lost after 1 s: the server has not answered for 20.0 seconds, next try now")
        #expect(ConnectionTimeline().summary() == "")
    }

    @Test("silence, unreachable networks and missing addresses are counted apart")
    func kinds() {
        let silent = Self.failure(.timedOut, "no answer")
        #expect(
            summary(
                .connecting(attempt: 1), .resolved([Self.target("a"), Self.target("b")], areFound: true),
                .targetFailed(Self.target("a"), silent), .targetFailed(Self.target("a"), Self.failure(.unreachable)),
                .noAddress(host: "b", nil), .interrupted(silent, retryIn: .seconds(600)))
                == "resolved 2 targets, 1 unreachable, 1 did not answer, no address for b, next try in 10 min")
    }

    @Test("the oldest entries go first, and the ups and downs of reading do not fill it")
    func bounded() {
        var events: [SessionEvent] = []
        for attempt in 1...200 { events += [.connecting(attempt: attempt), .readingPaused, .readingResumed] }
        let timeline = timeline(events)
        #expect(timeline.entries.count == ConnectionTimeline.capacity)
        #expect(timeline.entries.last?.event == .connecting(attempt: 200))
        #expect(timeline.entries.first?.event == .connecting(attempt: 200 - ConnectionTimeline.capacity + 1))
    }

    @Test("each entry is one line, without what belongs to nobody else")
    func lines() throws {
        let events: [SessionEvent] = [
            .resolved([Self.target("a", 5223)], areFound: true), .targetFailed(Self.target("a"), Self.expired),
            .connected(Self.target("::1"), address: "::1"), .interrupted(Self.expired, retryIn: .seconds(200)),
            .ended(nil),
        ]
        let texts = timeline(events).entries.map(\.text)
        #expect(
            texts == [
                "found a:5223", "a:5222 failed: Certificate …", "connected to [::1]:5222 at ::1",
                "Certificate …; next try in 3 min", "disconnected",
            ])
    }
}

@Suite struct AccountConnectionTests {
    @Test("what happens to a connection is kept, and read without waiting")
    func kept() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let lost = XMPPError(.connectionLost, "gone", isRetryable: true)
        link.emit(.interrupted(lost, retryIn: .seconds(4)))
        try await fixture.until {
            try fixture.core.timeline(of: ann).entries.last?.event == .interrupted(lost, retryIn: .seconds(4))
        }
        #expect(try fixture.core.timeline(of: ann).summary(now: .distantPast).contains("gone"))
        #expect(throws: ChatError.self) { try fixture.core.timeline(of: JID("bo@example.org")) }
        await fixture.core.close()
    }

    @Test("T021 a certificate that the user accepted is kept as the pin of exactly this one")
    func pinned() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let certificate = ServerCertificate(
            CertificateSummary(
                subject: "s", issuer: "i", names: [], fingerprint: [UInt8](repeating: 7, count: 32),
                keyFingerprint: [UInt8](repeating: 8, count: 32)))
        link.emit(.certificatePinned(certificate))
        try await fixture.until {
            try await fixture.core.account(ann).settings.pinnedCertificates == [certificate.fingerprint]
        }
        #expect(try await fixture.core.account(ann).settings.pinnedKeys.isEmpty)
        await fixture.core.close()
    }

    @Test("T014 B33 a changed network and a wake reach every session at once; so does who looks")
    func network() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let runner = try fixture.core.runner(ann)
        await runner.look(.networkChanged)
        await runner.look(.woke(after: .seconds(60)))
        #expect(link.recorded.looks == ["network", "wake"])
        await fixture.core.setActive(false)
        await fixture.core.setActive(true)
        #expect(link.recorded.activity == [false, true])
        await fixture.core.close()
    }

    @Test("trust settings survive, and older settings read as before")
    func settings() throws {
        var settings = AccountSettings()
        settings.pinnedKeys = [[1, 2]]
        settings.usesSystemRoots = false
        settings.clientCertificateFile = "/me.pem"
        #expect(AccountSettings(json: settings.json) == settings)
        let account = try settings.account(try JID("ann@example.org"), .password("p"))
        #expect(account.trust == Trust(usesSystemRoots: false, pinnedKeys: [[1, 2]]))
        #expect(account.clientCertificate == ClientCertificate(certificateFile: "/me.pem", keyFile: "/me.pem"))
        #expect(AccountSettings(json: #"{"host":"h"}"#).usesSystemRoots)
    }
}
