// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: nodes", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerNodesTests {
    static let node = "urn:example:words"

    func session(_ server: TestServer, _ account: Account, nodes: [String] = []) -> XMPPSession {
        var configuration = SessionConfiguration()
        configuration.modules += [PubSubModule(nodes: nodes), CapabilitiesModule()]
        return server.session(account, configuration)
    }

    @Test("items of one's own account are published, found, told of, taken back", arguments: TestServer.all)
    func items(_ server: TestServer) async throws {
        let account = try server.account("alice")
        let desk = session(server, account, nodes: [Self.node])
        let events = desk.nodeEvents()
        try await desk.connect()
        let own = try #require(await desk.jid)
        let service = desk.pubSub()
        #expect(try await service.features().contains("publish-options"))
        var configuration = NodeConfiguration.publicData(.presence)
        configuration.itemCount = .count(10)
        configuration.notifiesRetractions = true
        #expect(try await service.publish(Word("one"), id: "a", to: Self.node, configuration: configuration) == "a")
        // A server that has not yet asked what this program can do tells it nothing: publish until it does.
        let publishing = Task {
            while !Task.isCancelled {
                try await service.publish(Word("two"), id: "b", to: Self.node)
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        for try await event in events where event.node == Self.node && event.isOwn(own) {
            if event.items(as: Word.self).contains(where: { $0.id == "b" }) { break }
        }
        publishing.cancel()
        let items = try await service.items(of: Self.node, as: Word.self)
        #expect(Set(items.map(\.payload.text)) == ["one", "two"])
        #expect(try await service.items(of: Self.node, as: Word.self, ids: ["b"]).map(\.id) == ["b"])
        let read = try await service.configuration(of: Self.node)
        #expect(read.accessModel == .presence && read.keepsItems == true && read.itemCount == .count(10))
        try await service.retract("a", from: Self.node)
        #expect(try await service.items(of: Self.node, as: Word.self).map(\.id) == ["b"])
        try await service.deleteNode(Self.node)
        do {
            let rest = try await service.items(of: Self.node, as: Word.self)
            #expect(rest.isEmpty)
        } catch let error as XMPPError { #expect(error.stanzaError?.condition == .itemNotFound) }
        await desk.disconnect()
    }

    @Test("bookmarks and what was displayed go from device to device, closed to others", arguments: TestServer.all)
    func bookmarks(_ server: TestServer) async throws {
        let account = try server.account("alice")
        let desk = session(server, account)
        let phone = session(server, account, nodes: [Bookmark.node, DisplayedState.node])
        let events = phone.nodeEvents()
        try await desk.connect()
        try await phone.connect()
        let own = try #require(await phone.jid)
        let room = try JID("tearoom@rooms.\(server.domain)")
        #expect(try await desk.fetchBookmarks().isEmpty)
        try await desk.setBookmark(Bookmark(room: room, name: "Tea", joinsAutomatically: true, nickname: "Al"))
        for try await event in events {
            guard case .set(let bookmark) = event.bookmarkChanges(for: own).first else { continue }
            #expect(bookmark.room == room && bookmark.nickname == "Al")
            break
        }
        #expect(try await desk.pubSub().configuration(of: Bookmark.node).accessModel == .whitelist)
        let second = try JID("attic@rooms.\(server.domain)")
        try await phone.setBookmark(Bookmark(room: second))
        #expect(try await Set(desk.fetchBookmarks().map(\.room)) == [room, second])
        try await desk.removeBookmark(of: room)
        #expect(try await phone.fetchBookmarks().map(\.room) == [second])

        let state = DisplayedState(
            conversation: try JID("bo@\(server.domain)"), message: StanzaID(id: "s1", by: own.bare))
        try await desk.setDisplayed(state)
        for try await event in events {
            guard let seen = event.displayedStates(for: own).first else { continue }
            #expect(seen == state)
            break
        }
        let other = DisplayedState(
            conversation: try JID("cy@\(server.domain)"), message: StanzaID(id: "s2", by: own.bare))
        try await desk.setDisplayed(other)
        #expect(try await Set(phone.fetchDisplayedStates()) == [state, other])
        await desk.disconnect()
        await phone.disconnect()
    }

    @Test("a private node of an account is closed to a contact", arguments: TestServer.all)
    func closed(_ server: TestServer) async throws {
        let alice = session(server, try server.account("alice"))
        let bob = session(server, try server.account("bob"))
        try await alice.connect()
        try await bob.connect()
        let own = try #require(await alice.jid)
        try await alice.pubSub().publishPrivately(Word("secret"), id: "a", to: Self.node)
        do {
            let seen = try await bob.pubSub(at: own.bare).items(of: Self.node, as: Word.self)
            #expect(seen.isEmpty)
        } catch let error as XMPPError { #expect(error.stanzaError != nil) }
        #expect(try await alice.pubSub().items(of: Self.node, as: Word.self).map(\.payload.text) == ["secret"])
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("a service for everybody has nodes, subscribers and rights", arguments: TestServer.all)
    func service(_ server: TestServer) async throws {
        // Prosody lets only the keeper make nodes.
        let isProsody = server.kind == "prosody"
        let alice = session(server, try server.account(isProsody ? "keeper" : "alice", isExact: isProsody))
        let bob = session(server, try server.account("bob"))
        let events = bob.nodeEvents()
        let asked = alice.messages()
        try await alice.connect()
        try await bob.connect()
        let peer = try #require(await bob.jid)
        var found: JID?
        for item in try await alice.discoverAll() {
            let info = try? await alice.discoverInfo(of: item.jid)
            if info?.isKind("pubsub", "service") == true { found = item.jid }
        }
        let address = try #require(found)
        let (mine, theirs) = (alice.pubSub(at: address), bob.pubSub(at: address))
        let node = try await mine.createNode("words-\(peer.local ?? "")", .publicData())
        #expect(try await theirs.subscribe(to: node).state == .subscribed)
        #expect(try await theirs.subscriptions().contains { $0.node == node })
        #expect(try await mine.subscribers(of: node).map(\.jid).contains(peer.bare))
        try await mine.publish(Word("hello"), id: "a", to: node)
        for try await event in events where event.node == node {
            #expect(event.service == address && event.items(as: Word.self).first?.payload == Word("hello"))
            break
        }
        try await mine.setRights(.publisher, of: peer.bare, in: node)
        #expect(try await mine.members(of: node).contains { $0.jid == peer.bare && $0.rights == .publisher })
        if try await theirs.features().contains("retrieve-affiliations") {
            #expect(try await theirs.affiliations().contains { $0.node == node && $0.rights == .publisher })
        }
        try await theirs.publish(Word("answer"), id: "b", to: node)
        #expect(try await theirs.items(of: node, as: Word.self).count == 2)
        var words: [String] = []
        for try await page in theirs.itemPages(of: node, as: Word.self, from: PageRequest(limit: 1)) {
            words += page.map(\.payload.text)
        }
        #expect(Set(words) == ["hello", "answer"])
        try await theirs.unsubscribe(from: node)
        try await mine.purge(node)
        #expect(try await mine.items(of: node, as: Word.self).isEmpty)
        try await mine.deleteNode(node)

        // A node whose owner is asked (§8.6), where there is such a thing.
        if try await mine.features().contains("access-authorize") {
            let closed = try await mine.createNode("closed-\(peer.local ?? "")", .publicData(.authorize))
            #expect(try await theirs.subscribe(to: closed).state == .pending)
            for try await message in asked {
                guard let request = message.nodeSubscriptionRequest, request.node == closed else { continue }
                #expect(request.service == address && request.subscriber.isSameBare(as: peer))
                try await alice.answer(request, allows: true)
                break
            }
            for try await event in events where event.node == closed {
                guard case .subscription(let subscription) = event.change else { continue }
                #expect(subscription.state == .subscribed)
                break
            }
            #expect(try await mine.subscribers(of: closed).contains { $0.state == .subscribed && $0.jid == peer.bare })
            try await mine.deleteNode(closed)
        }
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("what a program can do is known by its hash, and asked once", arguments: TestServer.all)
    func capabilities(_ server: TestServer) async throws {
        let alice = session(server, try server.account("alice"))
        let bob = session(server, try server.account("bob"), nodes: [Self.node])
        let seen = alice.presences()
        try await alice.connect()
        try await bob.connect()
        let (own, peer) = (try #require(await alice.jid), try #require(await bob.jid))
        try await bob.send(Presence(to: own))
        for try await presence in seen where presence.from == peer {
            #expect(presence.capabilities?.keys.count == 2)
            break
        }
        let list = try await alice.capabilities(of: peer)
        #expect(list.supports(Self.node + "+notify") && list.isKind("client", "pc"))
        await bob.disconnect()
        #expect(
            list == DiscoInfo(identities: list.identities, features: list.features, forms: list.forms)
                || list.node != nil)
        await alice.disconnect()
    }

    @Test("the server tells how long it runs, and keeps a value of the old kind", arguments: TestServer.all)
    func others(_ server: TestServer) async throws {
        let alice = session(server, try server.account("alice"))
        try await alice.connect()
        let domain = try JID(server.domain)
        do {
            #expect(try await alice.lastActivity(of: domain).age >= .zero)
        } catch let error as XMPPError { #expect(error.stanzaError != nil) }
        try await alice.setPrivateValue(StoredNote(text: "milk"))
        #expect(try await alice.privateValue(StoredNote.self)?.text == "milk")
        do {
            _ = try await alice.commands(of: domain)
        } catch let error as XMPPError { #expect(error.stanzaError != nil) }
        await alice.disconnect()
    }
}

private struct StoredNote: PrivateStorageValue {
    static let storageName = XMLName("note", "urn:example:note")
    var text: String
    init(text: String) { self.text = text }
    init?(_ element: Element) {
        guard element.matches(Self.storageName), !element.text.isEmpty else { return nil }
        text = element.text
    }
    var element: Element { Element(Self.storageName, text: text) }
}
