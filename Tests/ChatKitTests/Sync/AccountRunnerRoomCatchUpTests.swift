// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP

@testable import ChatKit

@Suite("Archives of rooms", .timeLimit(.minutes(1)))
struct AccountRunnerRoomCatchUpTests {
    private static let tearoom = "tearoom@rooms.example.org"

    private func said(_ nick: String, _ id: String, _ body: String, occupant: String) -> String {
        "<message from='\(Self.tearoom)/\(nick)' type='groupchat' id='\(id)'><body>\(body)</body>"
            + "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(occupant)'/></message>"
    }

    /// In the room, whose archive has been gone through.
    private func inRoom(
        _ archive: FakeArchive?, _ count: Int = 0
    ) async throws -> (CoreFixture, JID, FakeLink, Conversation.ID) {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try JID(Self.tearoom)
        if let archive {
            for number in 0..<count {
                try archive.add("s\(number)", said("eli", "m\(number)", "\(number)", occupant: "o-eli"))
            }
        }
        link.script { log in
            log.roomArchives[room] = archive
            log.roomFacts[room] = RoomFacts(name: "Tea", namesOccupants: true, hasArchive: archive != nil)
        }
        try await fixture.core.joinRoom(room, account: ann)
        try await enter(fixture, ann, link)
        return (fixture, ann, link, try await fixture.core.conversation(with: room, account: ann).id)
    }

    private func enter(_ fixture: CoreFixture, _ ann: JID, _ link: FakeLink) async throws {
        let room = try JID(Self.tearoom)
        link.tell(RoomNews(room, .joined(nick: "ann", occupant: "o-ann")))
        try await fixture.until {
            try await fixture.core.conversation(with: room, account: ann).room?.state == .joined
        }
    }

    private func out(_ fixture: CoreFixture, _ ann: JID, _ link: FakeLink) async throws {
        let room = try JID(Self.tearoom)
        link.tell(RoomNews(room, .state(.interrupted(.forgotten))))
        try await fixture.until {
            try await fixture.core.conversation(with: room, account: ann).room?.state == .interrupted
        }
    }

    private func bodies(_ fixture: CoreFixture, _ conversation: Conversation.ID) async throws -> [String] {
        try await fixture.core.history(conversation, limit: 500).map(\.body)
    }

    @Test("a room that is new here shows what was said last, as read, with a gap before it; the way back goes on there")
    func beginning() async throws {
        let (fixture, ann, link, conversation) = try await inRoom(FakeArchive(), 80)
        try await fixture.until { try await self.bodies(fixture, conversation).count == 50 }
        let page = try await fixture.core.loadTimeline(conversation, limit: 200)
        #expect(page.messages.map(\.body) == (0..<80).map(String.init) && page.gaps.isEmpty)
        #expect(try await fixture.core.conversation(conversation).unread == 0)
        #expect(link.recorded.roomPages.first == .newest && link.recorded.pages.isEmpty)
        #expect(try await fixture.core.account(ann).gaps.isEmpty)
    }

