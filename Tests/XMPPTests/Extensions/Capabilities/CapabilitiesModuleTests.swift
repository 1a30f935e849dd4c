// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("What the programs of others can do", .timeLimit(.minutes(1)))
struct CapabilitiesModuleTests {
    static let identity = "<identity category='client' type='pc' name='Sparrow'/>"
    static let honest = identity + "<feature var='urn:xmpp:ping'/><feature var='urn:xmpp:time'/>"
    static let forged =
        "<identity category='client' type='pc' name='Sparrow&lt;urn:xmpp:ping'/><feature var='urn:xmpp:time'/>"
    static let version = "pavJHSQgwi4ubRgdE+QATziGdV0="

    func present(_ online: OnlineSession, _ from: String, version: String = version) {
        online.peer.inject(
            "<presence from='\(from)'><c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='n' ver='\(version)'/></presence>"
        )
    }

    func answer(_ online: OnlineSession, _ content: String) async -> Element? {
        let get = await online.peer.expect("iq")
        online.peer.inject(
            "<iq type='result' id='\(get?["id"] ?? "")' from='\(get?["to"] ?? "")'>"
                + "<query xmlns='http://jabber.org/protocol/disco#info'>\(content)</query></iq>")
        return get
    }

    func online(_ cache: CapabilityCache = CapabilityCache()) async throws -> OnlineSession {
        try await OnlineSession { $0.modules.append(CapabilitiesModule(cache: cache)) }
    }

    @Test("one of many with the same hash is asked, about the hash")
    func once() async throws {
        let online = try await online()
        for name in ["bo", "cy", "di"] { present(online, "\(name)@example.org/p") }
        await online.settle()
        let (bo, cy, di) = (try JID("bo@example.org/p"), try JID("cy@example.org/p"), try JID("di@example.org/p"))
        async let first = online.session.capabilities(of: bo)
        let get = await online.peer.expect("iq")
        #expect(get?["to"] == "bo@example.org/p" && get?.children.first?["node"] == "n#\(Self.version)")
        async let second = online.session.capabilities(of: cy)
        await online.settle()
        online.peer.inject(
            "<iq type='result' id='\(get?["id"] ?? "")' from='bo@example.org/p'>"
                + "<query xmlns='http://jabber.org/protocol/disco#info'>\(Self.honest)</query></iq>")
        #expect(try await first.supports("urn:xmpp:ping"))
        #expect(try await second.supports("urn:xmpp:ping"))
        #expect(try await online.session.capabilities(of: di).supports("urn:xmpp:time"))
        await online.end()
    }

    @Test("B97 T140 a list that could stand for another one is used for its sender alone")
    func poisoned() async throws {
        let cache = CapabilityCache()
        let online = try await online(cache)
        present(online, "mal@example.net/x")
        present(online, "bo@example.org/p")
        await online.settle()
        let (mal, bo) = (try JID("mal@example.net/x"), try JID("bo@example.org/p"))
        async let first = online.session.capabilities(of: mal)
        _ = await answer(online, Self.forged)
        #expect(try await first.supports("urn:xmpp:ping") == false)
        // Asked once: its own list is remembered for it.
        #expect(try await online.session.capabilities(of: mal).features == ["urn:xmpp:time"])
        async let second = online.session.capabilities(of: bo)
        #expect(await answer(online, Self.honest)?["to"] == "bo@example.org/p")
        #expect(try await second.supports("urn:xmpp:ping"))
        #expect(try await online.session.capabilities(of: mal).features == ["urn:xmpp:time"])
        await online.end()
    }

    @Test("B94 a list that does not fit its hash is used for its sender alone")
    func mismatch() async throws {
        let online = try await online()
        present(online, "bo@example.org/p")
        present(online, "cy@example.org/p")
        await online.settle()
        let (bo, cy) = (try JID("bo@example.org/p"), try JID("cy@example.org/p"))
        async let first = online.session.capabilities(of: bo)
        _ = await answer(online, Self.identity)
        #expect(try await first.features.isEmpty)
        async let second = online.session.capabilities(of: cy)
        #expect(await answer(online, Self.honest)?["to"] == "cy@example.org/p")
        #expect(try await second.features.count == 2)
        await online.end()
    }

    @Test("T140 a list with forms stands for others once somebody of another server sends the same")
    func confirmed() async throws {
        let online = try await online()
        let content = CapabilityDigestTests.two + Self.identity + CapabilityDigestTests.form
        let names = ["bo@example.org/p", "cy@example.org/p", "di@example.net/p", "ed@example.com/p"]
        for name in names { present(online, name, version: "pCSb7YdOzXulSUbIuMyVhF+gUg8=") }
        await online.settle()
        for name in names.prefix(3) {
            let jid = try JID(name)
            async let list = online.session.capabilities(of: jid)
            #expect(await answer(online, content)?["to"] == name)
            #expect(try await list.software?.system == "macOS")
        }
        let last = try JID(names[3])
        #expect(try await online.session.capabilities(of: last).software?.system == "macOS")
        await online.end()
    }

