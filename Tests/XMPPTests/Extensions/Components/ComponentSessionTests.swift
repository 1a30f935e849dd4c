// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
@testable import XMPP
import XMPPTesting

@Suite("Components (XEP-0114)", .timeLimit(.minutes(1)))
struct ComponentSessionTests {
    let peer = ScriptedPeer(domain: "bridge.example.org")

    func component(
        secret: String = "s3crét", modules: [any SessionModule] = ComponentSession.defaultModules
    ) throws -> ComponentSession {
        var configuration = SessionConfiguration(modules: modules)
        configuration.connector = peer
        configuration.randomness = SeededRandomness()
        configuration.reconnect = .never
        return try ComponentSession(
            "bridge.example.org", secret: secret,
            server: ServerAddress(host: "127.0.0.1", port: 5347, security: .none), configuration: configuration)
    }

    func open(
        id: String = "3BF96D32", from: String = "bridge.example.org", namespace: String = "jabber:component:accept"
    ) {
        peer.inject(
            "<?xml version='1.0'?><stream:stream xmlns='\(namespace)' xmlns:stream='http://etherx.jabber.org/streams' "
                + "id='\(id)' from='\(from)'>")
    }

    func online(_ component: ComponentSession) async throws {
        async let connecting: Void = component.connect()
        await peer.expectHeader()
        open()
        await peer.expect("handshake")
        peer.inject("<handshake/>")
        try await connecting
    }

    func code(_ work: @Sendable () async throws -> Void) async -> XMPPError.Code? {
        do {
            try await work()
            return nil
        } catch { return (error as? XMPPError)?.code }
    }

