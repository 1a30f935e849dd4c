// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing

@testable import ChatKit

@Suite("Checkpointer", .timeLimit(.minutes(1)))
struct CheckpointerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.file("chat.db") }

    /// Whether a word has come from the log into the database file.
    private func isInFile(_ word: String) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(word.utf8)) != nil
    }

    @Test("a round begins when large transactions have brought 8000 messages, and what it wrote does not count again")
    func rounds() async throws {
        let database = try await DatabaseActor(.file(path))
        func write(_ word: String) async throws {
            try await database.write { try $0.execute("INSERT INTO t VALUES ('\(word)')") }
        }
        try await database.write { try $0.execute("CREATE TABLE t (x)") }
        try await write("oolong")
        let checkpointer = Checkpointer(path: path)
        await checkpointer.wrote(messages: 7999)
        await checkpointer.settled()
        #expect(try !isInFile("oolong"))
        await checkpointer.wrote(messages: 1)
        await checkpointer.settled()
        #expect(try isInFile("oolong"))
        try await write("sencha")
        await checkpointer.wrote(messages: 7999)
        await checkpointer.settled()
        #expect(try !isInFile("sencha"))
        await checkpointer.wrote(messages: 500)
        await checkpointer.settled()
        #expect(try isInFile("sencha"))
        // None begins when the profile is closed.
        await checkpointer.close()
        try await write("matcha")
        await checkpointer.wrote(messages: 100_000)
        await checkpointer.settled()
        #expect(try !isInFile("matcha"))
        await database.close()
    }

    @Test("only transactions with 500 messages or more count: the writer brings over what smaller ones leave")
    func counted() async throws {
        let store = try await ChatStore(.file(path))
        let checkpointer = try #require(store.checkpointer)
        func write(_ word: String, _ count: Int64, times: Int) async throws {
            for time in 0..<times {
                try await store.write { transaction in
                    try transaction.connection.run(
                        "INSERT OR REPLACE INTO note (name, value) VALUES ('\(word)', '\(word)-\(time)')")
                    transaction.changes.messages.formUnion(1...count)
                }
            }
            await checkpointer.settled()
        }
        try await write("oolong", 499, times: 20)
        #expect(try !isInFile("oolong"))
        try await write("sencha", 500, times: 15)
        #expect(try !isInFile("sencha"))
        try await write("matcha", 500, times: 1)
        #expect(try isInFile("matcha"))
        await store.close()
    }
}