    @Test("a resource that does not know its own hash is asked for itself, one without hash each time it changes")
    func withoutHash() async throws {
        let online = try await online()
        present(online, "bo@example.org/p")
        await online.settle()
        let bo = try JID("bo@example.org/p")
        async let first = online.session.capabilities(of: bo)
        let get = await online.peer.expect("iq")
        online.peer.inject(
            "<iq type='error' id='\(get?["id"] ?? "")' from='bo@example.org/p'><error type='cancel'>"
                + "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
        #expect(await answer(online, Self.honest)?.children.first?["node"] == nil)
        #expect(try await first.features.count == 2)
        #expect(try await online.session.capabilities(of: bo).features.count == 2)
        online.peer.inject(
            "<presence from='bo@example.org/p'><c xmlns='http://jabber.org/protocol/caps' node='n' ver='0.9'/></presence>"
        )
        await online.settle()
        async let second = online.session.capabilities(of: bo)
        _ = await answer(online, Self.identity)
        #expect(try await second.features.isEmpty)
        #expect(try await online.session.capabilities(of: bo).features.isEmpty)
        await online.end()
    }

    @Test("lists outlive the process, and a damaged store does no harm")
    func persistent() async throws {
        let store = ListStore()
        let first = try await online(CapabilityCache(store: store))
        present(first, "bo@example.org/p")
        await first.settle()
        let bo = try JID("bo@example.org/p")
        async let list = first.session.capabilities(of: bo)
        _ = await answer(first, Self.honest)
        _ = try await list
        await first.end()
        #expect(store.texts.withLock { Array($0.keys) } == ["0115 sha-1 \(Self.version)"])
        let second = try await online(CapabilityCache(store: store))
        present(second, "bo@example.org/p")
        await second.settle()
        #expect(try await second.session.capabilities(of: bo).features.count == 2)
        await second.end()
        store.texts.withLock { texts in
            texts = texts.mapValues { $0.replacing("urn:xmpp:ping", with: "urn:xmpp:pong") }
        }
        let third = try await online(CapabilityCache(store: store))
        present(third, "bo@example.org/p")
        await third.settle()
        async let again = third.session.capabilities(of: bo)
        _ = await answer(third, Self.honest)
        #expect(try await again.supports("urn:xmpp:ping"))
        await third.end()
    }

    @Test("B88 our own presence carries each hash once, also when it is sent again")
    func own() async throws {
        let online = try await OnlineSession()
        var presence = Presence(show: .away)
        try await online.session.setPresence(presence)
        let sent = try #require(await online.peer.expect("presence"))
        let names = [XMLName("c", "http://jabber.org/protocol/caps"), XMLName("c", "urn:xmpp:caps")]
        #expect(names.allSatisfy { sent.children($0).count == 1 })
        for payload in sent.children { presence.append(payload) }
        try await online.session.setPresence(presence)
        let again = try #require(await online.peer.expect("presence"))
        #expect(names.allSatisfy { again.children($0).count == 1 })
        let to = try JID("tearoom@rooms.example.org/ann")
        try await online.session.send(Presence(to: to))
        #expect(await online.peer.expect("presence")?.children(names[0]).count == 1)
        try await online.session.setPresence(nil)
        #expect(await online.peer.expect("presence")?.children.isEmpty == true)
        // Whoever asks about the hashes gets what they are of.
        let announced = try #require(sent.child(names[1]).map { ContentHash.all(in: $0) }?.first)
        online.peer.inject(
            "<iq type='get' id='q' from='bo@example.org/p'><query xmlns='http://jabber.org/protocol/disco#info' "
                + "node='urn:xmpp:caps#sha-256.\(announced.element.text)'/></iq>")
        let answer = try #require(await online.peer.expect("iq")?.children.first)
        #expect(DiscoInfo(answer)?.capabilityHash == announced)
        #expect(sent.child(names[0])?["ver"] == DiscoInfo(answer)?.verification)
        await online.end()
    }
}

private final class ListStore: CapabilityStore {
    let texts = Locked([String: String]())
    func capabilities(named name: String) async -> String? { texts.withLock { $0[name] } }
    func keep(_ capabilities: String, named name: String) async { texts.withLock { $0[name] = capabilities } }
}
