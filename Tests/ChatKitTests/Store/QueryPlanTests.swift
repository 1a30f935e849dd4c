// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("Plans of the queries", .timeLimit(.minutes(1)))
struct QueryPlanTests {
    /// Tables that grow without end, by the names under which statements know them.
    private static let large: Set<String> = [
        "message", "m", "q", "event", "e", "contact", "k", "revision", "reaction", "presence", "name",
        "name_new",
    ]
    /// Statements that look at everything, and why they may.
    private static let exceptions = [
        "UPDATE message SET is_archived = 1 WHERE account": "once for each account, when it is new",
        "FROM subscription_request r": "at most 1000 rows",
    ]

    /// Does what programs do, all of it.
    private func exercise(_ fixture: CoreFixture, _ ann: JID, _ link: FakeLink) async throws {
        let core = fixture.core
        try await link.receive(
            "<iq type='set' id='1'><query xmlns='jabber:iq:roster'><item jid='bo@example.net' name='Bo'/></query></iq>",
            "<presence from='bo@example.net/p'><status>here</status></presence>",
            "<presence from='eve@example.net' type='subscribe'/>")
        for number in 1...5 {
            try await link.receive(
                """
                <message from='bo@example.net/p' id='m-\(number)' type='chat'><body>text \(number)</body>\
                <request xmlns='urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/></message>
                """)
        }
        try await link.receive(
            """
            <message from='bo@example.net/p' id='c1' type='chat'><body>better</body>\
            <replace xmlns='urn:xmpp:message-correct:0' id='m-1'/></message>
            """,
            """
            <message from='bo@example.net/p' id='r1' type='chat'>\
            <reactions xmlns='urn:xmpp:reactions:0' id='m-2'><reaction>👍</reaction></reactions></message>
            """,
            "<message from='bo@example.net/p' id='t1' type='chat'><retract xmlns='urn:xmpp:message-retract:1' id='m-3'/></message>",
            "<message from='bo@example.net/p' type='chat'><displayed xmlns='urn:xmpp:chat-markers:0' id='x'/></message>"
        )
        let sent = try await core.send(to: try JID("bo@example.net"), text: "answer", account: ann)
        try await link.write()
        try await link.acknowledge()
        let id = try await core.conversation(with: try JID("bo@example.net"), account: ann).id
        let messages = try await core.history(id)
        let middle = try #require(messages.dropFirst(2).first)
        for place in [TimelinePlace.newest, .before(middle.id), .after(middle.id), .around(middle.id)] {
            _ = try await core.timeline(id, at: place)
        }
        _ = try await core.history(id, before: middle.id)
        _ = try await core.history(id, after: middle.id)
        _ = try await core.message(sent.message.id)
        // What no session has yet is changed and taken back.
        let runner = try core.runner(ann)
        runner.handover.beginChange()
        let waiting = try await core.send(to: try JID("bo@example.net"), text: "helo", account: ann).message.id
        try await core.send(to: try JID("bo@example.net"), text: "yes", account: ann, replyingTo: waiting)
        try await core.react(["x"], to: waiting)
        try await core.correct(waiting, text: "hello")
        try await core.retract(waiting)
        runner.handover.endChange()
        _ = try await core.conversations()
        _ = try await core.contacts()
        var query = SearchQuery("text")
        query.conversation = id
        _ = try await core.search(query)
        try await core.markRead(id, through: middle.id)
        try await core.markRead(id)
        for query in [core.timelineUpdates(id), core.historyUpdates(id)] {
            var reader = query.makeAsyncIterator()
            _ = try await reader.next()
        }
        var events = core.events(since: .start).makeAsyncIterator()
        _ = try await events.next()
        let session = AccountSessionStore(store: core.store, account: 1, jid: ann)
        let archive = FakeArchive()
        try archive.fromBo("a1", "from the archive")
        try archive.toBo("a2", "to the archive", message: "0123456789abcdef0123")
        try await session.take(try await archive.page(.beginning, limit: 10))
        _ = try await session.load()
        try await core.setDraft("begun", in: id)
    }

    @Test("no statement looks at all messages, events or contacts to find a few")
    func plans() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await exercise(fixture, ann, link)
        let plans = try await fixture.core.store.plans()
        #expect(plans.count > 60)
        for (sql, steps) in plans {
            if Self.exceptions.keys.contains(where: { sql.contains($0) }) { continue }
            for step in steps where step.hasPrefix("SCAN") {
                let words = step.split(separator: " ")
                #expect(!Self.large.contains(String(words.dropFirst().first ?? "")), "\(step) in \(sql)")
            }
        }
    }

    @Test("a page, and a step of catching up, cost the same among 400 messages and among 4000")
    func growth() async throws {
        func steps(_ count: Int) async throws -> [Int] {
            let fixture = try await StoreFixture.make()
            let archive = FakeArchive()
            for number in 1...count { try archive.fromBo("a\(number)", "text \(number)") }
            try await fixture.session.take(try await archive.page(.beginning, limit: count))
            let middle = Int64(count / 2)
            let page = try await fixture.store.steps { connection in
                _ = try Queries.timeline(connection, 1, .before(.init(rawValue: middle)), limit: 50)
            }
            let list = try await fixture.store.steps { _ = try Queries.conversations($0) }
            return [page, list]
        }
        let (small, large) = (try await steps(400), try await steps(4000))
        for (few, many) in zip(small, large) { #expect(many < few + few / 5 + 50, "\(small) \(large)") }
    }
}
