// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Testing
import XMPP

@testable import ChatKit

@Suite("AccountSessionStore+Rooms")
struct AccountSessionStoreRoomsTests {
    private static let tearoom = "tearoom@rooms.example.org"

    private func inRoom(namesOccupants: Bool = true) async throws -> StoreFixture {
        let fixture = try await StoreFixture.make()
        let (account, room) = (fixture.account, try JID(Self.tearoom))
        try await fixture.store.write { transaction in
            _ = try transaction.wantRoom(account: account, room: room, nick: "ann", password: nil, name: nil)
            let facts = RoomFacts(name: "Tea", namesOccupants: namesOccupants)
            try transaction.learn(RoomNews(room, .facts(facts)), account: account)
            try transaction.learn(
                RoomNews(room, .joined(nick: "ann", occupant: namesOccupants ? "o-ann" : nil)), account: account)
        }
        return fixture
    }

    private func said(
        _ nick: String, _ id: String, _ body: String, occupant: String? = nil, archive: String? = nil, rest: String = ""
    ) -> String {
        let name = occupant.map { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\($0)'/>" } ?? ""
        let stanza = archive.map { "<stanza-id xmlns='urn:xmpp:sid:0' by='\(Self.tearoom)' id='\($0)'/>" } ?? ""
        return
            "<message from='\(Self.tearoom)/\(nick)' to='ann@example.org/x' type='groupchat' id='\(id)'><body>\(body)</body>"
            + "\(name)\(stanza)\(rest)</message>"
    }

    private func messages(_ fixture: StoreFixture) async throws -> [ChatMessage] {
        try await fixture.messages(with: Self.tearoom)
    }

    @Test("B137 the archive of a room has an anchor of its own")
    func anchor() async throws {
        let fixture = try await inRoom()
        let scope = ArchiveScope(room: try JID(Self.tearoom))
        let stanza = try StoreFixture.stanza(said("eli", "1", "tea", occupant: "o-eli"))
        guard case .message(let message) = stanza else {
            Issue.record("no message")
            return
        }
        let page = CatchUpPage(
            messages: [CatchUpMessage(id: "s1", stamp: fixture.time.now, message: message)], isComplete: true)
        try await fixture.session.take(page, of: scope)
        #expect(try await fixture.session.anchor(scope)?.lastID == "s1")
        #expect(try await fixture.session.anchor() == nil)
    }

    @Test("T127 what comes from a room that we did not go into, or have left, is dropped")
    func foreignRoom() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(said("eli", "1", "psst"))
        #expect(try await fixture.count("conversation") == 0)
        let (account, room) = (fixture.account, try JID(Self.tearoom))
        try await fixture.store.write { transaction in
            _ = try transaction.wantRoom(account: account, room: room, nick: "ann", password: nil, name: nil)
            try transaction.leaveRoom(account: account, room: room)
        }
        try await fixture.receive(said("eli", "1", "psst"))
        #expect(try await fixture.count("message") == 0)
    }

    @Test("B133 one's own message is one row: the reflection confirms it, and copies of history add nothing")
    func reflection() async throws {
        let fixture = try await inRoom()
        let row = try await fixture.queue("hello", own: "w12", to: Self.tearoom)
        let reflected = said("ann", "w12", "hello", occupant: "o-ann", archive: "s1")
        try await fixture.receive(reflected)
        #expect(try await fixture.state(of: row) == .delivered)
        let later = said(
            "ann", "w12", "hello", occupant: "o-ann", archive: "s1",
            rest: "<delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z' from='\(Self.tearoom)'/>")
        try await fixture.receive(later, later)
        #expect(try await messages(fixture).count == 1)
        try await fixture.receive(said("eli", "x", "hi", occupant: "o-eli", archive: "s2"))
        try await fixture.receive(said("eli", "x", "hi", occupant: "o-eli", archive: "s2"))
        let all = try await messages(fixture)
        #expect(all.map(\.body) == ["hello", "hi"])
        #expect(all.last?.senderName == "eli" && all.last?.direction == .incoming)
    }

