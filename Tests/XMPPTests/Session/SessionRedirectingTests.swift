// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("A session that is sent elsewhere", .timeLimit(.minutes(1)))
struct SessionRedirectingTests {
    static func redirect(_ host: String) -> String {
        "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>\(host)</see-other-host>"
            + "</stream:error></stream:stream>"
    }

    private static let name = TLSIdentity.domain("example.org")

    /// Waits for the header of the next stream; false when the script is not needed any more.
    private func header(_ peer: ScriptedPeer) async -> Bool {
        while let step = await peer.next(), !Task.isCancelled { if case .header = step { return true } }
        return false
    }

    /// A stream up to TLS, and the redirect in the place of its features.
    private func send(_ peer: ScriptedPeer, to host: String) async {
        guard await header(peer) else { return }
        peer.openStream(id: "clear", ScriptedPeer.tlsFeature)
        await peer.expect("starttls")
        peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        await peer.expectHeader()
        peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        peer.inject(Self.redirect(host))
    }

    @Test("T011 B30 a redirect leads to one dial there, under the same name, for this attempt only")
    func followed() async throws {
        let fixture = try SessionFixture()
        async let connecting: Void = fixture.session.connect()
        await send(fixture.peer, to: "[2001:db8::7]:5333")
        await fixture.acceptReconnection()
        await fixture.peer.acceptBind()
        try await connecting
        #expect(fixture.peer.targets.map(\.override) == [nil, Endpoint(host: "2001:db8::7", port: 5333)])
        #expect(fixture.peer.targets.map(\.tls.identity) == [Self.name, Self.name])
        #expect(fixture.peer.targets.map(\.tls.sendsServerName) == [true, true])
        fixture.peer.cut()
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.count() == "0")
        #expect(fixture.peer.targets.count == 3)
        #expect(fixture.peer.targets.last?.override == nil)
        await fixture.leave()
    }

    @Test("T011 a WebSocket leads to another WebSocket, whose host proves itself")
    func otherWebSocket() async throws {
        let peer = ScriptedPeer()
        peer.useTLS(ScriptedPeer.defaultInformation, direct: true)
        peer.lead(to: Endpoint(host: "ws.example.org", webSocketPath: "/ws"))
        var configuration = SessionConfiguration()
        configuration.connector = peer
        configuration.initialPresence = nil
        configuration.reconnect = .never
        let account = try Account(
            "juliet@example.org/balcony", password: "secret",
            server: ServerAddress(webSocket: "wss://ws.example.org/ws"))
        let session = XMPPSession(account: account, configuration: configuration)
        let script = Task {
            for number in 1..<20 {
                guard await header(peer) else { return }
                peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
                peer.inject(Self.redirect("wss://w\(number).example.net/x"))
            }
        }
        await #expect { try await session.connect() } throws: { ($0 as? XMPPError)?.code == .redirected }
        script.cancel()
        peer.abandon()
        await script.value
        let hosts = (1...RedirectStateMachine.limit).map {
            Endpoint(host: "w\($0).example.net", webSocketPath: "/x")
        }
        #expect(peer.targets.dropFirst().map(\.override) == hosts)
    }

    @Test(
        "T011 A to B to A ends with an error that says so, and so does a chain without end", arguments: [true, false])
    func endless(isCircle: Bool) async throws {
        let fixture = try SessionFixture { $0.reconnect = .never }
        let peer = fixture.peer
        let script = Task {
            for index in 0..<50 {
                guard !Task.isCancelled else { return }
                await send(peer, to: isCircle ? ["a.net", "b.net"][index % 2] : "h\(index).net")
            }
        }
        await #expect { try await fixture.session.connect() } throws: { ($0 as? XMPPError)?.code == .redirected }
        script.cancel()
        fixture.peer.abandon()
        await script.value
        #expect(fixture.peer.targets.count == (isCircle ? 3 : RedirectStateMachine.limit + 1))
    }

    @Test("T011 a redirect in clear is not followed")
    func inClear() async throws {
        let fixture = try SessionFixture { $0.reconnect = .never }
        let connecting = Task { try await fixture.session.connect() }
        await fixture.peer.expectHeader()
        fixture.peer.openStream(id: "clear", ScriptedPeer.tlsFeature)
        fixture.peer.inject(Self.redirect("evil.net"))
        await #expect { try await connecting.value } throws: { ($0 as? XMPPError)?.code == .redirected }
        #expect(fixture.peer.targets.count == 1)
    }

    @Test("B30 a wrong password at the other host ends it")
    func wrongPassword() async throws {
        let fixture = try SessionFixture()
        let connecting = Task { try await fixture.session.connect() }
        await send(fixture.peer, to: "c2.example.net")
        while let step = await fixture.peer.next() { if case .header = step { break } }
        fixture.peer.openStream(id: "clear", ScriptedPeer.tlsFeature)
        await fixture.peer.expect("starttls")
        fixture.peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        await fixture.peer.expectHeader()
        fixture.peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await fixture.peer.expect("auth")
        fixture.peer.inject("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
        await #expect { try await connecting.value } throws: { ($0 as? XMPPError)?.code == .notAuthorized }
        #expect(fixture.peer.targets.map(\.override) == [nil, Endpoint(host: "c2.example.net", port: 5222)])
    }

    @Test("T011 a session that is up and sent on goes there once, and resumes")
    func whileOnline() async throws {
        let fixture = try SessionFixture { $0.reconnect.stableAfter = .seconds(600) }
        try await fixture.connect()
        fixture.peer.inject(Self.redirect("node2.example.org:5223"))
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.count() == "0")
        let there = Endpoint(host: "node2.example.org", port: 5223, usesDirectTLS: true)
        #expect(fixture.peer.targets.map(\.override) == [nil, there])
        fixture.peer.cut()
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.count() == "0")
        #expect(fixture.peer.targets.last?.override == nil)
        await fixture.leave()
    }

    @Test("T012 a location is tried first with the same name to prove, and the usual way follows")
    func location() async throws {
        let fixture = try SessionFixture()
        async let connecting: Void = fixture.session.connect()
        await fixture.acceptReconnection()
        await fixture.peer.acceptBind(location: "attacker:5333")
        try await connecting
        fixture.peer.failNext([
            TransportError(TLSError(.nameMismatch(presented: ["attacker"]), "certificate of attacker"))
        ])
        fixture.peer.cut()
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.count() == "0")
        let there = Endpoint(host: "attacker", port: 5333)
        #expect(fixture.peer.targets.map(\.override) == [nil, there, nil])
        #expect(fixture.peer.targets.map(\.tls.identity) == [Self.name, Self.name, Self.name])
        await fixture.leave()
    }

    @Test(
        "T034 a WebSocket found by itself that offers less ends the attempt, not the session", arguments: [true, false])
    func lesserWebSocket(isFound: Bool) async throws {
        let peer = ScriptedPeer()
        peer.useTLS(ScriptedPeer.defaultInformation, direct: true)
        peer.lead(
            to: isFound
                ? Endpoint(host: "ws.example.org", webSocketPath: "/ws")
                : Endpoint(host: "chat.example.org", port: 5223, usesDirectTLS: true))
        var account = try Account("juliet@example.org/balcony", password: "secret")
        account.requiresChannelBinding = true
        var configuration = SessionConfiguration()
        configuration.connector = peer
        configuration.initialPresence = nil
        configuration.reconnect = ReconnectPolicy(minimum: .zero, maximum: .zero, stableAfter: .zero)
        let session = XMPPSession(account: account, configuration: configuration)
        var events = EventReader(session)
        await session.start()
        await peer.expectHeader()
        peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        let goesOn = try await events.next { event -> Bool? in
            switch event {
            case .interrupted(let error, _): error.code == .downgraded
            case .ended: false
            default: nil
            }
        }
        #expect(goesOn == isFound)
        #expect(!peer.writtenText.contains("<auth"))
        peer.cut(nil)
        await session.disconnect()
    }

    @Test("T012 a server given by hand is where the session stays")
    func locationAndHost() async throws {
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.connector = peer
        configuration.initialPresence = nil
        configuration.reconnect = ReconnectPolicy(minimum: .zero, maximum: .zero, stableAfter: .zero)
        let account = try Account(
            "juliet@example.org/balcony", password: "secret", server: ServerAddress(host: "192.0.2.1"))
        let session = XMPPSession(account: account, configuration: configuration)
        async let connecting: Void = session.connect()
        await peer.acceptLogin(resumes: true)
        await peer.acceptBind(location: "attacker:5333")
        try await connecting
        peer.cut()
        while let step = await peer.next() { if case .header = step { break } }
        #expect(peer.targets.map(\.override?.host) == ["192.0.2.1", "192.0.2.1"])
        peer.cut(nil)
        await session.disconnect()
    }
}
