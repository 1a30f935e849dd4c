// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Foundation
import Testing
import XMPP
import XMPPTesting

/// Makes sessions against a scripted server, and runs logins that must fail.
struct ScriptedLogin {
    let peer = ScriptedPeer()
    var account: Account
    var configuration: SessionConfiguration

    init(_ address: String = "juliet@example.org/balcony", password: String = "secret") throws {
        account = try Account(address, password: password)
        configuration = SessionConfiguration()
        configuration.connector = peer
        configuration.randomness = SeededRandomness()
        configuration.reconnect = .never
    }

    /// Runs the script against a login; gives the error that the login ended with, nil when it got online.
    func failure(_ script: (ScriptedPeer) async -> Void) async -> XMPPError? {
        let session = XMPPSession(account: account, configuration: configuration)
        async let outcome: XMPPError? = {
            do {
                try await session.connect()
                return nil
            } catch { return error as? XMPPError }
        }()
        await script(peer)
        let error = await outcome
        await session.disconnect()
        return error
    }

    /// Whether any secret, plain or as base64 of a SASL message, was written.
    var leaksPassword: Bool {
        let text = peer.writtenText
        return text.contains("secret") || text.contains(base64(Array("\0juliet\0secret".utf8)))
    }
}

@Suite("A login against a hostile server", .timeLimit(.minutes(1)))
struct LoginSecurityTests {
    @Test("T015 B22 without STARTTLS nothing is sent but the end of the stream")
    func strippedStartTLS() async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.mechanisms("PLAIN", "SCRAM-SHA-1"))
            await peer.expectEnd()
        }
        #expect(error?.code == .tlsNotOffered)
        #expect(!login.leaksPassword)
        #expect(!login.peer.writtenText.contains("<auth"))
    }

    @Test("T016 B45 a server from before XMPP 1.0 is refused")
    func legacyServer() async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.expectHeader()
            peer.inject(
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' "
                    + "from='example.org'>")
            let sent = await peer.expectEnd()
            #expect(sent?.children.contains { $0.localName == "unsupported-version" } == true)
        }
        #expect(error?.code == .tlsNotOffered)
        #expect(!login.peer.writtenText.contains("iq:auth"))
    }

    @Test("B45 a server that has only the login from before XMPP 1.0 is refused with that reason")
    func legacyLogin() async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream("<auth xmlns='http://jabber.org/features/iq-auth'/>")
            await peer.expectEnd()
        }
        #expect(error?.code == .noUsableMechanism)
        #expect(error?.description.contains("XEP-0078") == true)
        #expect(!login.peer.writtenText.contains("iq:auth"))
        #expect(!login.leaksPassword)
    }

    @Test(
        "T017 a failed STARTTLS is never followed by clear text",
        arguments: [
            "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", "<proceed xmlns='urn:example:other'/>",
            "<proceed/>", "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
        ])
    func failedStartTLS(_ answer: String) async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.tlsFeature)
            await peer.expect("starttls")
            peer.inject(answer)
            await peer.expectEnd()
        }
        #expect(error?.code == .tlsFailed || error?.code == .protocolViolation)
        #expect(!login.leaksPassword)
        #expect(!login.peer.writtenText.contains("<auth"))
    }

    @Test(
        "T019 what may not come before TLS ends the stream",
        arguments: [
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", "<message><body>hi</body></message>",
            "<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>", "<bound xmlns='urn:xmpp:bind:0'/>",
            "<iq type='result' id='1'/>", "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
        ])
    func unexpectedBeforeTLS(_ element: String) async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.expectHeader()
            peer.inject(
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' "
                    + "from='example.org' version='1.0'>\(element)")
            await peer.expectEnd()
        }
        #expect(error?.code == .protocolViolation)
        #expect(!login.leaksPassword)
    }

    @Test("T020 B23 OF03 features from before TLS are forgotten")
    func featuresAreReadAnew() async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.acceptTLS(
                features: "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
                    + ScriptedPeer.mechanisms("SCRAM-SHA-1", "PLAIN"))
            // The same stream id again is no error (OF03).
            peer.openStream(id: "clear", ScriptedPeer.mechanisms("X-UNKNOWN"))
            await peer.expectEnd()
        }
        #expect(error?.code == .noUsableMechanism)
        #expect(!login.peer.writtenText.contains("<auth"))
    }

    @Test("B25 the address is not shown before TLS, and is after")
    func noAddressInClear() async throws {
        let login = try ScriptedLogin()
        _ = await login.failure { peer in
            let clear = await peer.expectHeader()
            #expect(clear?["from"] == nil)
            #expect(clear?["to"] == "example.org")
            peer.openStream(ScriptedPeer.tlsFeature)
            await peer.expect("starttls")
            peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
            let secret = await peer.expectHeader()
            #expect(secret?["from"] == "juliet@example.org")
            peer.cut()
        }
    }

    @Test("T031 PLAIN alone is refused inside TLS without consent")
    func plainNeedsConsent() async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream(ScriptedPeer.mechanisms("PLAIN", "X-OAUTH2"))
            await peer.expectEnd()
        }
        #expect(error?.code == .noUsableMechanism)
        #expect(error?.description.contains("PLAIN") == true)
        #expect(!login.leaksPassword)
    }

    @Test(
        "B40 B44 PLAIN with consent carries UTF-8",
        arguments: [
            ("pôt1", "AGFubgBww7R0MQ=="), ("密码", "AGFubgDlr4bnoIE="),
        ])
    func plainIsUTF8(_ password: String, _ message: String) async throws {
        var login = try ScriptedLogin("ann@example.org", password: password)
        login.account.permitsPlain = true
        _ = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream(ScriptedPeer.mechanisms("PLAIN"))
            let auth = await peer.expect("auth")
            #expect(auth?["mechanism"] == "PLAIN")
            #expect(auth?.text == message)
            peer.cut()
        }
    }

    @Test("T041 challenges without end and a second success end the login")
    func endlessChallenges() async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.expect("auth")
            for _ in 0..<8 {
                peer.inject("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>PGI+PC9iPg==</challenge>")
            }
            await peer.expectEnd()
        }
        #expect(error?.code == .authenticationFailed)
    }

    @Test("B43 a server that cannot prove itself is left, with nothing sent after")
    func wrongSignature() async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.acceptSCRAM(tamper: true)
            await peer.expectEnd()
        }
        #expect(error?.code == .serverNotAuthentic)
        #expect(!login.peer.writtenText.contains("xmpp-bind"))
    }

    @Test(
        "T042 an address of another account is not taken",
        arguments: [
            "romeo@example.org/x", "juliet@example.net/x", "juliet@example.org", "example.org/x", "@/",
        ])
    func foreignAddress(_ jid: String) async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.acceptSCRAM()
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.bindFeatures)
            await peer.acceptBind(jid: jid, managed: false)
            await peer.expectEnd()
        }
        #expect(error?.code == .protocolViolation)
    }

    @Test("T043 B34 B37 a wrong password stops the session for good")
    func wrongPasswordStops() async throws {
        var login = try ScriptedLogin()
        login.configuration.reconnect = ReconnectPolicy(minimum: .milliseconds(1))
        let session = XMPPSession(account: login.account, configuration: login.configuration)
        let events = session.events()
        await session.start()
        await login.peer.acceptTLS()
        login.peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await login.peer.expect("auth")
        login.peer.inject("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
        var last: SessionEvent?
        do {
            for try await event in events { last = event }
            Issue.record("the events ended without the error")
        } catch { #expect(error.code == .notAuthorized) }
        if case .ended(let error) = last { #expect(error?.code == .notAuthorized) } else { Issue.record("no end") }
        #expect(login.peer.connections == 1)
    }

    @Test(
        "B38 OF07 a temporary failure is retried, a disabled account is named",
        arguments: [
            ("temporary-auth-failure", XMPPError.Code.authenticationFailed, true),
            ("account-disabled", .accountDisabled, false), ("not-authorized", .notAuthorized, false),
            ("invalid-mechanism", .authenticationFailed, false), ("aborted", .authenticationFailed, false),
        ])
    func failureConditions(_ condition: String, _ code: XMPPError.Code, _ isRetryable: Bool) async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.expect("auth")
            peer.inject(
                "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><\(condition)/><text>keys &lt;b> missing</text></failure>"
            )
            await peer.expectEnd()
        }
        #expect(error?.code == code)
        #expect(error?.isRetryable == isRetryable)
        #expect(error?.description.contains("keys <b> missing") == true)
    }

    @Test("T044 an empty password is refused before anything is derived from it")
    func emptyPassword() async throws {
        let login = try ScriptedLogin(password: "")
        let error = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.expectEnd()
        }
        #expect(error?.code == .invalidArgument)
        #expect(!login.peer.writtenText.contains("<auth"))
    }

    @Test("B46 OF12 a refused resource is followed by one wish for any")
    func resourceConflict() async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.acceptTLS()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.acceptSCRAM()
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.bindFeatures)
            let first = await peer.expect("iq")
            #expect(first?.children.first { _ in true }?.children.first { _ in true }?.text == "balcony")
            peer.inject(
                "<iq type='error' id='\(first?["id"] ?? "")'><error code='409' type='cancel'>"
                    + "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
            // What went out behind the request finds no address, and is sent again behind the second one.
            await peer.expect("enable")
            peer.inject("<failed xmlns='urn:xmpp:sm:3'/>")
            let second = await peer.expect("iq")
            #expect(second?.children.first { _ in true }?.children.contains { _ in true } == false)
            peer.inject(
                "<iq type='error' id='\(second?["id"] ?? "")'><error type='cancel'>"
                    + "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
            await peer.expectEnd()
        }
        #expect(error?.code == .bindFailed)
    }

    @Test(
        "T057 a wrong stream header is answered with the right stream error",
        arguments: [
            ("<stream xmlns='jabber:client' id='1' version='1.0'>", "invalid-namespace"),
            (
                "<stream:stream xmlns='jabber:server' xmlns:stream='http://etherx.jabber.org/streams' id='1' version='1.0'>",
                "invalid-namespace"
            ),
            (
                "<stream:stream xmlns='jabber:client' xmlns:stream='urn:example:evil' id='1' version='1.0'>",
                "invalid-namespace"
            ),
            (
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>",
                "undefined-condition"
            ),
            (
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' version='2.0'>",
                "unsupported-version"
            ),
            (
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' from='evil.example' version='1.0'>",
                "invalid-from"
            ),
            (
                "<stream:streams xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' version='1.0'>",
                "bad-format"
            ),
        ])
    func wrongHeader(_ header: String, _ condition: String) async throws {
        let login = try ScriptedLogin()
        let error = await login.failure { peer in
            await peer.expectHeader()
            peer.inject(header)
            let sent = await peer.expectEnd()
            #expect(sent?.children.contains { $0.localName == condition } == true)
        }
        #expect(error?.code == .protocolViolation)
    }
}
