// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("What logins leave to be remembered", .timeLimit(.minutes(1)))
struct LoginMemoryTests {
    @Test("comes back from its stored form, without what cannot be read")
    func stored() async throws {
        let memory = try await FastLogin.memory()
        let data = try JSONEncoder().encode(memory)
        var back = try JSONDecoder().decode(LoginMemory.self, from: data)
        #expect(back.token?.secret == "t0ken")
        #expect(back.strongest == "SCRAM-SHA-1-PLUS")
        #expect(back.wasBound)
        #expect(back.offer == memory.offer)
        back.token = memory.token
        #expect(back == memory)
        // A later version may keep other things.
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        object["offer"] = "other"
        object["token"] = ["kind": 2]
        object["more"] = 1
        let odd = try JSONDecoder().decode(LoginMemory.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(odd.offer == nil && odd.token == nil)
        #expect(odd.userAgentID == memory.userAgentID)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(LoginMemory.self, from: Data("[]".utf8)) }
    }

    @Test("T032 T033 a weaker login is refused and explained, until it is permitted once")
    func weakerLogin() async throws {
        var memory = try await FastLogin.memory()
        memory.forgetToken()
        let offer = ScriptedPeer.mechanisms("SCRAM-SHA-1")
        let refused = try FastLogin(memory: memory) { configuration, _ in configuration.sendsAhead = false }
        let error = await refused.outcome { peer in
            await peer.expectHeader()
            peer.openStream(offer)
            await peer.expectEnd()
        }
        #expect(error?.code == .downgraded)
        #expect(error?.description.contains("permit the weaker login once") == true)
        #expect(!refused.peer.writtenText.contains("<auth"))

        memory.permitWeakerLogin()
        let permitted = try FastLogin(memory: memory)
        let none = await permitted.outcome { peer in
            await peer.expectHeader()
            peer.openStream(offer)
            await peer.acceptSCRAM()
            await peer.expectHeader()
            peer.openStream(id: "up", ScriptedPeer.bindFeatures)
            await peer.acceptBind(jid: "juliet@example.org/x")
        }
        #expect(none == nil)
        #expect(await permitted.session.loginMemory.strongest == "SCRAM-SHA-1")
        await permitted.leave()
    }

    @Test("T033 T034 a bound account goes into a WebSocket when that is permitted once, and stays bound elsewhere")
    func webSocket() async throws {
        var memory = try await FastLogin.memory()
        memory.forgetToken()
        let offer = ScriptedPeer.mechanisms("SCRAM-SHA-1", "SCRAM-SHA-1-PLUS")
        let place = Endpoint(host: "ws.example.org", webSocketPath: "/ws")
        func logIn(_ memory: LoginMemory) throws -> FastLogin {
            let login = try FastLogin(memory: memory) { _, account in
                account.server = ServerAddress(webSocket: "wss://ws.example.org/ws")
            }
            login.peer.lead(to: place)
            return login
        }
        let refused = try logIn(memory)
        let error = await refused.outcome { peer in
            // Whatever was offered to those who came another way: nothing goes ahead here.
            await peer.expectHeader()
            peer.openStream(offer)
            await peer.expectEnd()
        }
        #expect(error?.code == .downgraded)
        #expect(error?.description.contains("inside a WebSocket") == true)
        #expect(!refused.peer.writtenText.contains("auth"))

        memory.permitWeakerLogin()
        let permitted = try logIn(memory)
        let none = await permitted.outcome { peer in
            await peer.expectHeader()
            peer.openStream(offer)
            await peer.acceptSCRAM()
            await peer.expectHeader()
            peer.openStream(id: "up", ScriptedPeer.bindFeatures)
            await peer.acceptBind(jid: "juliet@example.org/x")
        }
        #expect(none == nil)
        var after = await permitted.session.loginMemory
        #expect(after.wasUnboundInWebSocket && !after.wasBound && after.isOfferOfWebSocket)
        await permitted.leave()
        // Bound again by another way; both hold from now on.
        after.wasBound = true
        after = try JSONDecoder().decode(LoginMemory.self, from: JSONEncoder().encode(after))
        let elsewhere = try FastLogin(memory: after)
        let lesser = await elsewhere.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
            await peer.expectEnd()
        }
        #expect(lesser?.code == .downgraded)
        let again = try logIn(after)
        let good = await again.outcome { peer in
            await peer.expectHeader()
            peer.openStream(offer)
            await peer.acceptSCRAM()
            await peer.expectHeader()
            peer.openStream(id: "up", ScriptedPeer.bindFeatures)
            await peer.acceptBind(jid: "juliet@example.org/x")
        }
        #expect(good == nil)
        await again.leave()
    }

    @Test("a login that failed teaches nothing about the server")
    func failuresTeachNothing() async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2(["SCRAM-SHA-1"], bindings: nil))
            await peer.expect("authenticate")
            peer.inject(TokenLoginTests.notAuthorized)
            await peer.expectEnd()
        }
        #expect(error?.code == .notAuthorized)
        let memory = await login.session.loginMemory
        #expect(memory.offer == nil && memory.strongest == nil && !memory.hasToken)
    }

    @Test("an account without a local part logs in as a guest, and takes the address it is given")
    func guest() async throws {
        let login = try FastLogin { configuration, account in
            account = Account(jid: (try? JID("example.org")) ?? account.jid, credentials: .none)
            configuration.usesStreamManagement = false
        }
        let error = await login.outcome { peer in
            let header = await peer.expectHeader()
            #expect(header?["from"] == nil)
            peer.openStream(ScriptedPeer.sasl2(["ANONYMOUS"], bind: nil) + ScriptedPeer.mechanisms("ANONYMOUS"))
            let request = await peer.expect("authenticate")
            #expect(request?["mechanism"] == "ANONYMOUS")
            #expect(request?.children.contains { $0.localName == "request-token" } == false)
            peer.inject(
                "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>g7@example.org</authorization-identifier></success>"
                    + "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>")
            await peer.acceptBind(jid: "g7@example.org/r", managed: false)
        }
        #expect(error == nil)
        #expect(await login.session.jid?.description == "g7@example.org/r")
        await login.leave()
    }
}
