// SPDX-License-Identifier: Apache-2.0
internal import ApusCSQLite

/// One prepared statement, confined to the queue of its connection.
///
/// Statements come from ``Connection/statement(_:)`` and are kept for the next call with the same text.
package final class Statement {
    package let sql: String
    private let connection: OpaquePointer
    /// The prepared statement; finalised with this object or when the connection closes, whichever is first.
    private(set) var handle: OpaquePointer?
    private let parameterCount: Int32

    init(connection: OpaquePointer, sql: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        let result = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard result == SQLITE_OK else { throw SQLiteError(connection: connection, code: result, sql: sql) }
        guard let handle else { throw SQLiteError(kind: .misuse, message: "empty statement", sql: sql) }
        self.sql = sql
        self.connection = connection
        self.handle = handle
        self.parameterCount = sqlite3_bind_parameter_count(handle)
    }

    deinit { finalize() }

    func finalize() {
        sqlite3_finalize(handle)
        handle = nil
    }

    /// Throws what the connection reports unless `result` is `SQLITE_OK`.
    func check(_ result: Int32) throws(SQLiteError) {
        if result != SQLITE_OK { throw SQLiteError(connection: connection, code: result, sql: sql) }
    }

    /// Binds one value to parameter `index`, counted from 1.
    package func bind<Value: Bindable>(_ value: Value, at index: Int32) throws(SQLiteError) {
        try value.bind(to: self, at: index)
    }

    /// Binds all parameters in order; their number must be that of the statement.
    package func bind<each Value: Bindable>(_ values: repeat each Value) throws(SQLiteError) {
        reset()
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            if index > parameterCount { break }
            try value.bind(to: self, at: index)
        }
        if index != parameterCount {
            throw SQLiteError(kind: .misuse, message: "\(parameterCount) values are needed", sql: sql)
        }
    }

    /// Steps to the next row; false at the end, after which the statement is reset.
    package func step() throws(SQLiteError) -> Bool {
        let result = sqlite3_step(handle)
        switch result {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            reset()
            return false
        default:
            let error = SQLiteError(connection: connection, code: result, sql: sql)
            reset()
            throw error
        }
    }

    /// Forgets the running query and the bound values.
    package func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// The value of column `index` (from 0) of the current row.
    package func column<Value: ColumnReadable>(_ index: Int32, as type: Value.Type = Value.self) -> Value {
        Value.read(from: self, at: index)
    }

    /// Calls `body` with the bytes of a text or blob column, which are valid during the call only.
    package func withBytes<Result>(_ index: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = sqlite3_column_blob(handle, index)
        return body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, index))))
    }
}
