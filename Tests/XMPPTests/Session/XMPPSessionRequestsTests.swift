// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Requests and their replies", .timeLimit(.minutes(1)))
struct XMPPSessionRequestsTests {
    static let payload = Element(XMLName("x", "urn:example:odd"))

    /// Sends a request, and one reply after another until one is taken.
    func expectReplies(to address: String?, from senders: [String?], accepted: String?) async throws {
        let online = try await OnlineSession()
        let jid = try address.map { try JID($0) }
        async let reply = online.session.get(Self.payload, to: jid)
        let get = await online.peer.expect("iq")
        let id = get?["id"] ?? ""
        for sender in senders {
            let from = sender.map { "from='\($0)'" } ?? ""
            online.peer.inject("<iq type='result' id='\(id)' \(from)><forged xmlns='urn:example:odd'/></iq>")
        }
        await online.settle()
        let from = accepted.map { "from='\($0)'" } ?? ""
        online.peer.inject("<iq type='result' id='\(id)' \(from)><true xmlns='urn:example:odd'/></iq>")
        #expect(try await reply.payload?.localName == "true")
        #expect(await online.session.droppedStanzas == senders.count)
        await online.end()
    }

    @Test(
        "T070 B61 OF20 a question to the own account may be answered by nobody, the account, its domain or the own resource",
        arguments: [nil, "juliet@example.org", "example.org", "juliet@example.org/balcony"])
    func ownAccount(_ from: String?) async throws {
        try await expectReplies(
            to: nil,
            from: ["mal@example.net/x", "juliet@example.org/other", "juliet@example.net", "romeo@example.org"],
            accepted: from)
    }

    @Test(
        "T068 B61 a question to a contact is answered by exactly that address",
        arguments: ["bo@example.org", "bo@example.org/p"])
    func contact(_ address: String) async throws {
        let other = address == "bo@example.org" ? "bo@example.org/p" : "bo@example.org"
        try await expectReplies(
            to: address, from: [nil, other, "example.org", "juliet@example.org", "mal@example.net/x"], accepted: address
        )
    }

    @Test("T070 a question to the domain is answered by the domain")
    func domain() async throws {
        try await expectReplies(
            to: "example.org", from: [nil, "juliet@example.org", "example.net", "x@example.org"],
            accepted: "example.org")
    }

    @Test("T069 ids are long, and follow from nothing that was seen")
    func ids() async throws {
        let online = try await OnlineSession { $0.randomness = SystemRandomness() }
        var ids: Set<String> = []
        for _ in 0..<50 {
            async let reply = online.session.get(Self.payload)
            let id = await online.peer.expect("iq")?["id"] ?? ""
            // 22 characters of 64 make 132 bits.
            #expect(id.utf8.count >= 22)
            ids.insert(id)
            online.peer.inject("<iq type='result' id='\(id)'/>")
            _ = try await reply
        }
        #expect(ids.count == 50)
        #expect(Set(ids.map { $0.prefix(4) }).count > 45)
        await online.end()
    }

    @Test("T071 a duplicate reply, a late one and a request with a pending id complete nothing")
    func once() async throws {
        let online = try await OnlineSession()
        async let reply = online.session.get(Self.payload)
        let id = await online.peer.expect("iq")?["id"] ?? ""
        online.peer.inject("<iq type='set' id='\(id)' from='juliet@example.org'><y xmlns='urn:example:odd'/></iq>")
        let refusal = await online.peer.expect("iq")
        #expect(refusal?["type"] == "error" && refusal?["id"] == id)
        online.peer.inject(
            "<iq type='result' id='\(id)'><first xmlns='urn:example:odd'/></iq>"
                + "<iq type='result' id='\(id)'><second xmlns='urn:example:odd'/></iq>"
                + "<iq type='error' id='\(id)'/>")
        #expect(try await reply.payload?.localName == "first")
        await online.settle()
        #expect(await online.session.droppedStanzas == 2)

        do {
            _ = try await online.session.get(Self.payload, timeout: .milliseconds(5))
            Issue.record("nobody answered")
        } catch let error as XMPPError { #expect(error.code == .timedOut) }
        let late = await online.peer.expect("iq")?["id"] ?? ""
        online.peer.inject("<iq type='result' id='\(late)'/>")
        await online.settle()
        #expect(await online.session.droppedStanzas == 3)
        await online.end()
    }

    @Test("T071 two open requests never have one id")
    func sameID() async throws {
        let online = try await OnlineSession()
        let romeo = try JID("romeo@example.net/a")
        let bo = try JID("bo@example.net/a")
        async let first = online.session.request(IQ(.get, to: romeo, id: "same", payload: Self.payload))
        await online.peer.expect("iq")
        do {
            _ = try await online.session.request(IQ(.get, to: bo, id: "same", payload: Self.payload))
            Issue.record("an id was used twice")
        } catch let error as XMPPError { #expect(error.code == .invalidArgument) }
        online.peer.inject("<iq type='result' id='same' from='romeo@example.net/a'/>")
        #expect(try await first.from == romeo)
        await online.end()
    }

    @Test("cancelling a request forgets it")
    func cancelled() async throws {
        let online = try await OnlineSession()
        let session = online.session
        let task = Task { try await session.get(Self.payload) }
        let id = await online.peer.expect("iq")?["id"] ?? ""
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        online.peer.inject("<iq type='result' id='\(id)'/>")
        await online.settle()
        #expect(await online.session.droppedStanzas == 1)
        await online.end()
    }
}

@Suite("What is sent around the bind", .timeLimit(.minutes(1)))
struct BindOrderTests {
    func login(_ features: String, _ script: (ScriptedPeer, XMPPSession) async throws -> Void) async throws {
        let login = try ScriptedLogin()
        var configuration = login.configuration
        configuration.usesStreamManagement = false
        configuration.initialPresence = nil
        let session = XMPPSession(account: login.account, configuration: configuration)
        async let connecting: Void = session.connect()
        await login.peer.acceptTLS()
        login.peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await login.peer.acceptSCRAM()
        await login.peer.expectHeader()
        login.peer.openStream(id: "up", features)
        try await script(login.peer, session)
        try await connecting
        await session.disconnect()
    }

    static let bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"

    @Test("OF13 an optional legacy session is skipped, a required one is made")
    func legacySession() async throws {
        let session = "<session xmlns=\"urn:ietf:params:xml:ns:xmpp-session\">"
        try await login(Self.bind + session + "<optional/></session>") { peer, _ in
            await peer.acceptBind(managed: false)
        }
        try await login(Self.bind + session + "</session>") { peer, _ in
            await peer.acceptBind(managed: false)
            let set = await peer.expect("iq")
            #expect(set?.children.first?.localName == "session")
            peer.inject(
                "<iq type=\"result\" id=\"\(set?["id"] ?? "")\" from=\"juliet@example.org\" to=\"juliet@example.org/balcony\"/>"
            )
        }
    }

    @Test("OF14 what is sent before the address is bound waits until then")
    func queued() async throws {
        try await login(Self.bind) { peer, session in
            try await session.send(.chat(to: JID("romeo@example.org"), "hi", id: "early"))
            let bind = await peer.expect("iq")
            await peer.expectNothing()
            peer.inject(
                "<iq type=\"result\" id=\"\(bind?["id"] ?? "")\" to=\"example.org/0f6c2a1e\"><bind "
                    + "xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"><jid>juliet@example.org/balcony</jid></bind></iq>")
            #expect(await peer.expect("message")?["id"] == "early")
        }
    }
}