    @Test("what was said while we were out comes from the room's archive, once, behind the room's own anchor")
    func missed() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link, conversation) = try await inRoom(archive, 1)
        try await fixture.until { try await self.bodies(fixture, conversation) == ["0"] }
        try await out(fixture, ann, link)
        for number in 1...150 {
            try archive.add("s\(number)", said("eli", "m\(number)", "\(number)", occupant: "o-eli"))
        }
        try archive.add("s151", said("ann", "phone", "mine, from elsewhere", occupant: "o-ann"))
        try archive.add("s152", said("ann", "x", "not mine", occupant: "o-mal"))
        try await enter(fixture, ann, link)
        // The newest of it also comes live.
        try await link.receive(
            said("ann", "x", "not mine", occupant: "o-mal").replacing(
                "</message>", with: "<stanza-id xmlns='urn:xmpp:sid:0' by='\(Self.tearoom)' id='s152'/></message>"))
        try await fixture.until { try await self.bodies(fixture, conversation).count == 153 }
        #expect(try await bodies(fixture, conversation).prefix(151) == (0...150).map(String.init)[...])
        let last = try await fixture.core.history(conversation, limit: 2)
        #expect(last.map(\.direction) == [.outgoing, .incoming])
        #expect(try await fixture.core.conversation(conversation).unread == 151)
        #expect(link.recorded.roomPages.contains(.after("s0")) && link.recorded.roomPages.contains(.after("s100")))
    }

    /// A message that the own server took and the room did not give back.
    private func unreflected(
        _ fixture: CoreFixture, _ ann: JID, _ link: FakeLink
    ) async throws -> ChatMessage {
        let message = try await fixture.core.send(to: try JID(Self.tearoom), text: "mine", account: ann).message
        while link.messages.isEmpty { await Task.yield() }
        try await link.write()
        try await link.acknowledge()
        try await fixture.until { try await fixture.core.message(message.id).state == .acknowledged }
        try await out(fixture, ann, link)
        return message
    }

    @Test("T139 what the room did not give back and its archive lacks is sent again with its id when we are in again")
    func lost() async throws {
        let (fixture, ann, link, _) = try await inRoom(FakeArchive())
        let message = try await unreflected(fixture, ann, link)
        try await enter(fixture, ann, link)
        while link.messages.count < 2 { await Task.yield() }
        #expect(link.messages.map(\.id) == [message.originID, message.originID])
        #expect(try await !fixture.core.message(message.id).mayBeDuplicated)
    }

    @Test("T139 what the room's archive has is not sent again")
    func archived() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link, _) = try await inRoom(archive)
        let message = try await unreflected(fixture, ann, link)
        try archive.add("s1", said("ann", try #require(message.originID), "mine", occupant: "o-ann"))
        try await enter(fixture, ann, link)
        try await fixture.until { try await fixture.core.message(message.id).state == .delivered }
        #expect(link.messages.count == 1)
        #expect(try await fixture.core.waitingMessages().isEmpty)
    }

    @Test("T139 a room without an archive gets it again, marked as possibly repeated")
    func noArchive() async throws {
        let (fixture, ann, link, _) = try await inRoom(nil)
        let message = try await unreflected(fixture, ann, link)
        try await enter(fixture, ann, link)
        while link.messages.count < 2 { await Task.yield() }
        #expect(try await fixture.core.message(message.id).mayBeDuplicated)
    }

    @Test("T107 T115 without names of accounts a nickname in the archive proves nothing, but our own row is ours")
    func nicknames() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link, conversation) = try await inRoom(archive)
        let room = try JID(Self.tearoom)
        link.tell(RoomNews(room, .facts(RoomFacts(name: "Teas", hasArchive: true))))
        try await fixture.until { try await fixture.core.conversation(conversation).name == "Teas" }
        let message = try await unreflected(fixture, ann, link)
        try archive.add("s1", said("ann", "old", "somebody else's", occupant: "o-ann"))
        try archive.add("s2", said("ann", try #require(message.originID), "mine", occupant: "x"))
        try await enter(fixture, ann, link)
        try await fixture.until { try await fixture.core.message(message.id).state == .delivered }
        try await fixture.until { try await self.bodies(fixture, conversation).count == 2 }
        let all = try await fixture.core.history(conversation)
        #expect(all.first { $0.body == "somebody else's" }?.direction == .incoming)
    }

    @Test("T119 a moderated message of the archive has no text, and takes away the text that is here")
    func moderated() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link, conversation) = try await inRoom(archive, 2)
        try await fixture.until { try await self.bodies(fixture, conversation) == ["0", "1"] }
        try await out(fixture, ann, link)
        try archive.add(
            "s2",
            "<message from='\(Self.tearoom)' type='groupchat'><retract xmlns='urn:xmpp:message-retract:1' id='s0'>"
                + "<moderated xmlns='urn:xmpp:message-moderate:1' by='\(Self.tearoom)/mod'/></retract></message>")
        try await enter(fixture, ann, link)
        try await fixture.until { try await self.bodies(fixture, conversation) == ["", "1"] }
    }
}
