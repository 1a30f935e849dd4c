// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing
import XMPP

@testable import ChatKit

@Suite("Names of messages")
struct MessageNameTests {
    private func named(_ fixture: StoreFixture, _ name: String) async throws -> Int64? {
        let account = fixture.account
        return try await fixture.store.write { transaction in
            let conversation = try transaction.makeConversation(account: account, peer: "bo@example.net")
            return try transaction.message(named: name, in: conversation)?.id
        }
    }

    private func counts(_ fixture: StoreFixture) async throws -> [Int?] {
        try await fixture.store.read { connection in
            [
                try connection.value("SELECT count(*) FROM name_new"),
                try connection.value("SELECT count(*) FROM name"),
            ]
        }
    }

    private func text(_ id: String, _ body: String) -> String {
        "<message from='bo@example.net/p' to='ann@example.org/fake' type='chat' id='\(id)'><body>\(body)</body></message>"
    }

    @Test("in 64 turns each name is moved over, once, and is found before and after")
    func turns() async throws {
        let fixture = try await StoreFixture.make()
        let archive = FakeArchive()
        for number in 1...200 { try archive.fromBo("a\(number)", "text \(number)", message: "name-\(number)") }
        try await fixture.session.take(try await archive.page(.beginning, limit: 200))
        #expect(try await counts(fixture) == [200, 0])
        #expect(MessageName.turn(of: 1023) == nil && MessageName.turn(of: 1025) == nil)
        var before = 0
        for turn in 1...Int64(64) {
            try await fixture.store.write { try $0.moveNames(at: turn * 1024) }
            let now = try await counts(fixture)
            #expect(now.compactMap(\.self).reduce(0, +) == 200)
            let moved = try #require(now[1])
            // Two hundred in 64 parts of the same width: none is much larger than the others.
            #expect(moved - before < 20)
            before = moved
            #expect(try await named(fixture, "name-\(turn)") == turn)
        }
        #expect(try await counts(fixture) == [0, 200])
        // The archive again finds all of them.
        try await fixture.session.take(try await archive.page(.beginning, limit: 200))
        #expect(try await fixture.bodies().count == 200)
    }

    @Test("messages move names over as they are numbered")
    func moves() async throws {
        let fixture = try await StoreFixture.make()
        let archive = FakeArchive()
        for number in 1...1100 { try archive.fromBo("a\(number)", "text", message: "name-\(number)") }
        try await fixture.session.take(try await archive.page(.beginning, limit: 1100))
        let counts = try await counts(fixture)
        let (new, moved) = (try #require(counts[0]), try #require(counts[1]))
        #expect(new + moved == 1100 && moved > 0 && moved < 60)
    }

    @Test("two names of the same number are told apart by their text")
    func collision() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(text("one", "1"), text("two", "2"))
        try await fixture.store.write { transaction in
            try transaction.connection.run(
                "INSERT INTO name_new (hash, message) VALUES (?, 1), (?, 2)", MessageName.hash("two", in: 1),
                MessageName.hash("three", in: 1))
        }
        #expect(try await named(fixture, "two") == 2)
        #expect(try await named(fixture, "three") == nil)
    }

    @Test("an id that thousands of messages have makes the next one no slower")
    func sameIDs() async throws {
        func steps(_ count: Int) async throws -> Int {
            let fixture = try await StoreFixture.make()
            let archive = FakeArchive()
            for number in 1...count { try archive.fromBo("a\(number)", "\(number)", message: "0123456789abcdef") }
            try await fixture.session.take(try await archive.page(.beginning, limit: count))
            #expect(try await fixture.store.read { try $0.value("SELECT count(*) FROM message") } == count)
            let before = try await fixture.store.write { $0.connection.machineSteps }
            try await fixture.receive(text("0123456789abcdef", "another"))
            return try await fixture.store.write { $0.connection.machineSteps } - before
        }
        let (some, many) = (try await steps(600), try await steps(2400))
        #expect(many < some + some / 5, "\(some) \(many)")
    }

    @Test("a correction that is taken into its message, and an account that goes, leave no names")
    func removal() async throws {
        let fixture = try await StoreFixture.make()
        // The correction comes first: it is a message until what it corrects is here.
        try await fixture.receive(
            "<message from='bo@example.net/p' id='c' type='chat'><body>better</body>"
                + "<replace xmlns='urn:xmpp:message-correct:0' id='m'/></message>")
        #expect(try await counts(fixture) == [1, 0])
        try await fixture.store.write { transaction in
            try transaction.connection.run("INSERT INTO name SELECT * FROM name_new")
            try transaction.connection.run("DELETE FROM name_new")
        }
        try await fixture.receive(text("m", "good"))
        #expect(try await fixture.bodies() == ["better"])
        #expect(try await counts(fixture) == [1, 0])
        #expect(try await named(fixture, "m") == 2)
        #expect(try await named(fixture, "c") == 2)
        let account = fixture.account
        try await fixture.store.write { try $0.removeAccount(account) }
        #expect(try await counts(fixture) == [0, 0])
    }

    @Test("a profile from before there were tables of names finds its messages by all their names")
    func upgrade() async throws {
        let folder = try TemporaryFolder()
        let connection = try Connection(.file(folder.file("chat.db")))
        try Migrator(Array(Schema.steps.prefix(7))).migrate(connection)
        try connection.execute(
            """
            INSERT INTO account (id, jid, created) VALUES (1, 'ann@example.org', 0);
            INSERT INTO conversation (id, account, peer, last_message, last_sort) VALUES (1, 1, 'bo@example.net', 2, 20);
            INSERT INTO message
                (id, account, conversation, direction, state, own_id, remote_id, alias, sender, body, sent, received, sort)
            VALUES (1, 1, 1, 1, 2, 'own', NULL, NULL, 'ann@example.org', 'one', 10, 10, 10),
                (2, 1, 1, 0, 10, NULL, 'remote', 'alias', 'bo@example.net/p', 'two', 20, 20, 20),
                (3, 1, 1, 0, 10, NULL, NULL, NULL, 'bo@example.net/p', 'three', 30, 30, 30);
            """)
        connection.close()
        let fixture = try await StoreFixture.make(folder: folder)
        #expect(try await counts(fixture) == [0, 3])
        #expect(try await named(fixture, "own") == 1)
        #expect(try await named(fixture, "remote") == 2)
        #expect(try await named(fixture, "alias") == 2)
        let row = try await fixture.store.write { try $0.outgoing(in: 1, ownID: "own")?.id }
        #expect(row == 1)
    }
}
