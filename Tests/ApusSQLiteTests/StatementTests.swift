// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing

@Suite("Statement")
struct StatementTests {
    private func open() throws -> Connection {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t (a, b, c, d)")
        return connection
    }

    @Test("integers, text, bytes and null come back as they went in")
    func roundTrip() throws {
        let connection = try open()
        let text = "héllo 🦊 \u{0} end"
        let bytes: [UInt8] = [0, 1, 255]
        try connection.run("INSERT INTO t VALUES (?, ?, ?, ?)", Int64.min, text, bytes, String?.none)
        let row = try connection.first("SELECT a, b, c, d FROM t") { row in
            (
                row.column(0, as: Int64.self), row.column(1, as: String.self), row.column(2, as: [UInt8].self),
                row.column(3, as: String?.self)
            )
        }
        #expect(row?.0 == .min)
        #expect(row?.1 == text)
        #expect(row?.2 == bytes)
        #expect(row?.3 == nil)
    }

    @Test("an empty text and empty bytes are not null")
    func emptyValues() throws {
        let connection = try open()
        try connection.run("INSERT INTO t VALUES (?, ?, ?, ?)", "", [UInt8](), true, 1.5)
        let row = try connection.first("SELECT a IS NULL, b IS NULL, c, d FROM t") { row in
            (
                row.column(0, as: Bool.self), row.column(1, as: Bool.self), row.column(2, as: Bool.self),
                row.column(3, as: Double.self)
            )
        }
        #expect(row?.0 == false)
        #expect(row?.1 == false)
        #expect(row?.2 == true)
        #expect(row?.3 == 1.5)
    }

    @Test("an unsigned number above 2^63 keeps its value")
    func largeUnsigned() throws {
        let connection = try open()
        try connection.run("INSERT INTO t VALUES (?, 0, 0, 0)", UInt64.max)
        #expect(try connection.value("SELECT a FROM t") == UInt64.max)
    }

    @Test("too few and too many values are refused")
    func wrongCount() throws {
        let connection = try open()
        let few = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (?, ?, 0, 0)", 1) }
        #expect(few?.kind == .misuse)
        let many = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (?, 0, 0, 0)", 1, 2) }
        #expect(many?.kind == .misuse)
        #expect(try connection.value("SELECT count(*) FROM t") == 0)
    }

    @Test("the same text gives the same prepared statement, with no values left from the last call")
    func cache() throws {
        let connection = try open()
        let first = try connection.statement("SELECT ?")
        try first.bind("secret")
        _ = try first.step()
        first.reset()
        let second = try connection.statement("SELECT ?")
        #expect(first === second)
        #expect(try second.step())
        #expect(second.column(0, as: String?.self) == nil)
    }

    @Test("a statement that failed can be used again")
    func reuseAfterError() throws {
        let connection = try open()
        try connection.execute("CREATE UNIQUE INDEX u ON t(a)")
        let sql = "INSERT INTO t VALUES (?, 0, 0, 0)"
        try connection.run(sql, 1)
        #expect(throws: SQLiteError.self) { try connection.run(sql, 1) }
        try connection.run(sql, 2)
        #expect(try connection.value("SELECT count(*) FROM t") == 2)
    }

    @Test("T175 SQL in a bound value stays a value")
    func injection() throws {
        let connection = try open()
        let text = "'; DROP TABLE t; --"
        try connection.run("INSERT INTO t VALUES (?, 0, 0, 0)", text)
        #expect(try connection.value("SELECT count(*) FROM t WHERE a = ?", text) == 1)
    }
}
