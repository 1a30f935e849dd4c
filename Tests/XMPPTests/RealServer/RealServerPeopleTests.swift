// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: people", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerPeopleTests {
    /// Two people who are online.
    func pair(
        _ server: TestServer, change: (inout SessionConfiguration) -> Void = { _ in }
    ) async throws -> (alice: XMPPSession, bob: XMPPSession) {
        var configuration = SessionConfiguration()
        change(&configuration)
        let alice = server.session(try server.account("alice"), configuration)
        let bob = server.session(try server.account("bob"))
        try await alice.connect()
        try await bob.connect()
        return (alice, bob)
    }

    @Test("a card is begun, changed with all else kept, and read by others", arguments: TestServer.all)
    func card(_ server: TestServer) async throws {
        let (alice, bob) = try await pair(server)
        let aliceJID = try #require(await alice.jid)
        #expect(try await bob.fetchVCard(of: aliceJID) == nil)
        #expect(try await alice.fetchVCard() == nil)
        try await alice.updateVCard { card in
            card.fullName = "Alice & Co"
            card.nicknames = ["al"]
            card.phones = [VCard.Phone("+1 2", places: [.work], kinds: [.voice])]
        }
        let changed = try await alice.updateVCard { $0.note = "a\nb" }
        #expect(changed.fullName == "Alice & Co")
        let seen = try await bob.fetchVCard(of: aliceJID)
        #expect(seen?.fullName == "Alice & Co" && seen?.nicknames == ["al"] && seen?.phones.first?.number == "+1 2")
        try await alice.updateVCard(format: .vCard4) { $0.role = "sender" }
        #expect(try await bob.fetchVCard(of: aliceJID, format: .vCard4)?.role == "sender")
        let bobJID = try #require(await bob.jid)
        try await alice.updateContactCard(of: bobJID) { $0.note = "likes tea" }
        #expect(try await alice.fetchContactCards().map(\.card.note) == ["likes tea"])
        try await alice.removeContactCard(of: bobJID)
        #expect(try await alice.fetchContactCards().isEmpty)
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("an avatar is seen on the node and in the card, replaced, and taken back", arguments: TestServer.all)
    func avatar(_ server: TestServer) async throws {
        let (alice, bob) = try await pair(server)
        let aliceJID = try #require(await alice.jid).bare
        let pictures = [try Picture(SamplePictures.pixel), try Picture(SamplePictures.png(2, 2, filler: 5000))]
        for picture in pictures {
            try await alice.publishAvatar(picture)
            for source in [AvatarRequest.Source.node, .card] {
                let request = AvatarRequest(jid: aliceJID, hash: picture.hash, source: source)
                #expect(try await bob.fetchAvatar(request) == picture, "\(source)")
            }
        }
        try await alice.publishAvatar(pictures[0], audience: .contacts)
        await #expect(throws: XMPPError.self) {
            _ = try await bob.fetchAvatar(AvatarRequest(jid: aliceJID, hash: pictures[0].hash, source: .node))
        }
        try await alice.removeAvatar()
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("whoever looks at presences hears of the picture in the card", arguments: TestServer.all)
    func announced(_ server: TestServer) async throws {
        let (alice, bob) = try await pair(server)
        let own = try #require(await alice.jid)
        let seen = alice.presences()
        let picture = try Picture(SamplePictures.pixel)
        // A program that knows only the card, as the other programs of before.
        try await alice.updateVCard { $0.photo = .picture(picture) }
        try await alice.announceAvatar(.picture(picture.hash))
        try await alice.setPresence(Presence())
        try await Self.wait(seen) { $0.from == own && $0.avatar == .picture(picture.hash) }
        #expect(try await bob.fetchVCard(of: own)?.photo != nil)
        let request = AvatarRequest(jid: own.bare, hash: picture.hash, source: .card)
        #expect(try await bob.fetchAvatar(request) == picture)
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("who is blocked is listed, pushed, kept away and let through again", arguments: TestServer.all)
    func blocking(_ server: TestServer) async throws {
        let pushes = Locked([BlockPush]())
        let (alice, bob) = try await pair(server) {
            $0.modules.append(BlockingModule { push in pushes.withLock { $0.append(push) } })
        }
        let bobJID = try #require(await bob.jid)
        let aliceJID = try #require(await alice.jid)
        var list = try await alice.fetchBlockList()
        #expect(list.addresses.isEmpty)
        let isReported = try await alice.block(bobJID.bare, reporting: AbuseReport(.spam, text: "test"))
        #expect(try await isReported == alice.discoverServer().supports(AbuseReport.namespace))
        for push in pushes.withLock({ $0 }) { list.apply(push) }
        #expect(list.blocks(bobJID))
        #expect(try await alice.fetchBlockList().rule(for: bobJID) == bobJID.bare)
        let bounces = alice.messages()
        try await alice.send(.chat(to: bobJID, "hello"))
        var iterator = bounces.makeAsyncIterator()
        let bounce = try await iterator.next()
        let error = try #require(bounce?.error)
        #expect(list.explains(error, from: bounce?.from))
        #expect(await failureCode { _ = try await bob.softwareVersion(of: aliceJID) } == .requestFailed)
        try await alice.unblock([bobJID.bare])
        #expect(try await alice.fetchBlockList() == BlockList())
        #expect(try await bob.softwareVersion(of: aliceJID) == .library)
        try await alice.block([bobJID.bare, try JID("spam.example")])
        try await alice.unblockAll()
        for push in pushes.withLock({ $0 }) { list.apply(push) }
        #expect(try await alice.fetchBlockList() == BlockList())
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("a contact who moved is believed when the old account says so", arguments: TestServer.all)
    func moved(_ server: TestServer) async throws {
        let (alice, bob) = try await pair(server)
        let carol = server.session(try server.account("carol"))
        try await carol.connect()
        let bobJID = try #require(await bob.jid).bare
        let carolJID = try #require(await carol.jid).bare
        let aliceJID = try #require(await alice.jid).bare
        let asked = bob.presences()
        try await alice.requestSubscription(to: bobJID, known: nil)
        try await Self.wait(asked) { $0.kind == .subscribe }
        try await bob.acceptSubscription(of: aliceJID)
        try await bob.announceMove(to: carolJID)
        let contact = RosterItem(jid: bobJID, subscription: .both)
        for (address, isTrue) in [(carolJID, true), (try JID("mal@\(server.domain)"), false)] {
            var request = Presence.movedRequest(to: aliceJID, from: bobJID)
            request.from = address
            let claim = try #require(request.moveClaim { $0 == bobJID ? contact : nil })
            #expect(try await alice.verify(claim) == isTrue)
        }
        for session in [alice, bob, carol] { await session.disconnect() }
    }

    static func wait(_ presences: Subscription<Presence>, _ isIt: (Presence) -> Bool) async throws {
        for try await presence in presences where isIt(presence) { return }
    }

    @Test("groups are renamed and dissolved", arguments: TestServer.all)
    func groups(_ server: TestServer) async throws {
        let (alice, bob) = try await pair(server)
        let names = try ["a", "b"].map { try JID("\($0)@\(server.domain)") }
        try await alice.setRosterItems(names.map { RosterItem(jid: $0, groups: ["Old"]) })
        var list = ContactList()
        _ = list.apply(try await alice.fetchRoster())
        #expect(list.groups == ["Old"] && list.count == 2)
        try await alice.setRosterItems(list.renaming(group: "Old", to: "New"))
        #expect(list.apply(try await alice.fetchRoster()).changed.count == 2)
        #expect(list.groups == ["New"])
        try await alice.setRosterItems(list.renaming(group: "New", to: ""))
        _ = list.apply(try await alice.fetchRoster())
        #expect(list.groups.isEmpty && list.contacts(in: nil).count == 2)
        await alice.disconnect()
        await bob.disconnect()
    }
}
