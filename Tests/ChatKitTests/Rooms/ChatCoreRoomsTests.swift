// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Rooms", .timeLimit(.minutes(1)))
struct ChatCoreRoomsTests {
    private let tearoom = JID(wire: "tearoom@rooms.example.org")

    @Test("a group is made without asking where, its people become members, and it is bookmarked")
    func create() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let made = try await fixture.core.createRoom(
            .group, name: "Tea", inviting: [try JID("bo@example.net/p")], account: ann)
        #expect(made.kind == .room && made.name == "Tea" && made.peer.domain == "rooms.example.org")
        #expect(
            link.recorded.rooms.filter { !$0.hasPrefix("follow") } == [
                "create group Tea ann", "invite bo@example.net as member",
            ])
        #expect(link.recorded.bookmarks.map(\.room) == [made.peer])
        let sent = try await fixture.core.send(to: made.peer, text: "hello", account: ann)
        while link.messages.isEmpty { await Task.yield() }
        #expect(link.messages.first?.kind == .groupchat && link.messages.first?.requestsReceipt == false)
        #expect(sent.message.state == .queued)
        try await fixture.core.leaveRoom(made.peer, account: ann)
        #expect(link.recorded.bookmarks.isEmpty && link.recorded.rooms.last == "leave \(made.peer)")
    }

    @Test("a channel has its name in its address")
    func channel() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        let made = try await fixture.core.createRoom(.channel, name: "  Swift & Tea! ", account: ann)
        #expect(made.peer.description == "swift-tea@rooms.example.org")
        #expect(try await fixture.core.roomAddress("Swift", account: ann).description == "swift@rooms.example.org")
        #expect(try await fixture.core.publicRooms(account: ann).map(\.name) == ["Swift"])
    }

    @Test("a room that does not let us in is not kept; one that does is entered again after each login")
    func join() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        link.script { $0.roomRefusal = XMPPError(.requestFailed, "no") }
        await #expect(throws: ChatError.self) { try await fixture.core.joinRoom(room, account: ann) }
        link.script { $0.roomRefusal = nil }
        let runner = try fixture.core.runner(ann)
        let row = await runner.account
        #expect(try await fixture.core.store.read { try Queries.wantedRooms($0, account: row) }.isEmpty)
        try await fixture.core.joinRoom(room, as: "annie", account: ann)
        link.tell(RoomNews(room, .facts(RoomFacts(name: "Tea"))))
        link.tell(RoomNews(room, .joined(nick: "annie2", occupant: nil)))
        try await fixture.until {
            let conversation = try await fixture.core.conversation(with: room, account: ann)
            return conversation.name == "Tea" && conversation.room?.state == .joined
        }
        link.emit(.online(try ann.with(resource: "again"), isResumed: false))
        while !link.recorded.rooms.contains("follow \(room) annie2") { await Task.yield() }
    }

    @Test("T158 whoever takes a person for a room keeps the conversation with them; nor does a bookmark make one of it")
    func person() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        try await fixture.core.send(to: bo, text: "hello", account: ann)
        try await link.receive("<message from='bo@example.net/p' type='chat' id='1'><body>hi</body></message>")
        link.script { $0.roomRefusal = XMPPError(.requestFailed, "no") }
        await #expect(throws: ChatError.self) { try await fixture.core.joinRoom(bo, account: ann) }
        var talk = try await fixture.core.conversation(with: bo, account: ann)
        #expect(talk.kind == .chat && talk.room == nil && talk.lastMessage?.body == "hi")
        let runner = try fixture.core.runner(ann)
        await runner.take([.set(Bookmark(room: bo, joinsAutomatically: true))])
        talk = try await fixture.core.conversation(with: bo, account: ann)
        #expect(talk.kind == .chat)
        let before = link.messages.count
        try await fixture.core.send(to: bo, text: "again", account: ann)
        while link.messages.count == before { await Task.yield() }
        #expect(link.messages.last?.kind == .chat)
    }

    @Test("a room that could not be made leaves no trace")
    func notMade() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        link.script { $0.roomRefusal = XMPPError(.requestFailed, "no") }
        await #expect(throws: ChatError.self) {
            try await fixture.core.createRoom(.channel, name: "Swift", account: ann)
        }
        #expect(try await fixture.core.conversations().isEmpty)
    }

    @Test("what people do in a room stands in one line between the messages, live and in a page")
    func activity() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        try await fixture.core.joinRoom(room, account: ann)
        link.tell(RoomNews(room, .joined(nick: "ann", occupant: nil)))
        let id = try await fixture.core.conversation(with: room, account: ann).id
        var live = fixture.core.roomActivityUpdates().makeAsyncIterator()
        #expect(try await live.next()?.rows.isEmpty == true)
        try await link.receive("<message from='\(room)/bo' type='groupchat' id='1'><body>one</body></message>")
        link.tell(RoomNews(room, .occupant(.came("eli"))))
        var line = try #require(try await live.next()?.inserted.first)
        #expect(line.people == [.init(name: "eli", change: .came)] && line.room == room && line.account == ann)
        link.tell(RoomNews(room, .occupant(.kicked("bo", reason: "enough"))))
        line = try #require(try await live.next()?.updated.first)
        #expect(line.people.map(\.name) == ["eli", "bo"])
        try await link.receive("<message from='\(room)/eli' type='groupchat' id='2'><body>two</body></message>")
        link.tell(RoomNews(room, .occupant(.left("eli"))))
        _ = try await live.next()
        var page = try await fixture.core.timeline(id)
        #expect(page.messages.map(\.body) == ["one", "two"])
        let shown = page.entries().compactMap { entry -> String? in
            switch entry {
            case .message(let message): message.body
            case .activity(let activity): activity.people.map(\.name).joined(separator: ",")
            case .day, .unread, .gap: nil
            }
        }
        #expect(shown == ["one", "eli,bo", "two", "eli"])
        page = try await fixture.core.timeline(id, at: .before(page.messages[1].id))
        #expect(page.activities.map(\.people.count) == [2])
    }

    @Test("a room's picture is set by its owner, and fetched when the room names another one")
    func picture() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        let (own, other) = (try Picture(ChatCoreFilesTests.jpeg), try Picture(ChatCoreFilesTests.jpeg + [0]))
        link.script { $0.pictures[other.hash] = other }
        try await fixture.core.joinRoom(room, account: ann)
        await #expect(throws: ChatError.self) {
            try await fixture.core.setRoomPicture([1, 2, 3], of: room, account: ann)
        }
        try await fixture.core.setRoomPicture(own.bytes, of: room, account: ann)
        #expect(link.recorded.rooms.last == "picture \(room) \(own.hash)")
        #expect(try await fixture.core.conversation(with: room, account: ann).picture == own.hash)
        #expect(await fixture.core.picture(own.hash)?.bytes == own.bytes)
        link.tell(RoomNews(room, .facts(RoomFacts(name: "Tea", picture: other.hash))))
        try await fixture.until {
            try await fixture.core.conversation(with: room, account: ann).picture == other.hash
        }
        try await fixture.core.setRoomPicture(nil, of: room, account: ann)
        #expect(link.recorded.rooms.last == "picture \(room) -")
        #expect(try await fixture.core.conversation(with: room, account: ann).picture == nil)
    }

    @Test("a room that does not exist is told from one that refuses, and leaves no trace")
    func noSuchRoom() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        for refusal in [RoomRefusal.notFound, .creationForbidden] {
            link.script { $0.roomRefusal = XMPPError(.roomRefused, "no", underlying: refusal) }
            let error = await #expect(throws: ChatError.self) { try await fixture.core.joinRoom(room, account: ann) }
            #expect(error?.code == .unknownRoom)
            #expect(try await fixture.core.conversations().isEmpty)
        }
        link.script { $0.roomRefusal = XMPPError(.roomRefused, "no", underlying: RoomRefusal.passwordRequired) }
        let error = await #expect(throws: ChatError.self) { try await fixture.core.joinRoom(room, account: ann) }
        #expect(error?.code == .roomRefused)
        // A bookmark of a room that is gone is no reason to try for ever.
        link.script { $0.roomRefusal = nil }
        try await fixture.core.joinRoom(room, account: ann)
        link.tell(RoomNews(room, .state(.left(.refused(.notFound)))))
        try await fixture.until {
            try await fixture.core.conversation(with: room, account: ann).room?.reason == .destroyed
        }
    }

    @Test("what only those in a room may do waits until the account has come in again, as after a login")
    func waitsForEntry() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        try await fixture.core.joinRoom(room, account: ann)
        link.script { $0.roomsOutside = [room] }
        link.tell(RoomNews(room, .state(.joining)))
        async let topic: Void = fixture.core.changeRoom(room, RoomChange(topic: "Cups"), account: ann)
        async let kicked: Void = fixture.core.changeMember(.nickname("eli"), of: room, to: .role(.none), account: ann)
        async let invited: Void = fixture.core.invite([try JID("bo@example.net")], to: room, account: ann)
        async let details = fixture.core.room(room, account: ann)
        try await fixture.until {
            try await fixture.core.conversation(with: room, account: ann).room?.state == .joining
        }
        #expect(!link.recorded.rooms.contains { $0.hasPrefix("change") || $0.hasPrefix("member") })
        link.script {
            $0.roomsOutside = []
            $0.roomFacts[room] = RoomFacts(name: "Tea")
        }
        link.tell(RoomNews(room, .joined(nick: "ann", occupant: nil)))
        try await topic
        try await kicked
        try await invited
        #expect(try await details.name == "Tea")
        #expect(link.recorded.rooms.contains("change \(room) Cups -"))
        #expect(link.recorded.rooms.contains("invite bo@example.net"))
    }

    @Test("a room that the user left, or was put out of, says so at once")
    func notInRoom() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        func refused() async -> ChatError? {
            await #expect(throws: ChatError.self) {
                try await fixture.core.changeRoom(room, RoomChange(topic: "Cups"), account: ann)
            }
        }
        #expect(await refused()?.code == .notInRoom)
        try await fixture.core.joinRoom(room, account: ann)
        link.script { $0.roomsOutside = [room] }
        link.tell(RoomNews(room, .state(.left(.kicked(RoomRemoval(reason: "noise"))))))
        try await fixture.until {
            try await fixture.core.conversation(with: room, account: ann).room?.state == .out
        }
        let error = await refused()
        #expect(error?.code == .notInRoom && error?.description.contains("noise") == true)
        // Owners set a room up from outside.
        try await fixture.core.changeRoom(room, RoomChange(description: "for tea"), account: ann)
        try await fixture.core.changeMember(
            .account(try JID("bo@example.net")), of: room, to: .affiliation(.member), account: ann)
        #expect(link.recorded.rooms.filter { $0.hasPrefix("change") }.count == 1)
    }

    @Test("T129 a room that put us out is not entered by itself, and shows why, also when the profile is opened again")
    func kicked() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        try await fixture.core.joinRoom(room, account: ann)
        link.tell(RoomNews(room, .state(.left(.banned(RoomRemoval(reason: "spam"))))))
        try await fixture.until {
            try await fixture.core.conversation(with: room, account: ann).room?.reason == .banned
        }
        let streams = link.recorded.rooms.filter { $0.hasPrefix("follow") }.count
        link.emit(.online(try ann.with(resource: "again"), isResumed: false))
        let other = try JID("other@rooms.example.org")
        try await fixture.core.joinRoom(other, account: ann)
        link.emit(.online(try ann.with(resource: "more"), isResumed: false))
        while !link.recorded.rooms.contains("follow \(other) ann") { await Task.yield() }
        #expect(link.recorded.rooms.filter { $0 == "follow \(room) ann" }.count == streams)
        // The user says so.
        try await fixture.core.joinRoom(room, account: ann)
        #expect(try await fixture.core.conversation(with: room, account: ann).room?.reason == nil)
    }

    @Test("what another device bookmarks is entered, and what it drops is left, at once or at the next login")
    func bookmarks() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        link.tell(.bookmarks([.set(Bookmark(room: room, joinsAutomatically: true, nickname: "a"))]))
        while !link.recorded.rooms.contains("follow \(room) a") { await Task.yield() }
        link.tell(.bookmarks([.removed(room)]))
        while !link.recorded.rooms.contains("leave \(room)") { await Task.yield() }
        try await fixture.core.joinRoom(room, account: ann)
        #expect(link.recorded.bookmarks.map(\.room) == [room])
        link.script { $0.bookmarks = [] }
        link.emit(.online(try ann.with(resource: "again"), isResumed: false))
        try await fixture.until {
            try await fixture.core.conversation(with: room, account: ann).room?.isWanted == false
        }
    }

    @Test("a list that was asked for before the user left a room, or went into one, says nothing about it")
    func lateList() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        let other = try JID("other@rooms.example.org")
        try await fixture.core.joinRoom(room, account: ann)
        let list = link.recorded.bookmarks
        try await fixture.core.leaveRoom(room, account: ann)
        try await fixture.core.joinRoom(other, account: ann)
        link.script { $0.bookmarks = list }
        link.tell(.bookmarks([.all]))
        while link.recorded.rooms.last != "follow \(other) ann" { await Task.yield() }
        let left = try #require(link.recorded.rooms.firstIndex(of: "leave \(room)"))
        #expect(!link.recorded.rooms[left...].contains("follow \(room) ann"))
        #expect(try await fixture.core.conversation(with: room, account: ann).room?.isWanted == false)
        #expect(try await fixture.core.conversation(with: other, account: ann).room?.isWanted == true)
    }

    @Test("what the list of the server lacks because it was not reached is added at the next login")
    func unpublished() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        link.script { $0.refusesBookmarks = true }
        try await fixture.core.joinRoom(room, account: ann)
        #expect(link.recorded.bookmarks.isEmpty)
        link.script { $0.refusesBookmarks = false }
        link.emit(.online(try ann.with(resource: "again"), isResumed: false))
        while link.recorded.bookmarks.map(\.room) != [room] { await Task.yield() }
        #expect(try await fixture.core.conversation(with: room, account: ann).room?.isWanted == true)
    }

    @Test("T139 what waits for a room goes out in order, also when it lets us in while that is looked at")
    func parkedInOrder() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        try await fixture.core.joinRoom(room, account: ann)
        link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        let core = fixture.core
        try await fixture.until { try await !core.account(ann).connection.isOnline }
        for number in 1...4 { _ = try await core.send(to: room, text: "\(number)", account: ann) }
        link.script { $0.roomsOutsideOnce = [room] }
        link.emit(.online(try ann.with(resource: "fake"), isResumed: true))
        while link.messages.count < 4 { await Task.yield() }
        #expect(link.messages.compactMap(\.body) == ["1", "2", "3", "4"])
    }

    @Test("an invitation is accepted with its password, or declined")
    func invitation() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        let invite = """
            <message from='\(room)'><x xmlns='http://jabber.org/protocol/muc#user'>\
            <invite from='eli@example.net/x'/><password>cups</password></x></message>
            """
        try await link.receive(invite)
        #expect(try await fixture.core.invitations().map(\.room) == [room])
        try await fixture.core.declineInvitation(to: room, account: ann)
        #expect(link.recorded.rooms.last == "decline \(room) true")
        #expect(try await fixture.core.invitations().isEmpty)
        try await link.receive(invite)
        try await fixture.core.joinRoom(room, account: ann)
        #expect(link.recorded.bookmarks.first?.password == "cups")
        #expect(try await fixture.core.invitations().isEmpty)
    }

    @Test("a moderator takes a message out by the room's name for it; one of a conversation of two cannot be")
    func moderation() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try #require(tearoom)
        try await fixture.core.joinRoom(room, account: ann)
        try await link.receive(
            "<message from='\(room)/eli' type='groupchat' id='1'><body>x</body>"
                + "<stanza-id xmlns='urn:xmpp:sid:0' by='\(room)' id='s1'/></message>")
        let conversation = try await fixture.core.conversation(with: room, account: ann)
        let message = try #require(conversation.lastMessage)
        try await fixture.core.moderate(message.id, reason: "spam")
        #expect(link.recorded.rooms.last == "moderate s1 spam")
        let other = try await fixture.core.send(to: try JID("bo@example.net"), text: "x", account: ann).message
        await #expect(throws: ChatError.self) { try await fixture.core.moderate(other.id) }
        try await fixture.core.changeMember(.nickname("eli"), of: room, to: .role(.none), account: ann)
        try await fixture.core.changeRoom(room, RoomChange(topic: "Cups"), account: ann)
        try await fixture.core.destroyRoom(room, account: ann)
        #expect(
            link.recorded.rooms.suffix(3) == [
                #"member nickname("eli") role(XMPP.RoomRole.none)"#, "change \(room) Cups -", "destroy \(room)",
            ])
    }
}
