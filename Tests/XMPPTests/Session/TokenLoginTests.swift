// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("A login by token", .timeLimit(.minutes(1)))
struct TokenLoginTests {
    static let notAuthorized =
        "<failure xmlns='urn:xmpp:sasl:2'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>"

    static func child(_ element: Element?, _ name: String) -> Element? {
        element?.children.first { $0.localName == name }
    }

    /// Skips to the header of the next stream, and answers it.
    static func nextStream(_ peer: ScriptedPeer) async {
        while let step = await peer.next() { if case .header = step { break } }
        peer.openStream(ScriptedPeer.sasl2())
    }

    @Test("a token tied to the channel logs in together with the stream header, and the server proves itself")
    func logsIn() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        let error = await login.outcome { peer in
            await peer.expectHeader()
            // Ahead of the features: the login is there already.
            let step = await peer.next()
            guard case .element(let request) = step else {
                Issue.record("no login ahead of the features")
                return
            }
            #expect(request["mechanism"] == "HT-SHA-256-EXPR")
            #expect(Self.child(request, "fast")?["count"].flatMap { Int($0) } ?? 0 > 0)
            #expect(Self.child(request, "request-token") == nil)
            let mechanism = HTMechanism(name: "HT-SHA-256-EXPR")
            let bindings = ChannelBindings(ScriptedPeer.defaultInformation)
            #expect(
                Self.child(request, "initial-response")?.text
                    == base64(mechanism?.initial(user: "juliet", token: "t0ken", bindings) ?? []))
            peer.openStream(ScriptedPeer.sasl2())
            let proof = base64(mechanism?.answer(token: "t0ken", bindings) ?? [])
            peer.inject(
                "<success xmlns='urn:xmpp:sasl:2'><additional-data>\(proof)</additional-data>"
                    + ScriptedPeer.bound() + "</success>")
        }
        #expect(error == nil)
        #expect(!login.peer.writtenText.contains("t0ken"))
        #expect(await login.session.isBoundToChannel)
        await login.leave()
    }

    @Test("T045 a server that cannot prove the token is left, and the token is gone")
    func unproven() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.acceptToken("t0ken", lies: true)
            await peer.expectEnd()
        }
        #expect(error?.code == .serverNotAuthentic)
        #expect(await !login.session.loginMemory.hasToken)
    }

    @Test("T045 a refused token is forgotten, and the password logs in on the same stream")
    func refused() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.expect("authenticate")
            peer.inject(Self.notAuthorized)
            let request = await peer.acceptSASL2(ScriptedPeer.bound(more: ScriptedPeer.token("second")))
            #expect(request?["mechanism"] == "SCRAM-SHA-1-PLUS")
            #expect(Self.child(request, "request-token") != nil)
        }
        #expect(error == nil)
        #expect(login.peer.connections == 1)
        #expect(await login.session.loginMemory.token?.secret == "second")
        await login.leave()
    }

    @Test(
        "T032 a list that does not fit after a refused token is looked at again on a new stream, without a proof before"
    )
    func refusedAndUnprotected() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        let offer = SASLOffer(
            mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"], channelBindings: ["tls-exporter", "tls-server-end-point"])
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.expect("authenticate")
            peer.inject(Self.notAuthorized)
            await peer.provingSCRAM(protecting: SASLOffer(mechanisms: ["SCRAM-SHA-1"], channelBindings: nil))
            #expect(!peer.writtenText.contains("<response"))
            await Self.nextStream(peer)
            let (_, proof) = await peer.provingSCRAM(protecting: offer)
            peer.inject(
                "<success xmlns='urn:xmpp:sasl:2'><additional-data>\(proof)</additional-data>\(ScriptedPeer.bound())</success>"
            )
        }
        #expect(error == nil)
        #expect(login.peer.connections == 2)
        await login.leave()
        // Once; then it is what it is.
        let attacked = try FastLogin(memory: try await FastLogin.memory())
        let refusal = await attacked.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.expect("authenticate")
            peer.inject(Self.notAuthorized)
            let forged = SASLOffer(mechanisms: ["SCRAM-SHA-1"], channelBindings: nil)
            await peer.provingSCRAM(protecting: forged)
            await Self.nextStream(peer)
            await peer.provingSCRAM(protecting: forged)
            await peer.expectEnd()
        }
        #expect(refusal?.code == .downgraded)
        #expect(!attacked.peer.writtenText.contains("<response"))
    }

    @Test("T045 a refused token is gone even when nothing else logs in")
    func refusedForGood() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory()) { _, account in
            account.credentials = Credentials(password: nil)
        }
        var events = EventReader(login.session)
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.expect("authenticate")
            peer.inject(Self.notAuthorized)
            await peer.expectEnd()
        }
        #expect(error?.code == .passwordNeeded)
        #expect(await !login.session.loginMemory.hasToken)
        let isTold = try? await events.next { $0 == .loginMemoryChanged ? true : nil }
        #expect(isTold == true)
    }

    @Test("B38 a server that cannot check logins for now costs no token")
    func temporaryFailure() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory()) { configuration, _ in
            configuration.reconnect = .never
        }
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.expect("authenticate")
            peer.inject(
                "<failure xmlns='urn:xmpp:sasl:2'><temporary-auth-failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>"
            )
            await peer.expectEnd()
        }
        #expect(error?.isRetryable == true)
        #expect(await login.session.loginMemory.hasToken)
    }

    @Test("the newest token is kept, whichever success it comes with, and its counter begins anew")
    func rotates() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            let (_, isRight) = await peer.acceptToken(
                "t0ken", ScriptedPeer.bound(more: ScriptedPeer.token("second", expiry: "2098-01-01T00:00:00Z")))
            #expect(isRight)
        }
        #expect(error == nil)
        #expect(await login.session.loginMemory.token?.secret == "second")
        #expect(await login.session.loginMemory.token?.count == 0)
        // One more comes with a resumption that did not ask for it.
        var events = EventReader(login.session)
        login.peer.cut()
        await login.peer.expectHeader()
        login.peer.openStream(ScriptedPeer.sasl2())
        let (request, isRight) = await login.peer.acceptToken(
            "second",
            "<authorization-identifier>juliet@example.org</authorization-identifier>"
                + "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>" + ScriptedPeer.token("third"))
        #expect(isRight)
        #expect(Self.child(request, "fast")?["count"] == "1")
        _ = try await events.next { event -> Bool? in if case .online = event { true } else { nil } }
        #expect(await login.session.loginMemory.token?.secret == "third")
        await login.leave()
    }

    @Test("T045 the counter of a token only grows, across restarts too")
    func counterIsMonotone() async throws {
        var counts: [Int] = []
        var memory = try await FastLogin.memory()
        for _ in 0..<3 {
            let login = try FastLogin(memory: memory) { configuration, _ in configuration.reconnect = .never }
            _ = await login.outcome { peer in
                await peer.expectHeader()
                peer.openStream(ScriptedPeer.sasl2())
                let request = await peer.expect("authenticate")
                counts.append(Self.child(request, "fast")?["count"].flatMap { Int($0) } ?? -1)
                peer.cut()
            }
            memory = await login.session.loginMemory
            #expect(memory.hasToken)
            // The last try may not have been stored when the process was killed.
            let stored = try JSONEncoder().encode(memory)
            memory = try JSONDecoder().decode(LoginMemory.self, from: stored)
        }
        #expect(counts == counts.sorted() && Set(counts).count == 3)
        var spent = FASTToken(mechanism: "HT-SHA-256-EXPR", secret: "s")
        spent.count = Int(Int32.max)
        #expect(spent.tried == nil)
    }

    @Test("an expired token is not tried")
    func expired() async throws {
        let memory = try await FastLogin.memory()
        let login = try FastLogin(memory: memory) { configuration, _ in
            configuration.wallClock = { DateTime(seconds: 5_000_000_000) }
        }
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            let request = await peer.acceptSASL2()
            #expect(Self.child(request, "request-token") != nil)
        }
        #expect(error == nil)
        await login.leave()
    }

    @Test("T045 a token of another domain is never sent")
    func otherDomain() async throws {
        let memory = try await FastLogin.memory()
        let login = try FastLogin(memory: memory) { _, account in
            account.jid = (try? JID("juliet@example.net")) ?? account.jid
        }
        async let outcome: Void = { try? await login.session.connect() }()
        let header = await login.peer.expectHeader()
        #expect(header?["to"] == "example.net")
        await login.peer.expectNothing()
        #expect(await !login.session.loginMemory.hasToken)
        login.peer.cut()
        await login.session.disconnect()
        await outcome
    }

    @Test("T045 a token that proves nothing about the channel goes to no other certificate")
    func otherCertificate() async throws {
        // The account is not bound to a channel here: the server has nothing of the kind.
        let offer = ScriptedPeer.sasl2(["SCRAM-SHA-1"], tokens: ["HT-SHA-256-NONE"], bindings: nil)
        let first = try FastLogin()
        let error = await first.outcome { peer in
            await peer.expectHeader()
            peer.openStream(offer)
            let request = await peer.acceptSASL2(ScriptedPeer.bound(more: ScriptedPeer.token("plain")))
            #expect(Self.child(request, "request-token")?["mechanism"] == "HT-SHA-256-NONE")
        }
        #expect(error == nil)
        let memory = await first.session.loginMemory
        await first.leave()
        for (certificate, usesToken) in [([UInt8](), true), ([1], false)] {
            let login = try FastLogin(memory: memory)
            var information = ScriptedPeer.defaultInformation
            information.peerCertificate = certificate
            login.peer.useTLS(information, direct: true)
            _ = await login.outcome { peer in
                await peer.expectHeader()
                peer.openStream(offer)
                if usesToken {
                    let (request, isRight) = await peer.acceptToken("plain")
                    #expect(request?["mechanism"] == "HT-SHA-256-NONE" && isRight)
                } else {
                    let request = await peer.acceptSASL2()
                    #expect(request?["mechanism"] == "SCRAM-SHA-1")
                }
            }
            await login.leave()
        }
    }

    @Test("a token is given back, and nothing else is asked for")
    func invalidates() async throws {
        let login = try FastLogin(memory: try await FastLogin.memory())
        async let outcome: Void = login.session.invalidateToken()
        await login.peer.expectHeader()
        login.peer.openStream(ScriptedPeer.sasl2())
        let (request, isRight) = await login.peer.acceptToken(
            "t0ken", "<authorization-identifier>juliet@example.org</authorization-identifier>")
        #expect(isRight)
        #expect(Self.child(request, "fast")?["invalidate"] == "true")
        #expect(Self.child(request, "bind") == nil)
        await login.peer.expectEnd()
        try await outcome
        #expect(await !login.session.loginMemory.hasToken)
        #expect(login.peer.connections == 1)
    }
}