    @Test("T114 somebody who takes our id does not become us")
    func stolenID() async throws {
        let fixture = try await inRoom()
        let row = try await fixture.queue("hello", own: "w12-0123456789abcdef", to: Self.tearoom)
        try await fixture.receive(said("mallory", "w12-0123456789abcdef", "evil", occupant: "o-mal", archive: "s1"))
        try await fixture.receive(said("ann", "w12-0123456789abcdef", "evil too", occupant: "o-mal", archive: "s2"))
        #expect(try await fixture.state(of: row) == .queued)
        #expect(try await messages(fixture).map(\.direction) == [.outgoing, .incoming, .incoming])
    }

    @Test("T115 a nickname that changed hands corrects nothing of whoever had it before; the occupant does under any")
    func occupants() async throws {
        let fixture = try await inRoom()
        try await fixture.receive(said("eli", "1", "mine", occupant: "o-eli", archive: "s1"))
        let replace = "<replace xmlns='urn:xmpp:message-correct:0' id='1'/>"
        try await fixture.receive(said("eli", "2", "stolen", occupant: "o-mal", archive: "s2", rest: replace))
        #expect(try await messages(fixture).map(\.body) == ["mine", "stolen"])
        try await fixture.receive(said("elias", "3", "really mine", occupant: "o-eli", archive: "s3", rest: replace))
        #expect(try await messages(fixture).map(\.body) == ["really mine", "stolen"])
    }

    @Test("T133 a name for the account in a room that announces none is not believed")
    func unannounced() async throws {
        let fixture = try await inRoom(namesOccupants: false)
        try await fixture.receive(said("eli", "1", "mine", occupant: "o", archive: "s1"))
        let replace = "<replace xmlns='urn:xmpp:message-correct:0' id='1'/>"
        try await fixture.receive(said("mallory", "2", "stolen", occupant: "o", archive: "s2", rest: replace))
        #expect(try await messages(fixture).map(\.body) == ["mine", "stolen"])
    }

    @Test("T119 reactions and retractions name the room's id; a moderator's removal says who and why, in either order")
    func changes() async throws {
        let fixture = try await inRoom()
        try await fixture.receive(said("eli", "1", "one", occupant: "o-eli", archive: "s1"))
        try await fixture.receive(
            "<message from='\(Self.tearoom)/kim' type='groupchat' id='r'><reactions xmlns='urn:xmpp:reactions:0' id='s1'>"
                + "<reaction>x</reaction></reactions><occupant-id xmlns='urn:xmpp:occupant-id:0' id='o-kim'/></message>"
        )
        #expect(try await messages(fixture).first?.reactions.first?.people == ["kim"])
        func moderated(_ id: String, from: String) -> String {
            "<message from='\(from)' type='groupchat'><retract xmlns='urn:xmpp:message-retract:1' id='\(id)'>"
                + "<moderated xmlns='urn:xmpp:message-moderate:1' by='\(Self.tearoom)/mod'/><reason>spam</reason></retract></message>"
        }
        // T119: nobody but the room.
        try await fixture.receive(moderated("s1", from: "\(Self.tearoom)/mallory"))
        #expect(try await messages(fixture).map(\.body) == ["one"])
        try await fixture.receive(moderated("s1", from: Self.tearoom), moderated("s2", from: Self.tearoom))
        try await fixture.receive(said("eli", "2", "two", occupant: "o-eli", archive: "s2"))
        let all = try await messages(fixture)
        #expect(all.map(\.body) == ["", ""])
        #expect(all.allSatisfy { $0.moderation == Moderation(by: "mod", reason: "spam") })
    }

