// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
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

    @Test("C14 T192 a process that dies anywhere in a migration leaves the version before it, whole")
    func death() throws {
        let folder = try TemporaryFolder()
        let copies = Copies(folder)
        let long = Migration(2, "long") { connection in
            try connection.execute("CREATE TABLE b (id INTEGER PRIMARY KEY, text TEXT)")
            for number in 0..<20 {
                // More than the cache holds, so that some of it reaches the files before the end.
                try connection.execute("INSERT INTO b SELECT NULL, hex(zeroblob(2000)) FROM a")
                try connection.execute("UPDATE a SET text = 'new \(number)'")
                // What stands in the files now is what a kill would leave.
                try copies.take()
            }
            try connection.execute("DROP TABLE a")
            try copies.take()
        }
        let old = Migration(1, "old", script: "CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT)")
        let connection = try Connection(.file(folder.file("live.db")))
        try Migrator([old]).migrate(connection)
        for number in 0..<20 { try connection.run("INSERT INTO a VALUES (?, 'old')", number) }
        try connection.execute("PRAGMA cache_size=4")
        try Migrator([old, long]).migrate(connection)
        try copies.take()
        #expect(copies.count == 22)
        for number in 0..<copies.count {
            let found = try Connection(.file(folder.file("copy\(number).db")))
            let isLast = number == copies.count - 1
            #expect(try Migrator.version(of: found) == (isLast ? 2 : 1))
            #expect(try found.value("PRAGMA integrity_check") == "ok")
            if !isLast { #expect(try found.value("SELECT count(*) FROM a WHERE text = 'old'") == 20) }
            try Migrator([old, Migration(2, "long", script: "CREATE TABLE b (id INTEGER)")]).migrate(found)
            #expect(try Migrator.version(of: found) == 2)
        }
    }

    /// The files of a database as they stand at some moments.
    // Unchecked: used by one thread.
    private final class Copies: @unchecked Sendable {
        private let folder: TemporaryFolder
        private(set) var count = 0
        init(_ folder: TemporaryFolder) { self.folder = folder }

        func take() throws {
            for suffix in ["", "-wal", "-journal"] {
                let source = folder.file("live.db" + suffix)
                guard FileManager.default.fileExists(atPath: source) else { continue }
                try FileManager.default.copyItem(atPath: source, toPath: folder.file("copy\(count).db" + suffix))
            }
            count += 1
        }
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
