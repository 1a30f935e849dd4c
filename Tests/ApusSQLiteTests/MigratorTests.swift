// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing

@Suite("Migrator")
struct MigratorTests {
    private let first = Migration(1, "first", script: "CREATE TABLE a (id INTEGER PRIMARY KEY)")
    private let second = Migration(2, "second", script: "CREATE TABLE b (a INTEGER REFERENCES a(id))")

    private func tables(_ connection: Connection) throws -> [String] {
        try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") { $0.column(0) }
    }

    @Test("missing steps are applied in order, and applied steps never again")
    func appliesInOrder() throws {
        let connection = try Connection(.memory)
        try Migrator([first]).migrate(connection)
        try Migrator([second, first]).migrate(connection)
        try Migrator([first, second]).migrate(connection)
        #expect(try tables(connection) == ["a", "b"])
        #expect(try Migrator.version(of: connection) == 2)
    }

    @Test("C14 a migration that fails is rolled back whole and leaves the version before it")
    func failureTriggersRollback() throws {
        let broken = Migration(2, "broken") { connection in
            try connection.execute("CREATE TABLE half (id INTEGER)")
            try connection.execute("CREATE TABLE a (id INTEGER)")
        }
        let connection = try Connection(.memory)
        #expect(throws: SQLiteError.self) { try Migrator([first, broken]).migrate(connection) }
        #expect(try tables(connection) == ["a"])
        #expect(try Migrator.version(of: connection) == 1)
        try Migrator([first, second]).migrate(connection)
        #expect(try tables(connection) == ["a", "b"])
    }

    @Test("a migration that breaks a reference is refused")
    func brokenReference() throws {
        let breaking = Migration(3, "breaking") { connection in
            try connection.execute("PRAGMA defer_foreign_keys=ON; INSERT INTO b VALUES (99)")
        }
        let connection = try Connection(.memory)
        let error = #expect(throws: SQLiteError.self) {
            try Migrator([first, second, breaking]).migrate(connection)
        }
        #expect(error?.kind == .constraint)
        #expect(try Migrator.version(of: connection) == 2)
        #expect(try connection.value("SELECT count(*) FROM b") == 0)
    }

    @Test("a database of a newer program is refused and left alone")
    func newerSchema() throws {
        let connection = try Connection(.memory)
        try connection.execute("PRAGMA user_version=9")
        let error = #expect(throws: SQLiteError.self) { try Migrator([first]).migrate(connection) }
        #expect(error?.kind == .newerSchema)
        #expect(try tables(connection).isEmpty)
    }
}
