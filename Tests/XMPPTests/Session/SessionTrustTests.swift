// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Testing
import XMPP
import XMPPTesting

/// Keeps what it was asked for, and connects nowhere.
private struct NotingConnector: Connector {
    let targets = Locked<[ConnectTarget]>([])

    func connect(
        to target: ConnectTarget, loop: EventLoop, deadline: Duration
    ) async throws(TransportError) -> any ByteChannel {
        targets.withLock { $0.append(target) }
        throw TransportError(.refused, "refused")
    }
}

@Suite("What a session asks of TLS, and what becomes of it", .timeLimit(.minutes(1)))
struct SessionTrustTests {
    private func target(_ account: Account) async -> ConnectTarget? {
        let connector = NotingConnector()
        var configuration = SessionConfiguration()
        configuration.connector = connector
        let session = XMPPSession(account: account, configuration: configuration)
        try? await session.connect()
        return connector.targets.withLock { $0.first }
    }

    @Test("T025 an international domain is looked for in both of its spellings")
    func international() async throws {
        let target = await target(try Account("ann@bücher.example", password: "p"))
        #expect(target?.tls.identity == .domain("xn--bcher-kva.example"))
        #expect(target?.tls.unicodeDomain == "bücher.example")
        let plain = await self.target(try Account("ann@example.org", password: "p"))
        #expect(plain?.tls.identity == .domain("example.org"))
        #expect(plain?.tls.unicodeDomain == nil)
    }

    @Test("T001 trust and identity are the account's, wherever the server is said to be")
    func account() async throws {
        var account = try Account("ann@example.org", password: "p")
        account.server = ServerAddress(host: "chat.evil.test", port: 5223, security: .directTLS)
        account.trust = Trust(
            usesSystemRoots: false, authorityFiles: ["/ca.pem"], pinnedCertificates: [[1]], pinnedKeys: [[2]])
        account.clientCertificate = ClientCertificate(certificateFile: "/me.pem", keyFile: "/me.key")
        let target = await target(account)
        #expect(target?.override == Endpoint(host: "chat.evil.test", port: 5223, usesDirectTLS: true))
        #expect(target?.tls.identity == .domain("example.org"))
        #expect(
            target?.tls.trust
                == TLSTrust(
                    usesSystemRoots: false, authorityFiles: ["/ca.pem"], pinnedCertificates: [[1]], pinnedKeys: [[2]]))
        #expect(
            target?.tls.clientCertificate == TLSClientCertificate(certificateFile: "/me.pem", keyFile: "/me.key"))
        #expect(target?.tls.decider == nil)
    }

    @Test(
        "T021 a bad certificate on the way back is refused each time and tried again later, as on a network that shows its own"
    )
    func foreignNetwork() async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        let shown = TLSError(.nameMismatch(presented: ["portal.example"]), "certificate names only portal.example")
        fixture.peer.failNext([TransportError(shown), TransportError(shown)])
        fixture.peer.cut()
        let (lost, first) = try #require(try await events.interruption())
        #expect(lost.code == .connectionLost)
        await fixture.clock.advanceWhenPlanned(by: first)
        let (refused, second) = try #require(try await events.interruption())
        #expect(refused.code == .tlsFailed)
        await fixture.clock.advanceWhenPlanned(by: second)
        let (again, third) = try #require(try await events.interruption())
        #expect(again.code == .tlsFailed)
        #expect(third > .zero)
        await fixture.clock.advanceWhenPlanned(by: third)
        await fixture.acceptResumption(h: 0)
        await fixture.leave()
    }

    @Test(
        "T009 a violated policy and a login that is no longer valid end the session and say why",
        arguments: [
            "policy-violation", "not-authorized", "host-unknown",
        ])
    func definite(condition: String) async throws {
        let fixture = try SessionFixture(movesClock: true)
        let events = fixture.session.events()
        try await fixture.connect()
        fixture.peer.inject(
            "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>")
        var reason: XMPPError?
        do { for try await _ in events {} } catch { reason = error }
        #expect(reason?.streamError?.condition.name == condition)
        #expect(reason?.isRetryable == false)
        #expect(fixture.peer.connections == 1)
    }

    @Test("T014 a wake asks at once, and silence then is death after the timeout")
    func wake() async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        await fixture.session.didWake()
        await fixture.peer.expect("r")
        await fixture.clock.advance(by: .seconds(19))
        await fixture.peer.expectNothing()
        await fixture.clock.advance(by: .seconds(1))
        #expect(try await events.interruption()?.0.code == .connectionLost)
        await fixture.leave()
    }

    @Test("what the server offers is told before TLS, inside it and after the login")
    func offers() async throws {
        let fixture = try SessionFixture()
        var events = EventReader(fixture.session)
        try await fixture.connect()
        var offers: [StreamOffer] = []
        while offers.count < 3,
            let offer = try await events.next({ if case .offered(let offer) = $0 { offer } else { nil } })
        {
            offers.append(offer)
        }
        #expect(offers.map(\.isSecure) == [false, true, true])
        #expect(offers.map(\.isAuthenticated) == [false, false, true])
        #expect(offers.map(\.mechanisms) == [[], ["SCRAM-SHA-1"], []])
        #expect(offers.last?.features.contains(XMLName("sm", "urn:xmpp:sm:3")) == true)
        await fixture.leave()
    }
}
