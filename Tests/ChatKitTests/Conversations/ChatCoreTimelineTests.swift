// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Timeline", .timeLimit(.minutes(1)))
struct ChatCoreTimelineTests {
    private func receive(
        _ link: FakeLink, _ numbers: ClosedRange<Int>, rest: (Int) -> String = { _ in "" }
    ) async throws {
        for number in numbers {
            try await link.receive(
                """
                <message from='bo@example.net/p' to='ann@example.org' type='chat' id='m\(number)'>\
                <body>\(number)</body>\(rest(number))</message>
                """)
        }
    }

    private func conversation(_ fixture: CoreFixture, _ ann: JID) async throws -> Conversation.ID {
        try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
    }

    @Test("a page lies around, before or after a message, and says what is next to it")
    func pages() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await receive(link, 1...20)
        let id = try await conversation(fixture, ann)
        let all = try await fixture.core.history(id)
        func bodies(_ place: TimelinePlace, _ limit: Int = 5) async throws -> [String] {
            try await fixture.core.timeline(id, at: place, limit: limit).messages.map(\.body)
        }
        #expect(try await bodies(.newest) == ["16", "17", "18", "19", "20"])
        #expect(try await bodies(.around(all[9].id)) == ["8", "9", "10", "11", "12"])
        #expect(try await bodies(.around(all[19].id)) == ["16", "17", "18", "19", "20"])
        #expect(try await bodies(.before(all[2].id)) == ["1", "2"])
        #expect(try await bodies(.after(all[17].id)) == ["19", "20"])
        let page = try await fixture.core.timeline(id, at: .around(all[9].id), limit: 5)
        #expect(page.hasOlder && page.hasNewer)
        let first = try await fixture.core.timeline(id, at: .before(all[2].id))
        #expect(!first.hasOlder && first.hasNewer)
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.timeline(id, at: .around(.init(rawValue: 999)))
        }
        #expect(error?.code == .unknownMessage)
    }

    @Test("a live part keeps its beginning: what comes later pushes nothing out")
    func live() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await receive(link, 1...6)
        let id = try await conversation(fixture, ann)
        var updates = fixture.core.timelineUpdates(id, limit: 3).makeAsyncIterator()
        #expect(try await updates.next()?.rows.map(\.body) == ["4", "5", "6"])
        try await receive(link, 7...7)
        let second = try #require(try await updates.next())
        #expect(second.rows.map(\.body) == ["4", "5", "6", "7"])
        #expect(second.inserted.map(\.body) == ["7"] && second.removed.isEmpty && second.moved.isEmpty)
    }

    @Test("days, the boundary of what is unread and gaps stand where they belong")
    func entries() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await receive(link, 1...2)
        fixture.time.advance(24 * 60 * 60 * 1000)
        try await receive(link, 3...3)
        let id = try await conversation(fixture, ann)
        let all = try await fixture.core.history(id)
        try await fixture.core.markRead(id, through: all[0].id)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        let page = try await fixture.core.timeline(id)
        let gap = TimelineGap(id: .init(rawValue: 1), before: all[0].id)
        let shown = TimelinePage(
            messages: page.messages, hasOlder: false, hasNewer: false, readThrough: page.readThrough, gaps: [gap])
        let words = shown.entries(calendar: calendar).map { entry in
            switch entry {
            case .day: "day"
            case .unread: "unread"
            case .gap: "gap"
            case .activity: "activity"
            case .message(let message): message.body
            }
        }
        #expect(words == ["gap", "day", "1", "unread", "2", "day", "3"])
    }

    @Test("reading tells the other devices by the archive's name, and the other side where it asked")
    func readingIsTold() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let account = try await fixture.core.runner(ann).account
        try await fixture.core.store.write { try $0.setTrustsStanzaIDs(true, account: account) }
        try await link.receive(
            """
            <iq type='set' id='1'><query xmlns='jabber:iq:roster'><item jid='bo@example.net' subscription='both'/>\
            </query></iq>
            """)
        try await receive(link, 1...2) { number in
            "<markable xmlns='urn:xmpp:chat-markers:0'/><stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a\(number)'/>"
        }
        let id = try await conversation(fixture, ann)
        try await fixture.core.markRead(id)
        let bo = try JID("bo@example.net")
        while link.recorded.published.isEmpty || link.messages.isEmpty { await Task.yield() }
        #expect(link.recorded.published == [DisplayedState(conversation: bo, message: StanzaID(id: "a2", by: ann))])
        #expect(link.messages.map(\.displayedID) == ["m2"])
        // Once only.
        try await fixture.core.markRead(id)
        try await receive(link, 3...3)
        link.tell(.displayed([DisplayedState(conversation: bo, message: StanzaID(id: "a2", by: ann))]))
        #expect(try await fixture.core.conversation(id).unread == 1)
        #expect(link.messages.count == 1 && link.recorded.published.count == 1)
    }

    @Test("a user who keeps reading private tells the own devices alone")
    func privateReading() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        var settings = AccountSettings()
        settings.tellsReading = false
        try await fixture.core.setSettings(settings, of: ann)
        try await fixture.core.send(to: try JID("bo@example.net"), text: "hi", account: ann)
        try await receive(link, 1...1) { _ in "<markable xmlns='urn:xmpp:chat-markers:0'/>" }
        try await fixture.core.markRead(try await conversation(fixture, ann))
        try await link.write()
        #expect(link.messages.allSatisfy { $0.displayedID == nil })
        #expect(try await fixture.core.waitingMessages().count <= 1)
    }

    @Test("what another device read is read here as it is told")
    func readElsewhere() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let account = try await fixture.core.runner(ann).account
        try await fixture.core.store.write { try $0.setTrustsStanzaIDs(true, account: account) }
        try await receive(link, 1...3) { number in
            "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a\(number)'/>"
        }
        let id = try await conversation(fixture, ann)
        let state = DisplayedState(
            conversation: try JID("bo@example.net"), message: StanzaID(id: "a2", by: ann))
        link.tell(.displayed([state]))
        try await fixture.until { try await fixture.core.conversation(id).unread == 1 }
        #expect(link.recorded.published.isEmpty)
    }

    @Test("what two devices read at once is told again by the one that read more, once")
    func toldAgain() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let account = try await fixture.core.runner(ann).account
        try await fixture.core.store.write { try $0.setTrustsStanzaIDs(true, account: account) }
        try await receive(link, 1...3) { number in
            "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a\(number)'/>"
        }
        try await fixture.core.markRead(try await conversation(fixture, ann))
        func state(_ id: String) throws -> DisplayedState {
            DisplayedState(conversation: try JID("bo@example.net"), message: StanzaID(id: id, by: ann))
        }
        while link.recorded.published.isEmpty { await Task.yield() }
        link.tell(.displayed([try state("a3")]))
        link.tell(.displayed([try state("a1")]))
        while link.recorded.published.count < 2 { await Task.yield() }
        link.tell(.displayed([try state("a1")]))
        link.tell(.displayed([try state("a2")]))
        // News are taken in order: when this one is, the others were.
        link.tell(.bookmarks([.set(Bookmark(room: try JID("last@rooms.example.org"), joinsAutomatically: true))]))
        while !link.recorded.rooms.contains(where: { $0.hasPrefix("follow last@") }) { await Task.yield() }
        #expect(link.recorded.published == [try state("a3"), try state("a3")])
    }

    @Test("an archived conversation comes back with a message that is announced, not with one that is muted")
    func archived() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await receive(link, 1...1)
        let id = try await conversation(fixture, ann)
        try await fixture.core.setArchived(true, id)
        try await fixture.core.mute(id, until: Date(milliseconds: fixture.time.now + 1000))
        try await receive(link, 2...2)
        #expect(try await fixture.core.conversation(id).isArchived)
        fixture.time.advance(2000)
        try await receive(link, 3...3)
        let now = try await fixture.core.conversation(id)
        #expect(!now.isArchived && !now.isMuted(at: Date(milliseconds: fixture.time.now)))
        try await fixture.core.setArchived(true, id)
        try await fixture.core.setLevel(.none, id)
        try await receive(link, 4...4)
        #expect(try await fixture.core.conversation(id).isArchived)
    }
}
