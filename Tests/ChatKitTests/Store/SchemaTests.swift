// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing

@testable import ChatKit

@Suite("Schema")
struct SchemaTests {
    /// A database as version 2 left it, with one conversation of two messages.
    private func old(_ folder: TemporaryFolder) throws -> String {
        let path = folder.file("chat.db")
        let connection = try Connection(.file(path))
        try Migrator(Array(Schema.steps.prefix(2))).migrate(connection)
        try connection.execute(
            """
            INSERT INTO account (id, jid, created) VALUES (1, 'ann@example.org', 0);
            INSERT INTO conversation (id, account, peer, last_message, last_sort, unread, read_sort, is_muted)
                VALUES (1, 1, 'bo@example.net', 2, 20, 1, 10, 1);
            INSERT INTO message (id, account, conversation, direction, state, sender, body, sent, received, sort)
                VALUES (1, 1, 1, 0, 10, 'bo@example.net/p', 'one', 10, 10, 10),
                    (2, 1, 1, 0, 10, 'bo@example.net/p', 'two', 20, 20, 20);
            """)
        connection.close()
        return path
    }

    @Test("C14 a profile of an older version is brought up to date, and a copy of it is kept")
    func upgrade() async throws {
        let folder = try TemporaryFolder()
        let path = try old(folder)
        let store = try await ChatStore(.file(path))
        let conversation = try #require(try await store.read { try Queries.conversations($0) }.first)
        #expect(conversation.lastMessage?.body == "two" && conversation.unread == 1)
        #expect(conversation.level == .none && conversation.readThrough?.rawValue == 1)
        await store.close()
        let copy = try Connection(.readOnlyFile(path + ".version-2"))
        #expect(try Migrator.version(of: copy) == 2)
        #expect(try copy.value("SELECT count(*) FROM message", as: Int.self) == 2)
        #expect(try TemporaryFolder.mode(of: path + ".version-2") == 0o600)
        copy.close()
        #expect(!FileManager.default.fileExists(atPath: path + ".version-2.part"))
    }

    @Test(
        "C14 what was indexed letter by letter is found whole afterwards, and its old words are gone",
        arguments: [2, 8])
    func forms(version: Int) async throws {
        let folder = try TemporaryFolder()
        let path = try old(folder)
        let apart = "\u{D55C}\u{AE00} \u{43C}\u{43E}\u{439}".decomposedStringWithCanonicalMapping
        let connection = try Connection(.file(path))
        try connection.run("UPDATE message SET body = ? WHERE id = 1", apart)
        try Migrator(Array(Schema.steps.prefix(version))).migrate(connection)
        connection.close()
        let store = try await ChatStore(.file(path))
        func found(_ word: String) async throws -> [Int64] {
            try await store.read {
                try $0.rows("SELECT rowid FROM message_text WHERE message_text MATCH ?", "\"\(word)\"") { $0.column(0) }
            }
        }
        #expect(try await found("\u{D55C}\u{AE00}") == [1])
        #expect(try await found("two") == [2])
        #expect(try await found("\u{43C}\u{43E}\u{439}") == [1])
        #expect(try await found("\u{43C}\u{43E}\u{438}").isEmpty)
        #expect(try await found("\u{1112}").isEmpty)
        try await store.write { transaction in
            try transaction.connection.run("INSERT INTO message_text(message_text, rank) VALUES ('integrity-check', 1)")
            try transaction.unindex(message: 1)
        }
        #expect(try await found("\u{D55C}").isEmpty)
        await store.close()
    }

    @Test("C14 numbers of rows that an older version gave are not given again once their rows are gone")
    func numbers() async throws {
        let folder = try TemporaryFolder()
        let store = try await ChatStore(.file(try old(folder)))
        let numbers = try await store.write { transaction in
            try transaction.removeAccount(1)
            let account = try transaction.addAccount(jid: "kim@example.org", settings: AccountSettings())
            return [account, try transaction.makeConversation(account: account, peer: "bo@example.net").id]
        }
        #expect(numbers == [2, 2])
        await store.close()
    }

    @Test("C14 when the copy cannot be made the database stays as it was")
    func copyFails() async throws {
        let folder = try TemporaryFolder()
        let path = try old(folder)
        try FileManager.default.createDirectory(
            atPath: path + ".version-2/x", withIntermediateDirectories: true)
        await #expect(throws: SQLiteError.self) { try await ChatStore(.file(path)) }
        let connection = try Connection(.file(path))
        #expect(try Migrator.version(of: connection) == 2)
        connection.close()
    }
}
