// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("What is sent ahead of the server's answer", .timeLimit(.minutes(1)))
struct LoginAheadTests {
    /// The next steps of the session, as far as they come by themselves.
    static func steps(_ peer: ScriptedPeer, _ count: Int) async -> [String] {
        var names: [String] = []
        for _ in 0..<count {
            switch await peer.next(within: .seconds(5)) {
            case .header: names.append("header")
            case .element(let element): names.append(element.localName)
            case let step: names.append(step?.description ?? "nothing")
            }
        }
        return names
    }

    @Test("TLS is asked for together with the first header; a login is not")
    func startTLS() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        login.peer.useTLS(ScriptedPeer.defaultInformation, direct: false)
        let error = await login.outcome { peer in
            #expect(await Self.steps(peer, 2) == ["header", "starttls"])
            await peer.expectNothing()
            peer.openStream(id: "clear", ScriptedPeer.tlsFeature)
            peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
            await peer.expectHeader()
            peer.openStream(id: "tls", ScriptedPeer.sasl2())
            await peer.acceptToken("t0ken")
        }
        #expect(error == nil)
        #expect(login.peer.handedToTLS == [[]])
        await login.leave()
    }

    @Test("T015 TLS that was asked for ahead and is not offered ends the stream")
    func noTLS() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        login.peer.useTLS(ScriptedPeer.defaultInformation, direct: false)
        let error = await login.outcome { peer in
            #expect(await Self.steps(peer, 2) == ["header", "starttls"])
            peer.openStream(ScriptedPeer.mechanisms("PLAIN"))
            await peer.expectEnd()
        }
        #expect(error?.code == .tlsNotOffered)
        #expect(!login.peer.writtenText.contains("<auth"))
    }

    @Test("a first login waits for the offer; the one after it does not")
    func onlyKnownOffers() async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            await peer.expectNothing()
            peer.openStream(ScriptedPeer.sasl2(tokens: nil))
            await peer.acceptSASL2()
        }
        #expect(error == nil)
        login.peer.cut()
        #expect(await Self.steps(login.peer, 2) == ["header", "authenticate"])
        await login.leave()
    }

    @Test("T032 an offer that differs from the known one ends the stream, and the next waits for it")
    func otherOffer() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        var events = EventReader(login.session)
        let error = await login.outcome { peer in
            #expect(await Self.steps(peer, 2) == ["header", "authenticate"])
            peer.openStream(ScriptedPeer.sasl2(["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "PLAIN"]))
            await peer.expectEnd()
            await peer.expectHeader()
            await peer.expectNothing()
            peer.openStream(ScriptedPeer.sasl2(["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "PLAIN"]))
            await peer.acceptToken("t0ken")
        }
        #expect(error == nil)
        #expect(login.peer.connections == 2)
        let attempts = try await events.next { event -> Int? in
            if case .connecting(let attempt) = event, attempt > 1 { attempt } else { nil }
        }
        #expect(attempts == 2)
        // What was learnt serves the next time.
        login.peer.cut()
        #expect(await Self.steps(login.peer, 2) == ["header", "authenticate"])
        await login.leave()
    }

    @Test("a list in another order is the same offer")
    func otherOrder() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        let error = await login.outcome { peer in
            #expect(await Self.steps(peer, 1) == ["header"])
            peer.openStream(
                ScriptedPeer.sasl2(
                    ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"], tokens: ["HT-SHA-256-NONE", "HT-SHA-256-EXPR"],
                    bindings: ["tls-server-end-point", "tls-exporter"]))
            await peer.acceptToken("t0ken")
        }
        #expect(error == nil)
        #expect(login.peer.connections == 1)
        await login.leave()
    }

    @Test("without SASL2 the address and stream management are asked for with the header after the login")
    func classic() async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.acceptSCRAM()
            #expect(await Self.steps(peer, 1) == ["header"])
            let bind = await peer.expect("iq")
            #expect(await Self.steps(peer, 1) == ["enable"])
            peer.openStream(id: "up", ScriptedPeer.bindFeatures)
            peer.inject(
                "<iq type='result' id='\(bind?["id"] ?? "")'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                    + "<jid>juliet@example.org/x</jid></bind></iq><enabled xmlns='urn:xmpp:sm:3' id='sm-1' resume='true'/>"
            )
        }
        #expect(error == nil)
        // The next login sends <auth/> with the first header, and resumes with the second.
        login.peer.cut()
        #expect(await Self.steps(login.peer, 1) == ["header"])
        login.peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await login.peer.acceptSCRAM()
        #expect(await Self.steps(login.peer, 2) == ["header", "resume"])
        await login.leave()
    }

    @Test("a server without stream management is asked for none when the login begins anew, and from then on")
    func withoutManagement() async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.acceptSCRAM()
            #expect(await Self.steps(peer, 3) == ["header", "iq", "enable"])
            peer.openStream(id: "up", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>")
            await peer.expectEnd()
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.acceptSCRAM()
            await peer.expectHeader()
            peer.openStream(id: "up", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>")
            await peer.acceptBind(managed: false)
        }
        #expect(error == nil)
        login.peer.cut()
        #expect(await Self.steps(login.peer, 1) == ["header"])
        login.peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await login.peer.acceptSCRAM()
        #expect(await Self.steps(login.peer, 2) == ["header", "iq"])
        await login.peer.expectNothing()
        await login.leave()
    }

    @Test("a server that closes over what came ahead is asked step by step from then on")
    func choking() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        let error = await login.outcome { peer in
            #expect(await Self.steps(peer, 2) == ["header", "authenticate"])
            peer.inject(
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' "
                    + "from='example.org' version='1.0'></stream:stream>")
            await peer.expectEnd()
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.acceptToken("t0ken")
        }
        #expect(error == nil)
        login.peer.cut()
        await login.peer.expectHeader()
        await login.peer.expectNothing()
        await login.leave()
    }

    @Test("T008 a server that closes each time is not asked for ever")
    func closesAlways() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        let error = await login.outcome { peer in
            for _ in 0..<2 {
                await peer.expectHeader()
                peer.inject(
                    "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' "
                        + "from='example.org' version='1.0'></stream:stream>")
                await peer.expectEnd()
            }
        }
        #expect(error?.code == .connectionLost)
        #expect(login.peer.connections == 2)
    }

    @Test("a session that is told to waits for every answer, and logs in by RFC 6120")
    func patient() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory()) { configuration, _ in
            configuration.sendsAhead = false
            configuration.usesSASL2 = false
        }
        _ = await login.outcome { peer in
            await peer.expectHeader()
            await peer.expectNothing()
            peer.openStream(ScriptedPeer.sasl2() + ScriptedPeer.mechanisms("SCRAM-SHA-1-PLUS"))
            await peer.expect("auth")
            peer.cut()
        }
    }
}
