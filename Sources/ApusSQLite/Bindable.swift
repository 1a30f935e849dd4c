// SPDX-License-Identifier: Apache-2.0
internal import ApusCSQLite

/// A value that can be bound to a parameter of a statement.
package protocol Bindable {
    /// Binds the value to parameter `index` (from 1).
    func bind(to statement: Statement, at index: Int32) throws(SQLiteError)
}

/// A value that can be read from a column.
package protocol ColumnReadable {
    /// Reads column `index` (from 0) of the current row.
    static func read(from statement: Statement, at index: Int32) -> Self
}

extension Int64: Bindable, ColumnReadable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try statement.check(sqlite3_bind_int64(statement.handle, index, self))
    }

    package static func read(from statement: Statement, at index: Int32) -> Int64 {
        sqlite3_column_int64(statement.handle, index)
    }
}

extension Int: Bindable, ColumnReadable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try Int64(self).bind(to: statement, at: index)
    }

    package static func read(from statement: Statement, at index: Int32) -> Int {
        Int(truncatingIfNeeded: Int64.read(from: statement, at: index))
    }
}

extension UInt32: Bindable, ColumnReadable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try Int64(self).bind(to: statement, at: index)
    }

    package static func read(from statement: Statement, at index: Int32) -> UInt32 {
        UInt32(truncatingIfNeeded: Int64.read(from: statement, at: index))
    }
}

/// Kept as the signed integer of the same bits: order holds below 2^63.
extension UInt64: Bindable, ColumnReadable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try Int64(bitPattern: self).bind(to: statement, at: index)
    }

    package static func read(from statement: Statement, at index: Int32) -> UInt64 {
        UInt64(bitPattern: Int64.read(from: statement, at: index))
    }
}

extension Bool: Bindable, ColumnReadable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try Int64(self ? 1 : 0).bind(to: statement, at: index)
    }

    package static func read(from statement: Statement, at index: Int32) -> Bool {
        Int64.read(from: statement, at: index) != 0
    }
}

extension Double: Bindable, ColumnReadable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try statement.check(sqlite3_bind_double(statement.handle, index, self))
    }

    package static func read(from statement: Statement, at index: Int32) -> Double {
        sqlite3_column_double(statement.handle, index)
    }
}

extension String: Bindable, ColumnReadable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        var text = self
        let result = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let base = characters.baseAddress else {
                    return sqlite3_bind_text(statement.handle, index, "", 0, transient)
                }
                return sqlite3_bind_text64(
                    statement.handle, index, base, UInt64(characters.count), transient, UInt8(SQLITE_UTF8))
            }
        }
        try statement.check(result)
    }

    package static func read(from statement: Statement, at index: Int32) -> String {
        guard let text = sqlite3_column_text(statement.handle, index) else { return "" }
        let count = Int(sqlite3_column_bytes(statement.handle, index))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }
}

extension [UInt8]: Bindable, ColumnReadable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        let result = withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return sqlite3_bind_zeroblob(statement.handle, index, 0) }
            return sqlite3_bind_blob64(statement.handle, index, base, UInt64(bytes.count), transient)
        }
        try statement.check(result)
    }

    package static func read(from statement: Statement, at index: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement.handle, index) else { return [] }
        let count = Int(sqlite3_column_bytes(statement.handle, index))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        guard let self else {
            try statement.check(sqlite3_bind_null(statement.handle, index))
            return
        }
        try self.bind(to: statement, at: index)
    }
}

extension Optional: ColumnReadable where Wrapped: ColumnReadable {
    package static func read(from statement: Statement, at index: Int32) -> Wrapped? {
        if sqlite3_column_type(statement.handle, index) == SQLITE_NULL { return nil }
        return Wrapped.read(from: statement, at: index)
    }
}

/// Tells SQLite to copy the bytes before the call returns (`SQLITE_TRANSIENT`, a macro that is not imported).
private var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
