// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing

@Suite("Connection")
struct ConnectionTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ name: String = "a.db") throws -> Connection {
        let connection = try Connection(.file(folder.file(name)))
        try connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL)")
        return connection
    }

    private func names(_ connection: Connection) throws -> [String] {
        try connection.rows("SELECT name FROM t ORDER BY id") { $0.column(0) }
    }

    @Test("T177 a file is opened with a write-ahead log and full synchronisation")
    func pragmas() throws {
        let connection = try open()
        #expect(try connection.value("PRAGMA journal_mode") == "wal")
        #expect(try connection.value("PRAGMA synchronous") == 2)
        #expect(try connection.value("PRAGMA foreign_keys") == 1)
        #expect(try connection.value("PRAGMA secure_delete") == 1)
        #expect(try connection.value("PRAGMA busy_timeout") == 5000)
    }

    @Test("T180 the database and its log have mode 0600, also where the file was wider before")
    func modes() throws {
        let path = folder.file("m.db")
        try #require(
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644]))
        let connection = try open("m.db")
        try connection.run("INSERT INTO t (name) VALUES (?)", "a")
        for suffix in ["", "-wal", "-shm"] {
            #expect(try TemporaryFolder.mode(of: path + suffix) == 0o600)
        }
    }

    @Test("T182 a symbolic link in the place of the database is refused")
    func symbolicLink() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.db"), withDestinationPath: folder.file("target.db"))
        let error = #expect(throws: SQLiteError.self) { try Connection(.file(folder.file("link.db"))) }
        #expect(error?.kind == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: folder.file("target.db")))
    }

    @Test("a second row with the same unique value is a unique violation")
    func uniqueViolation() throws {
        let connection = try open()
        try connection.run("INSERT INTO t (name) VALUES (?)", "a")
        let error = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO t (name) VALUES (?)", "a")
        }
        #expect(error?.kind == .constraint)
        #expect(error?.isUniqueViolation == true)
        #expect(error?.isRetryable == false)
    }

    @Test("a missing value is a constraint error, but no unique violation")
    func notNull() throws {
        let connection = try open()
        let error = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO t (name) VALUES (?)", String?.none)
        }
        #expect(error?.kind == .constraint)
        #expect(error?.isUniqueViolation == false)
    }

    @Test("a foreign key is enforced")
    func foreignKey() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE child (t INTEGER NOT NULL REFERENCES t(id))")
        let error = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO child VALUES (?)", 7)
        }
        #expect(error?.kind == .constraint)
    }

    @Test("a transaction that throws leaves nothing behind")
    func rollback() throws {
        struct Stop: Error {}
        let connection = try open()
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t (name) VALUES (?)", "a")
                throw Stop()
            }
        }
        #expect(try names(connection).isEmpty)
        #expect(!connection.isInTransaction)
        try connection.transaction { try connection.run("INSERT INTO t (name) VALUES (?)", "b") }
        #expect(try names(connection) == ["b"])
    }

    @Test("a transaction inside another one rolls back its own rows only")
    func savepoint() throws {
        struct Stop: Error {}
        let connection = try open()
        try connection.transaction {
            try connection.run("INSERT INTO t (name) VALUES (?)", "outer")
            #expect(throws: Stop.self) {
                try connection.transaction {
                    try connection.run("INSERT INTO t (name) VALUES (?)", "inner")
                    throw Stop()
                }
            }
            try connection.transaction { try connection.run("INSERT INTO t (name) VALUES (?)", "second") }
        }
        #expect(try names(connection) == ["outer", "second"])
    }

    @Test("a transaction that was not committed is gone after the file is opened again")
    func uncommitted() throws {
        do {
            let connection = try open()
            try connection.run("INSERT INTO t (name) VALUES (?)", "kept")
            try connection.execute("BEGIN")
            try connection.run("INSERT INTO t (name) VALUES (?)", "lost")
            connection.close()
        }
        #expect(try names(open()) == ["kept"])
    }

    @Test("T176 a full disk fails the transaction whole, and the next one works when there is room")
    func diskFull() throws {
        let connection = try open()
        try connection.run("INSERT INTO t (name) VALUES (?)", "first")
        let pages: Int = try connection.value("PRAGMA page_count") ?? 0
        try connection.execute("PRAGMA max_page_count=\(pages + 2)")
        let large = String(repeating: "x", count: 200_000)
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t (name) VALUES (?)", "second")
                try connection.run("INSERT INTO t (name) VALUES (?)", large)
            }
        }
        #expect(error?.kind == .full)
        #expect(error?.isRetryable == true)
        #expect(try names(connection) == ["first"])
        try connection.execute("PRAGMA max_page_count=100000")
        try connection.transaction { try connection.run("INSERT INTO t (name) VALUES (?)", large) }
        #expect(try names(connection) == ["first", large])
    }

    @Test("a file that is no database is reported as damaged and left as it was")
    func corrupt() throws {
        let path = folder.file("c.db")
        let bytes = Data(repeating: 0x41, count: 8192)
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: SQLiteError.self) { try Connection(.file(path)) }
        #expect(error?.kind == .corrupt)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test("a damaged page is reported when it is read")
    func corruptPage() throws {
        let path = folder.file("p.db")
        do {
            let connection = try open("p.db")
            for number in 0..<500 { try connection.run("INSERT INTO t (name) VALUES (?)", "name \(number)") }
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in 4096..<bytes.count { bytes[index] = 0xFF }
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: SQLiteError.self) { try names(Connection(.file(path))) }
        #expect(error?.kind == .corrupt)
    }

    @Test("a read-only file can be read and refuses writing")
    func readOnly() throws {
        do {
            let connection = try open("r.db")
            try connection.run("INSERT INTO t (name) VALUES (?)", "a")
            try connection.execute("PRAGMA journal_mode=DELETE")
            connection.close()
        }
        let connection = try Connection(.readOnlyFile(folder.file("r.db")))
        #expect(try names(connection) == ["a"])
        let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t (name) VALUES (?)", "b") }
        #expect(error?.kind == .readOnly)
    }

    @Test("a missing file cannot be opened for reading only, a folder not at all")
    func cannotOpen() throws {
        let missing = #expect(throws: SQLiteError.self) { try Connection(.readOnlyFile(folder.file("none.db"))) }
        #expect(missing?.kind == .cannotOpen)
        let inFolder = #expect(throws: SQLiteError.self) { try Connection(.file(folder.file("no/such/x.db"))) }
        #expect(inFolder?.kind == .cannotOpen)
    }

    @Test("a closed connection refuses every call")
    func closed() throws {
        let connection = try open()
        connection.close()
        let error = #expect(throws: SQLiteError.self) { try connection.run("SELECT 1") }
        #expect(error?.kind == .misuse)
    }

    @Test("an error names the statement and never a bound value")
    func errorText() throws {
        let connection = try open()
        try connection.run("INSERT INTO t (name) VALUES (?)", "hunter2")
        let error = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO t (name) VALUES (?)", "hunter2")
        }
        let text = try #require(error.map(String.init(describing:)))
        #expect(text.contains("INSERT INTO t"))
        #expect(!text.contains("hunter2"))
    }
}
