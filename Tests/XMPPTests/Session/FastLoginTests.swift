// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Foundation
import Testing
import XMPP
import XMPPTesting

/// A session against a server with SASL2, over direct TLS, without a presence of its own accord.
struct FastLogin {
    let peer = ScriptedPeer()
    let session: XMPPSession

    init(
        memory: LoginMemory = LoginMemory(), resource: String? = nil, modules: [any SessionModule]? = nil,
        change: (inout SessionConfiguration, inout Account) -> Void = { _, _ in }
    ) throws {
        peer.useTLS(ScriptedPeer.defaultInformation, direct: true)
        var configuration = SessionConfiguration()
        if let modules { configuration.modules = modules }
        configuration.readsArchive = true
        configuration.connector = peer
        configuration.randomness = SeededRandomness()
        configuration.initialPresence = nil
        configuration.reconnect = ReconnectPolicy(minimum: .zero, maximum: .zero, stableAfter: .zero)
        var account = try Account("juliet@example.org" + (resource.map { "/\($0)" } ?? ""), password: "secret")
        account.memory = memory
        change(&configuration, &account)
        session = XMPPSession(account: account, configuration: configuration)
    }

    /// The error that the login ends with, nil when it gets online.
    func outcome(_ script: (ScriptedPeer) async -> Void) async -> XMPPError? {
        async let outcome: XMPPError? = {
            do {
                try await session.connect()
                return nil
            } catch { return error as? XMPPError }
        }()
        await script(peer)
        return await outcome
    }

    func leave() async {
        peer.cut(nil)
        await session.disconnect()
    }

    /// What a first login with a token leaves.
    static func memory(token: String = "t0ken", tokens: [String] = ["HT-SHA-256-EXPR", "HT-SHA-256-NONE"]) async throws
        -> LoginMemory
    {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2(tokens: tokens))
            await peer.acceptSASL2(ScriptedPeer.bound(more: ScriptedPeer.token(token)))
        }
        #expect(error == nil)
        let memory = await login.session.loginMemory
        await login.leave()
        return memory
    }
}

@Suite("A login by SASL2", .timeLimit(.minutes(1)))
struct FastLoginTests {
    static func child(_ element: Element?, _ name: String, _ namespace: String) -> Element? {
        element?.children.first { $0.localName == name && $0.namespace == namespace }
    }

    @Test("T096 address, carbons and stream management come with the success, before any features")
    func everythingInOne() async throws {
        let login = try FastLogin(resource: "balcony", modules: [CarbonsModule()])
        let error = await login.outcome { peer in
            let header = await peer.expectHeader()
            #expect(header?["from"] == "juliet@example.org")
            peer.openStream(ScriptedPeer.sasl2())
            let request = await peer.acceptSASL2()
            #expect(request?["mechanism"] == "SCRAM-SHA-1-PLUS")
            let bind = Self.child(request, "bind", "urn:xmpp:bind:0")
            #expect(bind?.children.first { $0.localName == "tag" }?.text == "balcony")
            #expect(Self.child(bind, "enable", "urn:xmpp:carbons:2") != nil)
            #expect(Self.child(bind, "enable", "urn:xmpp:sm:3")?["resume"] == "true")
            let agent = Self.child(request, "user-agent", "urn:xmpp:sasl:2")?["id"] ?? ""
            #expect(UUID(uuidString: agent) != nil)
            #expect(agent.dropFirst(14).first == "4")
            #expect(Self.child(request, "request-token", "urn:xmpp:fast:0")?["mechanism"] == "HT-SHA-256-EXPR")
        }
        #expect(error == nil)
        #expect(await login.session.jid?.description == "juliet@example.org/Apus~1")
        #expect(await login.session.isSwitchedOn("urn:xmpp:carbons:2"))
        // The features are late, and a request for the count comes before them.
        login.peer.inject(
            "<r xmlns='urn:xmpp:sm:3'/><stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>")
        #expect(await login.peer.expect("a")?["h"] == "0")
        login.peer.inject("<r xmlns='urn:xmpp:sm:3'/>")
        await login.peer.expect("a")
        #expect(await login.session.offersRosterVersioning)
        #expect(!login.peer.writtenText.contains("urn:ietf:params:xml:ns:xmpp-bind"))
        await login.leave()
    }

