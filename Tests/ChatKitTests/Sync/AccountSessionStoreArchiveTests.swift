// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Testing
import XMPP

@testable import ChatKit

@Suite("Pages of the archive")
struct AccountSessionStoreArchiveTests {
    private func take(
        _ fixture: StoreFixture, _ archive: FakeArchive, from position: CatchUpPosition = .beginning, limit: Int = 100
    ) async throws {
        let page = try await archive.page(position, limit: limit)
        try await fixture.session.take(page)
    }

    private func live(_ id: String, _ body: String, archive: String? = nil, rest: String = "") -> String {
        let name = archive.map { "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='\($0)'/>" } ?? ""
        return """
            <message from='bo@example.net/p' to='ann@example.org/fake' type='chat' id='\(id)'><body>\(body)</body>\
            \(name)\(rest)</message>
            """
    }

    private func trusting() async throws -> StoreFixture {
        let fixture = try await StoreFixture.make()
        let account = fixture.account
        try await fixture.store.write { try $0.setTrustsStanzaIDs(true, account: account) }
        return fixture
    }

    @Test("C11 a page and its anchor are kept together, and the page again changes nothing")
    func pageAndAnchor() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        for number in 1...3 { try archive.fromBo("a\(number)", "\(number)") }
        try await take(fixture, archive)
        try await take(fixture, archive)
        let again = try await fixture.reopened()
        #expect(try await again.bodies() == ["1", "2", "3"])
        #expect(try await again.session.anchor()?.lastID == "a3")
        let message = try #require(try await again.messages().first)
        #expect(message.archiveID == "a1" && message.isDelayed && message.direction == .incoming)
    }

    /// How many statements a page costs.
    private func runs(_ fixture: StoreFixture, _ body: () async throws -> Void) async throws -> Int {
        let before = try await fixture.store.write { $0.connection.statementRuns }
        try await body()
        return try await fixture.store.write { $0.connection.statementRuns } - before
    }

    @Test("a page of new messages costs two statements for each, and few for all of them")
    func statements() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        for number in 1...100 { try archive.fromBo("a\(number)", "text \(number)") }
        for number in 101...200 { try archive.toBo("a\(number)", "text \(number)", message: "own-\(number)") }
        try await take(fixture, archive)
        // What comes in is looked for under its sender's id; what all add to their conversation is written once.
        let incoming = try await runs(fixture) {
            for number in 201...300 { try archive.fromBo("a\(number)", "text \(number)") }
            try await fixture.session.take(
                try await archive.page(.after("a200"), limit: 100))
        }
        #expect(incoming <= 2 * 100 + 20)
        let outgoing = try await runs(fixture) {
            try await fixture.session.take(
                try await archive.page(.after("a100"), limit: 100))
        }
        #expect(outgoing <= 2 * 100 + 20)
        #expect(try await fixture.bodies().count == 300)
        // One part of the index for search for each page.
        let parts: Int? = try await fixture.store.read {
            try $0.value("SELECT count(DISTINCT segid) FROM message_text_idx")
        }
        #expect(try #require(parts) <= 3)
    }

    @Test("messages of another own client that counts from one at each start are all kept, each once")
    func shortOwnIDs() async throws {
        let (fixture, archive) = (try await trusting(), FakeArchive())
        func carbon(_ body: String, archive: String? = nil) -> String {
            let name = archive.map { "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='\($0)'/>" } ?? ""
            return """
                <message from='ann@example.org' to='ann@example.org/fake'><sent xmlns='urn:xmpp:carbons:2'>\
                <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='ann@example.org/old' \
                to='bo@example.net' type='chat' id='1'><body>\(body)</body>\(name)</message></forwarded></sent></message>
                """
        }
        func own(_ id: String, _ body: String) throws {
            try archive.add(
                id,
                "<message from='ann@example.org/old' to='bo@example.net' type='chat' id='1'><body>\(body)</body></message>"
            )
        }
        try own("a1", "hello")
        try own("a2", "hello")
        try await take(fixture, archive)
        #expect(try await fixture.bodies() == ["hello", "hello"])
        try await fixture.receive(
            carbon("is anybody there", archive: "a3"), carbon("bye", archive: "a4"), carbon("hello", archive: "a5"))
        #expect(try await fixture.bodies() == ["hello", "hello", "is anybody there", "bye", "hello"])
        try own("a3", "is anybody there")
        try own("a4", "bye")
        try own("a5", "hello")
        try await take(fixture, archive, from: .after("a2"))
        #expect(try await fixture.bodies() == ["hello", "hello", "is anybody there", "bye", "hello"])
        #expect(try await fixture.messages().map(\.archiveID) == ["a1", "a2", "a3", "a4", "a5"])
    }

    @Test("carbons with short ids that the server did not name find their entries of the archive by their text")
    func shortOwnIDsWithoutNames() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        func own(_ body: String) -> String {
            "<message xmlns='jabber:client' from='ann@example.org/old' to='bo@example.net' type='chat' id='1'><body>\(body)</body></message>"
        }
        for body in ["one", "two"] {
            try await fixture.receive(
                """
                <message from='ann@example.org' to='ann@example.org/fake'><sent xmlns='urn:xmpp:carbons:2'>\
                <forwarded xmlns='urn:xmpp:forward:0'>\(own(body))</forwarded></sent></message>
                """)
        }
        #expect(try await fixture.bodies() == ["one", "two"])
        try archive.add("a1", own("one"))
        try archive.add("a2", own("two"))
        try await take(fixture, archive)
        #expect(try await fixture.messages().map { [$0.body, $0.archiveID] } == [["one", "a1"], ["two", "a2"]])
    }

    @Test(
        "what many messages of a page add to their conversations is what each of them would", arguments: 0...2)
    func gathered(_ before: Int) async throws {
        let fixture = try await StoreFixture.make()
        func archive() throws -> FakeArchive {
            let archive = FakeArchive()
            for number in 1...6 { try archive.fromBo("a\(number)", "\(number)") }
            try archive.toBo("a7", "7", message: "own-7")
            try archive.add(
                "a8",
                "<message from='bo@example.net/p' to='ann@example.org' type='chat' id='m8'><body>8</body></message>")
            try archive.add(
                "a9",
                "<message from='bo@example.net/p' type='chat' id='m9'><retract xmlns='urn:xmpp:message-retract:1' id='m8'/></message>"
            )
            for number in 10...12 { try archive.fromBo("a\(number)", "\(number)") }
            return archive
        }
        let other = try await StoreFixture.make()
        // Something unread may be there: from the archive, or come meanwhile and behind all of the page.
        for fixture in [fixture, other] where before > 0 {
            let first = FakeArchive()
            try first.fromBo("a0", "0")
            if before == 1 { try await take(fixture, first) } else { try await fixture.receive(live("k0", "0")) }
        }
        try await take(fixture, try archive())
        let whole = try archive()
        try await take(other, whole, limit: 1)
        for number in 1..<12 {
            let position = CatchUpPosition.after("a\(number)")
            try await other.session.take(try await whole.page(position, limit: 1))
        }
        func state(_ fixture: StoreFixture) async throws -> [String] {
            try await fixture.store.read { connection in
                try connection.rows(
                    """
                    SELECT c.unread, c.mentions, c.has_sent, c.is_hidden, m.body,
                        (SELECT count(*) FROM message o WHERE o.conversation = c.id AND o.sort > c.read_sort),
                        (SELECT count(*) FROM message o WHERE o.conversation = c.id AND o.sort > c.marked_sort),
                        (SELECT group_concat(e.kind) FROM event e),
                        (SELECT count(*) FROM message_text WHERE message_text MATCH 'scope:c1')
                    FROM conversation c JOIN message m ON m.id = c.last_message
                    """
                ) { row in (0..<9).map { row.column($0, as: String.self) }.joined(separator: " ") }
            }
        }
        #expect(try await state(fixture) == (try await state(other)))
        let bodies = ["1", "2", "3", "4", "5", "6", "7", "", "10", "11", "12"]
        #expect(try await fixture.bodies() == (before == 1 ? ["0"] : []) + bodies + (before == 2 ? ["0"] : []))
    }

    @Test("K1 a live message that the server named is not taken again, in either order")
    func named() async throws {
        let (fixture, archive) = (try await trusting(), FakeArchive())
        try archive.fromBo("a1", "one", message: "k")
        try archive.fromBo("a2", "two", message: "k")
        try await fixture.receive(live("k", "one", archive: "a1"))
        try await take(fixture, archive)
        try await fixture.receive(live("k", "two", archive: "a2"))
        #expect(try await fixture.bodies() == ["one", "two"])
    }

    @Test("K2 a message of ours in the archive is accepted, and nothing of it is sent again")
    func ours() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        let row = try await fixture.queue("mine", own: "own-1")
        let other = try await fixture.queue("not there", own: "own-2")
        try await fixture.session.commit(
            SessionCommit(
                sent: [StoreFixture.sent(1, "own-1"), StoreFixture.sent(2, "own-2")],
                state: SessionState(streamID: "s1", sentOnStream: 2)))
        try await fixture.session.commit(SessionCommit(givesBack: .unknown, state: SessionState(streamID: "s2")))
        try archive.toBo("a1", "mine", message: "own-1")
        try await take(fixture, archive)
        #expect(try await fixture.state(of: row) == .acknowledged)
        #expect(try await fixture.state(of: other) == .written)
        #expect(try await fixture.count("outbox") == 1)
        #expect(try await fixture.bodies() == ["mine", "not there"])
        #expect(try await fixture.messages().first?.archiveID == "a1")
    }

    @Test("K2 a message that another device sent is one of ours")
    func otherDevice() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        try archive.fromBo("a1", "hello")
        try archive.toBo("a2", "answered elsewhere", message: "phone-1")
        try archive.fromBo("a3", "and on")
        try await take(fixture, archive)
        let messages = try await fixture.messages()
        #expect(messages.map(\.direction) == [.incoming, .outgoing, .incoming])
        #expect(messages[1].state == .acknowledged)
        // Who answers has read what came before.
        #expect(try await fixture.store.read { try Queries.conversations($0).map(\.unread) } == [1])
    }

    @Test("K3 a live copy that nobody named is the archive's, once; a second short id in the archive is a message")
    func unnamed() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        try await fixture.receive(live("k7", "one"))
        try archive.fromBo("a1", "one", message: "k7")
        try archive.fromBo("a2", "one", message: "k7")
        try await take(fixture, archive)
        #expect(try await fixture.bodies() == ["one", "one"])
        #expect(try await fixture.messages().map(\.archiveID) == ["a1", "a2"])
    }

    @Test("K3 a sender's retry under one long id, which the archive has twice, is one message")
    func retried() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        let id = "0b7c5c3e-9a7c-4a53-8a55-2f4e8c1f3b11"
        try archive.fromBo("a1", "one", message: id)
        try archive.fromBo("a2", "one", message: id)
        try await take(fixture, archive)
        #expect(try await fixture.bodies() == ["one"])
        #expect(try await fixture.session.anchor()?.lastID == "a2")
    }

    @Test("T097 a delayed live copy under the same short id and another name of the archive is another message")
    func delayedTwin() async throws {
        let fixture = try await trusting()
        let delay = "<delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/>"
        try await fixture.receive(
            live("k7", "one", archive: "a1"), live("k7", "one", archive: "a2", rest: delay),
            live("k7", "one", archive: "a1", rest: delay))
        #expect(try await fixture.bodies() == ["one", "one"])
    }

    @Test("B143 what was missed goes to its place in the archive's order, before what came live meanwhile")
    func order() async throws {
        let (fixture, archive) = (try await trusting(), FakeArchive())
        try archive.fromBo("a0", "0")
        try await take(fixture, archive)
        // A new stream: 1 to 300 were missed, 301 and 302 come live at once, in one millisecond.
        try await fixture.receive(live("x1", "301", archive: "a301"), live("x2", "302", archive: "a302"))
        for number in 1...300 { try archive.fromBo("a\(number)", "\(number)") }
        try archive.fromBo("a301", "301", message: "x1")
        try archive.fromBo("a302", "302", message: "x2")
        // In archive only, and not live yet.
        try archive.fromBo("a303", "303", message: "x3")
        try await take(fixture, archive, from: .after("a0"))
        #expect(try await fixture.bodies() == (0...100).map(String.init) + ["301", "302"])
        try await take(fixture, archive, from: .after("a100"))
        try await take(fixture, archive, from: .after("a200"))
        try await take(fixture, archive, from: .after("a300"))
        try await fixture.receive(live("x3", "303", archive: "a303"), live("x4", "304", archive: "a304"))
        #expect(try await fixture.bodies() == (0...304).map(String.init))
        let conversation = try #require(try await fixture.store.read { try Queries.conversations($0).first })
        #expect(conversation.lastMessage?.body == "304")
        #expect(conversation.unread == 305)
    }

    @Test("what came live in another order goes where the archive has it, and so does a message of ours")
    func reordered() async throws {
        let (fixture, archive) = (try await trusting(), FakeArchive())
        try await fixture.receive(live("x3", "3", archive: "a3"), live("x1", "1", archive: "a1"))
        try await fixture.queue("mine", own: "own-1")
        try await fixture.receive(live("x4", "4", archive: "a4"), live("x2", "2", archive: "a2"))
        for number in 1...3 { try archive.fromBo("a\(number)", "\(number)", message: "x\(number)") }
        try archive.toBo("a3b", "mine", message: "own-1")
        try archive.fromBo("a4", "4", message: "x4")
        try await take(fixture, archive)
        #expect(try await fixture.bodies() == ["1", "2", "3", "mine", "4"])
        let conversation = try #require(try await fixture.store.read { try Queries.conversations($0).first })
        #expect(conversation.unread == 4 && conversation.lastMessage?.body == "4")
    }

    @Test("a page that may change leaves the anchor where it is, and keeps what it brought")
    func unstable() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        try archive.fromBo("a1", "1")
        archive.script { $0.isStable = false }
        try await take(fixture, archive)
        #expect(try await fixture.bodies() == ["1"])
        #expect(try await fixture.session.anchor() == nil)
    }

    @Test("B100 receipts and bounces in the archive count, rooms and empty messages do not")
    func others() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        let first = try await fixture.queue("1", own: "own-1")
        let second = try await fixture.queue("2", own: "own-2")
        try archive.add(
            "a1", "<message from='bo@example.net/p' id='r'><received xmlns='urn:xmpp:receipts' id='own-1'/></message>")
        try archive.add(
            "a2",
            """
            <message from='bo@example.net' type='error' id='own-2'><error type='cancel'>
            <service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>
            """)
        try archive.add("a3", "<message from='r@rooms.example.net/x' type='groupchat'><body>hi</body></message>")
        try archive.add("a4", "<message from='r@rooms.example.net' to='ann@example.org'><body/></message>")
        try await take(fixture, archive)
        #expect(try await fixture.state(of: first) == .delivered)
        #expect(try await fixture.state(of: second) == .failed(MessageFailure(.init(rawValue: "service-unavailable"))))
        #expect(try await fixture.count("message") == 2)
        #expect(try await fixture.session.anchor()?.lastID == "a4")
    }

    @Test("T079 a message of the archive that cannot be applied goes into quarantine, and the page goes on")
    func quarantine() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        try await fixture.store.write {
            try $0.connection.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON message WHEN NEW.body = 'poison'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
        for (number, body) in ["before", "poison", "after"].enumerated() { try archive.fromBo("a\(number)", body) }
        try await take(fixture, archive)
        #expect(try await fixture.bodies() == ["before", "after"])
        #expect(try await fixture.count("quarantine") == 1)
        #expect(try await fixture.session.anchor()?.lastID == "a2")
    }

    @Test("a message that asks for a receipt and was missed gets one, unless it is old")
    func receipts() async throws {
        let (fixture, archive) = (try await StoreFixture.make(), FakeArchive())
        try await fixture.contact("bo@example.net", .both)
        for number in 1...2 {
            try archive.add(
                "a\(number)",
                """
                <message from='bo@example.net/p' to='ann@example.org' type='chat' id='m\(number)'><body>\(number)</body>\
                <request xmlns='urn:xmpp:receipts'/></message>
                """)
            if number == 1 {
                fixture.time.advance(1000)
                try await take(fixture, archive)
                fixture.time.advance(AccountSessionStore.maximumAge + 5000)
            }
        }
        try await take(fixture, archive)
        #expect(try await fixture.outbox().count == 1)
        #expect(fixture.followUps.withLock { $0 } == [.sendOutbox])
    }
}
