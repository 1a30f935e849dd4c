// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing

@Suite("DatabaseActor")
struct DatabaseActorTests {
    @Test("every call runs on the queue of the actor, never on the shared pool")
    func queue() async throws {
        let database = try await DatabaseActor(.memory)
        let other = try await DatabaseActor(.memory)
        #expect(!database.isOnQueue)
        let inRead = try await database.read { _ in (database.isOnQueue, other.isOnQueue) }
        #expect(inRead == (true, false))
        #expect(try await database.write { _ in database.isOnQueue })
    }

    @Test("a write is one transaction")
    func write() async throws {
        struct Stop: Error {}
        let database = try await DatabaseActor(.memory)
        try await database.write { try $0.execute("CREATE TABLE t (a)") }
        await #expect(throws: Stop.self) {
            try await database.write { connection in
                try connection.run("INSERT INTO t VALUES (?)", 1)
                throw Stop()
            }
        }
        #expect(try await database.read { try $0.value("SELECT count(*) FROM t") } == 0)
    }

    @Test("a database that cannot be opened throws its reason")
    func cannotOpen() async throws {
        await #expect(throws: SQLiteError.self) { try await DatabaseActor(.file("/nonexistent/x.db")) }
    }

    @Test("a closed database refuses calls")
    func close() async throws {
        let database = try await DatabaseActor(.memory)
        await database.close()
        await #expect(throws: SQLiteError.self) { try await database.write { try $0.execute("SELECT 1") } }
    }
}