    @Test("a login says that nobody looks, and says so again only on a resumed stream")
    func inactive() async throws {
        let login = try FastLogin()
        await login.session.setActive(false)
        let bind = ["urn:xmpp:csi:0", "urn:xmpp:sm:3"]
        let late = "<stream:features><csi xmlns='urn:xmpp:csi:0'/></stream:features>"
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2(bind: bind, tokens: nil))
            let request = await peer.acceptSASL2()
            #expect(Self.child(Self.child(request, "bind", "urn:xmpp:bind:0"), "inactive", "urn:xmpp:csi:0") != nil)
        }
        #expect(error == nil)
        login.peer.inject(late + "<r xmlns='urn:xmpp:sm:3'/>")
        await login.peer.expect("a")
        #expect(login.peer.writtenText.components(separatedBy: "<inactive").count == 2)
        await login.session.setActive(true)
        await login.peer.expect("active", "urn:xmpp:csi:0")
        await login.session.setActive(false)
        await login.peer.expect("inactive", "urn:xmpp:csi:0")
        login.peer.cut()
        await login.peer.expectHeader()
        login.peer.openStream(ScriptedPeer.sasl2(bind: bind, tokens: nil))
        await login.peer.acceptSASL2(
            "<authorization-identifier>juliet@example.org</authorization-identifier>"
                + "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>")
        await login.peer.expect("r", "urn:xmpp:sm:3")
        login.peer.inject(late)
        await login.peer.expect("inactive", "urn:xmpp:csi:0")
        await login.leave()
    }

    @Test("the installation keeps its name, whatever else is forgotten")
    func userAgentIsStable() async throws {
        let memory = try await FastLogin.memory()
        let stored = try JSONDecoder().decode(LoginMemory.self, from: JSONEncoder().encode(memory))
        #expect(stored.userAgentID == memory.userAgentID)
        #expect(stored.userAgentID != nil)
        #expect(!String(reflecting: memory).contains("t0ken"))
        #expect(!"\(memory)".contains("t0ken"))
    }

    @Test("T092 the stream of before goes on inside the success, without features after it")
    func resumes() async throws {
        let login = try FastLogin()
        var events = EventReader(login.session)
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2(tokens: nil))
            await peer.acceptSASL2()
        }
        #expect(error == nil)
        login.peer.cut()
        await login.peer.expectHeader()
        login.peer.openStream(ScriptedPeer.sasl2(tokens: nil))
        let request = await login.peer.acceptSASL2(
            "<authorization-identifier>juliet@example.org</authorization-identifier>"
                + "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>")
        let resume = Self.child(request, "resume", "urn:xmpp:sm:3")
        #expect(resume?["previd"] == "sm-1")
        #expect(resume?["h"] == "0")
        let isResumed = try await events.next { event -> Bool? in
            if case .online(_, true) = event { true } else { nil }
        }
        #expect(isResumed == true)
        await login.peer.expect("r", "urn:xmpp:sm:3")
        login.peer.inject("<r xmlns='urn:xmpp:sm:3'/>")
        #expect(await login.peer.expect("a")?["h"] == "0")
        await login.leave()
    }

    @Test("T095 a refused resumption and the new address come in one success")
    func refusedResumption() async throws {
        let login = try FastLogin()
        var events = EventReader(login.session)
        _ = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2(tokens: nil))
            await peer.acceptSASL2()
        }
        try await login.session.send(.chat(to: JID("romeo@example.net"), "one"))
        #expect(await login.peer.expect("message") != nil)
        login.peer.cut()
        while let step = await login.peer.next() { if case .header = step { break } }
        login.peer.openStream(ScriptedPeer.sasl2(tokens: nil))
        await login.peer.acceptSASL2(
            "<authorization-identifier>juliet@example.org/Apus~2</authorization-identifier>"
                + "<failed xmlns='urn:xmpp:sm:3'><error type='cancel'/></failed>"
                + "<bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='sm-2' resume='1'/></bound>")
        let bound = try await events.next { event -> JID? in
            if case .online(let jid, false) = event, jid.resource == "Apus~2" { jid } else { nil }
        }
        #expect(bound != nil)
        // What was not acknowledged goes out on the new stream.
        #expect(await login.peer.expect("message")?.child(.body)?.text == "one")
        await login.leave()
    }

    @Test("a program that reads no archive leaves its offline messages with the server, which Bind 2 would drop")
    func withoutArchive() async throws {
        let login = try FastLogin(modules: [CarbonsModule()]) { configuration, _ in configuration.readsArchive = false }
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            let request = await peer.acceptSASL2(
                "<authorization-identifier>juliet@example.org</authorization-identifier>")
            #expect(Self.child(request, "bind", "urn:xmpp:bind:0") == nil)
            #expect(Self.child(request, "request-token", "urn:xmpp:fast:0") != nil)
            peer.inject("<stream:features>\(ScriptedPeer.bindFeatures)</stream:features>")
            await peer.acceptBind(jid: "juliet@example.org/r")
        }
        #expect(error == nil)
        #expect(await !login.session.isSwitchedOn("urn:xmpp:carbons:2"))
        #expect(await login.peer.expect("iq")?.children.first { $0.localName == "enable" } != nil)
        await login.leave()
    }

    @Test("OF09 a server that cannot bind inside the login gets the steps of RFC 6120 after it, without a new stream")
    func withoutBind2() async throws {
        let login = try FastLogin(resource: "balcony")
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(
                "<authentication xmlns='urn:xmpp:sasl:2'><mechanism>SCRAM-SHA-1</mechanism></authentication>")
            let request = await peer.acceptSASL2(
                "<authorization-identifier>juliet@example.org</authorization-identifier>")
            #expect(Self.child(request, "bind", "urn:xmpp:bind:0") == nil)
            peer.inject("<stream:features>\(ScriptedPeer.bindFeatures)</stream:features>")
            await peer.acceptBind()
        }
        #expect(error == nil)
        await login.leave()
    }

    @Test(
        "T042 a success for another account, or without an address, is none",
        arguments: [
            "<authorization-identifier>romeo@example.org/x</authorization-identifier>",
            "<authorization-identifier>juliet@example.net/x</authorization-identifier>",
            "<authorization-identifier>example.org</authorization-identifier>",
            "<authorization-identifier>juliet@example.org</authorization-identifier>", "",
            "<authorization-identifier>@/</authorization-identifier>",
        ])
    func foreignAddress(_ identifier: String) async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.acceptSASL2(
                identifier + "<bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='x'/></bound>")
            await peer.expectEnd()
        }
        #expect(error?.code == .protocolViolation)
    }

    @Test(
        "T019 T093 only what was asked for is taken from a success",
        arguments: [
            "<resumed xmlns='urn:xmpp:sm:3' previd='x' h='0'/>", "<failed xmlns='urn:xmpp:sm:3'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='x' h='0'/><bound xmlns='urn:xmpp:bind:0'/>",
        ])
    func unasked(_ result: String) async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.acceptSASL2(
                "<authorization-identifier>juliet@example.org/a</authorization-identifier>\(result)")
            await peer.expectEnd()
        }
        #expect(error?.code == .protocolViolation)
    }

    @Test("B43 T041 a success without the server's proof, and a second one, end the stream")
    func unprovenSuccess() async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.provingSCRAM()
            peer.inject("<success xmlns='urn:xmpp:sasl:2'>\(ScriptedPeer.bound())</success>")
            await peer.expectEnd()
        }
        #expect(error?.code == .serverNotAuthentic)

        let second = try FastLogin { configuration, _ in configuration.reconnect = .never }
        let none = await second.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.acceptSASL2()
        }
        #expect(none == nil)
        second.peer.inject("<success xmlns='urn:xmpp:sasl:2'>\(ScriptedPeer.bound())</success>")
        #expect(await second.peer.expectEnd()?.children.contains { $0.localName == "unsupported-stanza-type" } == true)
        await second.session.disconnect()
    }

    @Test("T041 challenges without end are no login")
    func endlessChallenges() async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.expect("authenticate")
            for _ in 0..<8 { peer.inject("<challenge xmlns='urn:xmpp:sasl:2'>PGI+PC9iPg==</challenge>") }
            await peer.expectEnd()
        }
        #expect(error?.code == .authenticationFailed)
    }

    @Test("T032 a list of mechanisms that was changed on the way ends the login before the proof")
    func changedOffer() async throws {
        let full = SASLOffer(
            mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"],
            channelBindings: ["tls-exporter", "tls-server-end-point"])
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            await peer.provingSCRAM(protecting: full)
            await peer.expectEnd()
        }
        #expect(error?.code == .downgraded)
        #expect(!login.peer.writtenText.contains("<response"))

        // The same lists, whatever their order.
        let honest = try FastLogin()
        let none = await honest.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2(["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"]))
            let (_, proof) = await peer.provingSCRAM(
                protecting: SASLOffer(
                    mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"],
                    channelBindings: ["tls-server-end-point", "tls-exporter"]))
            peer.inject(
                "<success xmlns='urn:xmpp:sasl:2'><additional-data>\(proof)</additional-data>\(ScriptedPeer.bound())</success>"
            )
        }
        #expect(none == nil)
        await honest.leave()
    }

    @Test("a task that Apus cannot do is refused with the server's words")
    func unknownTask() async throws {
        let login = try FastLogin()
        let error = await login.outcome { peer in
            await peer.expectHeader()
            peer.openStream(ScriptedPeer.sasl2())
            let (_, proof) = await peer.provingSCRAM()
            peer.inject(
                "<continue xmlns='urn:xmpp:sasl:2'><additional-data>\(proof)</additional-data>"
                    + "<tasks><task>TOTP-EXAMPLE</task></tasks><text>enter the &lt;code></text></continue>")
            await peer.expectEnd()
        }
        #expect(error?.code == .taskRequired)
        #expect(error?.description.contains("TOTP-EXAMPLE") == true)
        #expect(error?.description.contains("enter the <code>") == true)
    }
}