    @Test("the header has the component's namespace and no version; the proof is the digest of id and secret")
    func handshake() async throws {
        #expect(
            ComponentStream.handshake(id: "3BF96D32", secret: Array("secret".utf8)).text
                == "b09ea9b3b7f586be8a08d0a3dd7466f110aeb136")
        let component = try component()
        async let connecting: Void = component.connect()
        let header = await peer.expectHeader()
        #expect(header?["to"] == "bridge.example.org" && header?["version"] == nil && header?["from"] == nil)
        #expect(peer.writtenText.contains("xmlns=\"jabber:component:accept\""))
        open()
        let proof = await peer.expect("handshake", "jabber:component:accept")
        #expect(proof?.text == ComponentStream.handshake(id: "3BF96D32", secret: Array("s3crét".utf8)).text)
        peer.inject("<handshake/>")
        try await connecting
        #expect(await component.session.jid == component.jid)
        #expect(!peer.writtenText.contains("presence"))
        peer.cut(nil)
        await component.disconnect()
    }

    @Test("a wrong secret is told as that, and shown nowhere")
    func wrongSecret() async throws {
        let component = try component(secret: "hunter2")
        async let connecting = code { try await component.connect() }
        await peer.expectHeader()
        open()
        await peer.expect("handshake")
        peer.inject(
            "<stream:error><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>"
        )
        #expect(await connecting == .notAuthorized)
        #expect(!peer.writtenText.contains("hunter2"))
    }

    @Test(
        "a server of another name, another namespace, without an id, or that sends stanzas first is left",
        arguments: [
            "id='a' from='other.example.org' xmlns='jabber:component:accept'>",
            "id='a' from='bridge.example.org' xmlns='jabber:server'>",
            "from='bridge.example.org' xmlns='jabber:component:accept'>",
            "id='a' from='bridge.example.org' xmlns='jabber:component:accept'><message><body>x</body></message>",
        ])
    func strange(_ rest: String) async throws {
        let component = try component()
        async let connecting = code { try await component.connect() }
        await peer.expectHeader()
        peer.inject("<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams' " + rest)
        let found = await connecting
        #expect(found == .protocolViolation)
    }

    @Test("stanzas to any address of the domain come, and what is sent has a sender")
    func stanzas() async throws {
        let component = try component()
        var incoming = component.messages().makeAsyncIterator()
        var presences = component.presences().makeAsyncIterator()
        try await online(component)
        peer.inject(
            "<message from='ann@example.org/p' to='bo@bridge.example.org' type='chat' id='m'><body>Hi</body></message>"
                + "<presence from='ann@example.org/p' to='bo@bridge.example.org' type='subscribe'/>")
        let message = try await incoming.next()
        #expect(message?.body == "Hi" && message?.to?.description == "bo@bridge.example.org")
        #expect(try await presences.next()?.kind == .subscribe)
        try await component.send(.chat(to: message?.from, "Ho"))
        #expect(await peer.expect("message")?["from"] == "bridge.example.org")
        var other = Message.chat(to: message?.from, "Ho")
        other.from = message?.to
        try await component.send(other)
        #expect(await peer.expect("message")?["from"] == "bo@bridge.example.org")
        try await component.send(Presence(.subscribed, to: message?.from))
        #expect(await peer.expect("presence")?["from"] == "bridge.example.org")
        peer.cut(nil)
        await component.disconnect()
    }

    @Test("requests are answered by whoever was asked, and answers come to those who ask")
    func requests() async throws {
        let component = try component()
        try await online(component)
        peer.inject(
            "<iq type='get' id='d' from='ann@example.org/p' to='bridge.example.org'>"
                + "<query xmlns='http://jabber.org/protocol/disco#info'/></iq>"
                + "<iq type='get' id='e' from='ann@example.org/p' to='bo@bridge.example.org/x'><ping xmlns='urn:xmpp:ping'/></iq>"
                + "<iq type='get' id='f' from='ann@example.org/p' to='bo@bridge.example.org'><x xmlns='urn:unknown'/></iq>"
                + "<iq type='get' id='g' from='ann@example.org/p' to='bo@bridge.example.org'/>")
        let info = await peer.expect("iq")
        #expect(
            info?["from"] == "bridge.example.org" && info?["type"] == "result" && info?["to"] == "ann@example.org/p")
        let identity = info?.children.first?.children.first { $0.localName == "identity" }
        #expect(identity?["category"] == "component")
        #expect(await peer.expect("iq")?["from"] == "bo@bridge.example.org/x")
        let unknown = await peer.expect("iq")
        #expect(unknown?["from"] == "bo@bridge.example.org" && unknown?["type"] == "error")
        #expect(await peer.expect("iq")?["from"] == "bo@bridge.example.org")

        let ann = try JID("ann@example.org/p")
        async let pong = component.request(IQ(.get, to: ann, payload: Ping.request))
        let ping = await peer.expect("iq")
        #expect(ping?["from"] == "bridge.example.org")
        let id = ping?["id"] ?? ""
        // Only whoever was asked answers.
        peer.inject("<iq type='result' id='\(id)' from='mal@example.net' to='bridge.example.org'/>")
        peer.inject("<iq type='result' id='\(id)' from='ann@example.org/p' to='bridge.example.org'/>")
        #expect(try await pong.from == ann)
        peer.cut(nil)
        await component.disconnect()
    }

    @Test("what a module sends by itself comes from whoever was spoken to")
    func modules() async throws {
        let component = try component(modules: [ReceiptsModule(answersByItself: true)])
        try await online(component)
        peer.inject(
            "<message from='ann@example.org/p' to='bo@bridge.example.org' type='chat' id='m'><body>Hi</body>"
                + "<request xmlns='urn:xmpp:receipts'/></message>")
        #expect(await peer.expect("message")?["from"] == "bo@bridge.example.org")
        peer.cut(nil)
        await component.disconnect()
    }

    @Test("the namespace of components means nothing on the stream of a client")
    func onlyComponents() async throws {
        let online = try await OnlineSession()
        online.peer.inject(
            "<message xmlns='jabber:component:accept' from='a@b.example' type='chat'><body>x</body></message>")
        await online.settle()
        #expect(await online.session.droppedStanzas == 1)
        await online.end()
    }
}
