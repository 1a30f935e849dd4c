// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Conversations", .timeLimit(.minutes(1)))
struct ChatCoreConversationsTests {
    private func receive(_ link: FakeLink, _ numbers: ClosedRange<Int>, from peer: String = "bo@example.net")
        async throws
    {
        for number in numbers {
            try await link.receive("<message from='\(peer)/p' id='m\(number)'><body>\(number)</body></message>")
        }
    }

    @Test("history is read in pages, before and after a message, each row once")
    func pages() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await receive(link, 1...25)
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        var all: [String] = []
        var before: ChatMessage.ID?
        while true {
            let page = try await fixture.core.history(id, before: before, limit: 10)
            all = page.map(\.body) + all
            before = page.first?.id
            if page.count < 10 { break }
        }
        #expect(all == (1...25).map(String.init))
        let tenth = try await fixture.core.history(id, limit: 100)[9]
        #expect(try await fixture.core.history(id, after: tenth.id, limit: 3).map(\.body) == ["11", "12", "13"])
        #expect(try await fixture.core.history(id, limit: -1).isEmpty)
    }

    @Test("the list has the latest conversation first, with its last message, name and unread count")
    func list() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await link.receive(
            "<iq type='set' id='1'><query xmlns='jabber:iq:roster'><item jid='bo@example.net' name='Bo'/></query></iq>")
        try await receive(link, 1...3)
        fixture.time.advance(1000)
        try await receive(link, 1...1, from: "eve@example.net")
        var list = try await fixture.core.conversations()
        #expect(list.map(\.peer.description) == ["eve@example.net", "bo@example.net"])
        #expect(list.map(\.unread) == [1, 3])
        #expect(list.map(\.name) == [nil, "Bo"])
        #expect(list.map(\.lastMessage?.body) == ["1", "3"])
        try await fixture.core.setPinned(true, list[1].id)
        fixture.time.advance(1000)
        try await fixture.core.send(to: try JID("eve@example.net"), text: "answer", account: ann)
        list = try await fixture.core.conversations()
        #expect(list.map(\.peer.description) == ["bo@example.net", "eve@example.net"])
        #expect(list[1].lastMessage?.body == "answer")
    }

    @Test("reading up to a message leaves the later ones unread; reading never goes back")
    func markRead() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await receive(link, 1...5)
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        let messages = try await fixture.core.history(id)
        try await fixture.core.markRead(id, through: messages[2].id)
        #expect(try await fixture.core.conversation(id).unread == 2)
        try await fixture.core.markRead(id, through: messages[0].id)
        #expect(try await fixture.core.conversation(id).unread == 2)
        try await fixture.core.markRead(id)
        #expect(try await fixture.core.conversation(id).unread == 0)
        try await receive(link, 6...6)
        #expect(try await fixture.core.conversation(id).unread == 1)
        let error = await #expect(throws: ChatError.self) { try await fixture.core.markRead(.init(rawValue: 99)) }
        #expect(error?.code == .unknownConversation)
    }

    @Test("a draft is kept, and an empty one forgotten")
    func draft() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        try await fixture.core.setDraft("begun", in: id)
        #expect(try await fixture.core.conversation(id).draft == "begun")
        try await fixture.core.setDraft("", in: id)
        #expect(try await fixture.core.conversation(id).draft == nil)
    }

    @Test("a live list gives the whole list, then differences with stable identifiers")
    func live() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        try await receive(link, 1...2)
        var updates = fixture.core.historyUpdates(id, limit: 2).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.inserted.map(\.body) == ["1", "2"])
        #expect(first.updated.isEmpty && first.removed.isEmpty)
        try await receive(link, 3...3)
        let second = try #require(try await updates.next())
        #expect(second.rows.map(\.body) == ["2", "3"])
        #expect(second.inserted.map(\.body) == ["3"])
        #expect(second.removed == [first.rows[0].id])
        // Somewhere else nothing changes here.
        try await receive(link, 1...1, from: "eve@example.net")
        try await receive(link, 4...4)
        #expect(try await updates.next()?.inserted.map(\.body) == ["4"])
    }

    @Test("typing goes to a contact that sees us, and not to a stranger")
    func typingOut() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await link.receive(
            """
            <iq type='set' id='1'><query xmlns='jabber:iq:roster'><item jid='bo@example.net' subscription='from'/>\
            </query></iq>
            """)
        try await fixture.core.setTyping(true, to: try JID("bo@example.net"), account: ann)
        try await fixture.core.setTyping(true, to: try JID("eve@example.net"), account: ann)
        try await fixture.core.setTyping(false, to: try JID("bo@example.net"), account: ann)
        #expect(link.messages.map(\.chatState) == [.composing, .paused])
        #expect(link.messages.allSatisfy { $0.body == nil && $0.to?.local == "bo" })
    }

    @Test("who is writing is told live")
    func typingIn() async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        var updates = fixture.core.typingUpdates().makeAsyncIterator()
        #expect(try await updates.next()?.rows.isEmpty == true)
        try await link.receive(
            """
            <message from='bo@example.net/p' type='chat'><composing xmlns='http://jabber.org/protocol/chatstates'/>\
            </message>
            """)
        #expect(try await updates.next()?.inserted.map(\.peer.description) == ["bo@example.net"])
        try await receive(link, 1...1)
        #expect(try await updates.next()?.removed.map(\.peer.description) == ["bo@example.net"])
    }
}