    @Test("B106 T122 only the room's own stamp says when something was said; the nickname as a word is a mention")
    func stampsAndMentions() async throws {
        let fixture = try await inRoom()
        try await fixture.receive(
            said(
                "eli", "1", "Ann: tea?", occupant: "o-eli", archive: "s1",
                rest: "<delay xmlns='urn:xmpp:delay' stamp='2020-01-01T00:00:00Z'/>"),
            said("eli", "2", "annual tea", occupant: "o-eli", archive: "s2"))
        let all = try await messages(fixture)
        #expect(all.map(\.isMention) == [true, false])
        #expect(all.allSatisfy { !$0.isDelayed })
        let conversation = try #require(try await fixture.store.read { try Queries.conversations($0) }.first)
        #expect(
            conversation.kind == .room && conversation.unread == 2 && conversation.mentions == 1
                && conversation.name == "Tea")
    }

    @Test("a correction that names the user makes a mention, and one that does not takes it away; the count follows")
    func correctedMention() async throws {
        let fixture = try await inRoom()
        func mentions() async throws -> [Int] {
            try await fixture.store.read { try Queries.conversations($0).flatMap { [$0.unread, $0.mentions] } }
        }
        try await fixture.receive(said("eli", "1", "tea?", occupant: "o-eli", archive: "s1"))
        #expect(try await mentions() == [1, 0])
        for (number, text) in ["Ann: tea?", "Bo: tea?", "ann, tea?"].enumerated() {
            fixture.time.advance(1000)
            try await fixture.receive(
                said(
                    "eli", "c\(number)", text, occupant: "o-eli", archive: "s1\(number)",
                    rest: "<replace xmlns='urn:xmpp:message-correct:0' id='1'/>"))
            let isMention = number != 1
            #expect(try await mentions() == [1, isMention ? 1 : 0])
            #expect(try await messages(fixture).map(\.isMention) == [isMention])
        }
        let conversation = try #require(try await fixture.store.read { try Queries.conversations($0) }.first)
        try await fixture.store.write { try $0.markRead(conversation: conversation.id.rawValue) }
        #expect(try await mentions() == [0, 0])
    }

    @Test("T113 what another device of ours says under an id that it gave before is another message, once")
    func countedIDs() async throws {
        let fixture = try await inRoom()
        let two = [
            said("ann", "1", "one", occupant: "o-ann", archive: "s1"),
            said("ann", "1", "two", occupant: "o-ann", archive: "s2"),
        ]
        for text in two + two { try await fixture.receive(text) }
        #expect(try await messages(fixture).map(\.body) == ["one", "two"])
        #expect(try await messages(fixture).map(\.direction) == [.outgoing, .outgoing])
    }

    @Test("T119 a flood of removals of messages that never come is bounded")
    func moderationFlood() async throws {
        let fixture = try await inRoom()
        for number in 0..<(StoreTransaction.maximumWaiting + 5) {
            try await fixture.receive(
                "<message from='\(Self.tearoom)' type='groupchat'><retract xmlns='urn:xmpp:message-retract:1' id='x\(number)'>"
                    + "<moderated xmlns='urn:xmpp:message-moderate:1' by='\(Self.tearoom)/mod'/></retract></message>")
        }
        #expect(try await fixture.count("retraction") == StoreTransaction.maximumWaiting)
    }

    @Test(
        "a correction is taken back by the room's name for it, by its author or a moderator, in any order",
        arguments: [false, true], ["live", "archive", "early"])
    func correctionTakenBack(isModerated: Bool, order: String) async throws {
        let fixture = try await inRoom()
        let fix = "<replace xmlns='urn:xmpp:message-correct:0' id='1'/>"
        let named = said("eli", "2", "two", occupant: "o-eli", archive: "s2", rest: fix)
        let moderated = "<moderated xmlns='urn:xmpp:message-moderate:1' by='\(Self.tearoom)/mod'/>"
        let back =
            "<message from='\(Self.tearoom)\(isModerated ? "" : "/eli")' type='groupchat' id='3'>"
            + "<retract xmlns='urn:xmpp:message-retract:1' id='s2'>\(isModerated ? moderated : "")</retract>"
            + (isModerated ? "</message>" : "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='o-eli'/></message>")
        // Nobody else's word counts.
        let foreign = back.replacing("/eli'", with: "/kim'").replacing("o-eli", with: "o-kim")
        try await fixture.receive(said("eli", "1", "one", occupant: "o-eli", archive: "s1"))
        if order == "early" { try await fixture.receive(back) }
        if order == "archive" {
            try await fixture.receive(said("eli", "2", "two", occupant: "o-eli", rest: fix))
            guard case .message(let message) = try StoreFixture.stanza(named) else { return }
            try await fixture.session.take(
                CatchUpPage(
                    messages: [CatchUpMessage(id: "s2", stamp: fixture.time.now, message: message)], isComplete: true),
                of: ArchiveScope(room: try JID(Self.tearoom)))
        } else {
            try await fixture.receive(named)
        }
        if order != "early" {
            if !isModerated { try await fixture.receive(foreign) }
            #expect(try await messages(fixture).map(\.body) == ["two"])
            try await fixture.receive(back)
        }
        let message = try #require(try await messages(fixture).first)
        #expect(message.body.isEmpty && message.retracted != nil && (message.moderation != nil) == isModerated)
        #expect(try await fixture.store.read { try $0.value("SELECT count(*) FROM revision WHERE body != ''") } == 0)
    }

    @Test("T139 what the room refused because we were out goes out again when we are in")
    func refused() async throws {
        let fixture = try await inRoom()
        let (account, room) = (fixture.account, try JID(Self.tearoom))
        let row = try await fixture.queue("hello", own: "w1", to: Self.tearoom)
        try await fixture.receive(
            "<message from='\(Self.tearoom)' type='error' id='w1'><error type='modify'>"
                + "<not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>")
        guard case .failed? = try await fixture.state(of: row) else { throw ChatError(.other, "not failed") }
        try await fixture.store.write { transaction in
            _ = try transaction.learn(RoomNews(room, .joined(nick: "ann", occupant: "o-ann")), account: account)
        }
        #expect(try await fixture.state(of: row) == .queued)
        #expect(try await fixture.outbox().map(\.stanzaID) == ["w1"])
    }

    @Test("what is talked about is the room's topic; a subject beside a text is part of a message")
    func topic() async throws {
        let fixture = try await inRoom()
        func topic() async throws -> String? {
            try await fixture.store.read { try Queries.conversations($0) }.first?.room?.topic
        }
        try await fixture.receive(
            "<message from='\(Self.tearoom)/eli' type='groupchat'><subject>Cups</subject></message>",
            "<message from='\(Self.tearoom)/eli' type='groupchat'><subject>No</subject><body>x</body></message>")
        #expect(try await topic() == "Cups")
        try await fixture.receive("<message from='\(Self.tearoom)/eli' type='groupchat'><subject/></message>")
        #expect(try await topic() == nil)
    }

    @Test("our own presence says which nickname the room gave, before anything is said under it")
    func ownPresence() async throws {
        let fixture = try await inRoom()
        func presence(_ status: String) -> String {
            "<presence from='\(Self.tearoom)/ann2'><x xmlns='http://jabber.org/protocol/muc#user'>\(status)</x>"
                + "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='o-ann'/></presence>"
        }
        try await fixture.queue("hello", own: "w1", to: Self.tearoom)
        try await fixture.receive(
            presence("<status code='110'/>"), said("ann2", "w1", "hello", occupant: "o-ann", archive: "s1"))
        #expect(try await messages(fixture).map(\.direction) == [.outgoing])
        #expect(try await fixture.store.read { try Queries.conversations($0) }.first?.room?.nickname == "ann2")
    }

    @Test("T127 an invitation waits in the inbox, once for each room, and nobody goes in by itself")
    func invited() async throws {
        let fixture = try await StoreFixture.make()
        let (account, room) = (fixture.account, try JID(Self.tearoom))
        let mediated = """
            <message from='\(Self.tearoom)'><x xmlns='http://jabber.org/protocol/muc#user'>\
            <invite from='eli@example.net/x'><reason>tea?</reason></invite><password>cups</password></x></message>
            """
        let direct =
            "<message from='eli@example.net/x'><x xmlns='jabber:x:conference' jid='\(Self.tearoom)'/></message>"
        try await fixture.receive(mediated, direct)
        let waiting = try await fixture.store.read { try Queries.invitations($0) }
        #expect(waiting.map(\.room) == [room] && waiting.map(\.reason) == ["tea?"])
        #expect(waiting.first?.inviter?.bare == (try JID("eli@example.net")) && waiting.first?.password == "cups")
        #expect(try await fixture.count("conversation") == 0)
        try await fixture.store.write { transaction in
            _ = try transaction.wantRoom(account: account, room: room, nick: "ann", password: nil, name: nil)
        }
        #expect(try await fixture.count("room_invitation") == 0)
        // Whoever is in the room needs no invitation.
        try await fixture.receive(direct)
        #expect(try await fixture.count("room_invitation") == 0)
    }

    @Test("T129 why we are out is kept, until we are in again; T138 another place is told and not gone to")
    func exits() async throws {
        let fixture = try await inRoom()
        let (account, room) = (fixture.account, try JID(Self.tearoom))
        func standing(after state: RoomState) async throws -> RoomStanding? {
            _ = try await fixture.store.write { try $0.learn(RoomNews(room, .state(state)), account: account) }
            return try await fixture.store.read { try Queries.conversations($0) }.first?.room
        }
        let kicked = try await standing(after: .left(.kicked(RoomRemoval(reason: "noise"))))
        #expect(kicked?.state == .out && kicked?.reason == .kicked && kicked?.text == "noise")
        #expect(kicked?.isWanted == true)
        #expect(try await standing(after: .left(.banned(RoomRemoval())))?.reason == .banned)
        #expect(try await standing(after: .left(.refused(.passwordRequired)))?.reason == .passwordNeeded)
        #expect(try await standing(after: .left(.membersOnly))?.reason == .membersOnly)
        let place = try JID("new@rooms.example.org")
        let gone = try await standing(after: .left(.destroyed(RoomDestruction(alternative: place, reason: "moved"))))
        #expect(gone?.reason == .destroyed && gone?.text == "moved; now at new@rooms.example.org")
        // What passes is not kept.
        try await fixture.store.write { transaction in
            _ = try transaction.learn(RoomNews(room, .joined(nick: "ann", occupant: nil)), account: account)
        }
        #expect(try await standing(after: .interrupted(.serviceStopped))?.reason == nil)
    }

    @Test("what goes to a room waits until we are in it, and goes out in its order")
    func parked() async throws {
        let fixture = try await inRoom()
        let (account, room) = (fixture.account, try JID(Self.tearoom))
        for text in ["1", "2"] { try await fixture.queue(text, own: "w\(text)", to: Self.tearoom) }
        for row in try await fixture.outbox() { try await fixture.store.write { try $0.park(row) } }
        #expect(try await fixture.outbox().isEmpty)
        try await fixture.queue("3", own: "w3")
        let handed = try await fixture.outbox().map(\.id).max() ?? 0
        try await fixture.store.write { transaction in
            _ = try transaction.learn(RoomNews(room, .joined(nick: "ann", occupant: nil)), account: account)
        }
        let rest = try await fixture.outbox().filter { $0.id > handed }
        #expect(rest.map(\.stanzaID) == ["w1", "w2"])
        try await fixture.queue("4", own: "w4")
        #expect(try await fixture.outbox().map(\.stanzaID) == ["w3", "w1", "w2", "w4"])
    }

    @Test("who is in a room is no contact, and their pictures are not the room's; the room may have one")
    func occupantPresence() async throws {
        let fixture = try await inRoom()
        let picture = "<x xmlns='vcard-temp:x:update'><photo>\(String(repeating: "ab", count: 20))</photo></x>"
        try await fixture.receive(
            "<presence from='\(Self.tearoom)/eli'>\(picture)<x xmlns='http://jabber.org/protocol/muc#user'/></presence>"
        )
        #expect(fixture.followUps.withLock { $0 }.isEmpty)
        let presence = fixture.presence.presence(of: try JID(Self.tearoom), account: try JID("ann@example.org"))
        #expect(presence.resources.isEmpty)
        try await fixture.receive("<presence from='\(Self.tearoom)'>\(picture)</presence>")
        #expect(fixture.followUps.withLock { $0 } == [.fetchPictures])
    }
}
