// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Carbons (XEP-0280)")
struct MessageCarbonsTests {
    static let inner =
        "<message xmlns='jabber:client' from='bo@example.net/p' to='ann@example.org/pc' type='chat'><body>hi</body></message>"

    func own() throws -> JID { try JID("ann@example.org") }

    func wrap(
        _ from: String?, _ direction: String = "received", type: String = "chat", _ inner: String = inner,
        forwarded: Bool = true
    ) throws -> Message {
        let content = forwarded ? "<forwarded xmlns='urn:xmpp:forward:0'>\(inner)</forwarded>" : inner
        let from = from.map { "from='\($0)'" } ?? ""
        return try receivedMessage(
            "<message \(from) to='ann@example.org/phone' type='\(type)'>"
                + "<\(direction) xmlns='urn:xmpp:carbons:2'>\(content)</\(direction)></message>")
    }

    @Test("B116 a copy that one's own account wraps is accepted")
    func genuine() throws {
        let carbon = try #require(try wrap("ann@example.org").carbon(for: try own()))
        #expect(carbon.direction == .received)
        #expect(carbon.message.body == "hi")
        #expect(carbon.message.from?.description == "bo@example.net/p")
        #expect(try wrap("ann@example.org").carbon(for: try JID("ann@example.org/phone")) != nil)
    }

    @Test("B117 a copy of what another resource sent is outgoing")
    func sent() throws {
        let message =
            "<message xmlns='jabber:client' from='ann@example.org/pc' to='bo@example.org' type='chat' id='c1'>"
            + "<body>hi</body></message>"
        let delay = "<delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/>"
        let carbon = try #require(try wrap("ann@example.org", "sent", delay + message).carbon(for: try own()))
        #expect(carbon.direction == .sent)
        #expect(carbon.message.to?.description == "bo@example.org")
        #expect(carbon.delay?.stamp.description == "2031-03-04T05:06:07Z")
    }

    @Test("T102 B115 a copy that somebody else wraps is a forgery")
    func forged() throws {
        let message = try wrap("mal@example.net/x")
        #expect(message.isCarbon)
        #expect(message.carbon(for: try own()) == nil)
        #expect(try wrap("mallory@evil.example", "sent").carbon(for: try own()) == nil)
    }

    @Test(
        "T103 a copy from the domain, the full own address, nobody, or a room is a forgery",
        arguments: ["example.org", "ann@example.org/phone", "ann@example.org/pc", nil, "room@rooms.example.org/ann"])
    func wrongSender(_ from: String?) throws {
        #expect(try wrap(from).carbon(for: try own()) == nil)
        #expect(try wrap(from).isCarbon)
    }

    @Test("T103 a copy of type groupchat or error is none, outside and inside")
    func wrongType() throws {
        for type in ["groupchat", "error"] {
            #expect(try wrap("ann@example.org", type: type).carbon(for: try own()) == nil)
        }
        let room =
            "<message xmlns='jabber:client' from='r@rooms.example.org/bo' to='ann@example.org/pc' type='groupchat'/>"
        #expect(try wrap("ann@example.org", "received", room).carbon(for: try own()) == nil)
    }

    @Test("T103 a copy without forwarded, without message, or with two of either is none")
    func wrongShape() throws {
        let own = try own()
        #expect(try wrap("ann@example.org", forwarded: false).carbon(for: own) == nil)
        #expect(try wrap("ann@example.org", "received", "").carbon(for: own) == nil)
        #expect(try wrap("ann@example.org", "received", Self.inner + Self.inner).carbon(for: own) == nil)
        let other = "<message xmlns='jabber:server' from='bo@example.net/p' to='ann@example.org'/>"
        #expect(try wrap("ann@example.org", "received", other).carbon(for: own) == nil)
        let twice = try receivedMessage(
            """
            <message from='ann@example.org'><received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
            \(Self.inner)</forwarded></received><sent xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
            \(Self.inner)</forwarded></sent></message>
            """)
        #expect(twice.carbon(for: own) == nil)
    }

    @Test("a copy of something that the account had no part in is none")
    func strangers() throws {
        let message = "<message xmlns='jabber:client' from='bo@example.net/p' to='eve@example.net' type='chat'/>"
        #expect(try wrap("ann@example.org", "received", message).carbon(for: try own()) == nil)
        #expect(try wrap("ann@example.org", "sent", message).carbon(for: try own()) == nil)
    }

    @Test("a message that is no wrap is no copy")
    func plain() throws {
        let message = try receivedMessage(Self.inner)
        #expect(!message.isCarbon)
        #expect(message.carbon(for: try own()) == nil)
    }

    @Test("a private message asks servers for no copies")
    func isPrivate() throws {
        var message = Message.chat(to: try JID("bo@example.org"), "psst")
        message.isPrivate = true
        let text = try written(message)
        #expect(text.contains("<private xmlns='urn:xmpp:carbons:2'/>"))
        #expect(text.contains("<no-copy xmlns='urn:xmpp:hints'/>"))
        message.isPrivate = false
        #expect(!message.isPrivate)
    }
}

@Suite("The carbons module", .timeLimit(.minutes(1)))
struct CarbonsModuleTests {
    @Test("switches carbons on for a new stream")
    func enables() async throws {
        let online = try await OnlineSession { $0.modules.append(CarbonsModule()) }
        let request = await online.peer.expect("iq")
        #expect(request?["type"] == "set")
        #expect(request?["to"] == nil)
        #expect(request?.children.first?.name == XMLName("enable", "urn:xmpp:carbons:2"))
        online.peer.inject("<iq type='result' id='\(request?["id"] ?? "")' from='juliet@example.org'/>")
        await online.settle()
        await online.end()
    }

    @Test("an error of the server reaches whoever asks, and the session lives")
    func refused() async throws {
        let online = try await OnlineSession()
        async let enabling: Void = online.session.enableCarbons()
        let request = await online.peer.expect("iq")
        online.peer.inject(
            """
            <iq type='error' id='\(request?["id"] ?? "")'><error type='cancel'>\
            <feature-not-implemented xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
            """)
        do {
            try await enabling
            Issue.record("an error was taken for a result")
        } catch let error as XMPPError { #expect(error.stanzaError?.condition == .featureNotImplemented) }
        await online.settle()
        await online.end()
    }
}
