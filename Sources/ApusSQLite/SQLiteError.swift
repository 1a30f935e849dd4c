// SPDX-License-Identifier: Apache-2.0
internal import ApusCSQLite

/// What SQLite refused and why; bound values are never part of it.
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, folded from SQLite's primary result code.
    package enum Kind: Sendable, Hashable {
        /// A unique index, a foreign key, `NOT NULL` or a check refused the row.
        case constraint
        /// The disk, or the allowed size, is full.
        case full
        /// Reading or writing the file failed.
        case inputOutput
        /// The file or its folder cannot be written.
        case readOnly
        /// The file is damaged, or no database at all.
        case corrupt
        /// Another connection holds the lock for longer than the busy timeout.
        case busy
        /// The file cannot be opened.
        case cannotOpen
        /// The schema is newer than this program.
        case newerSchema
        /// A fault of the caller: bad SQL, wrong type, wrong number of values.
        case misuse
        /// Everything else.
        case other
    }

    package let kind: Kind
    /// SQLite's extended result code.
    package let code: Int32
    package let message: String
    /// The statement, without its values.
    package let sql: String?

    package init(kind: Kind, code: Int32 = 0, message: String, sql: String? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        self.sql = sql
    }

    init(code: Int32, message: String, sql: String? = nil) {
        self.init(kind: Self.kind(of: code), code: code, message: message, sql: sql)
    }

    /// The error that `connection` reports for its last call.
    init(connection: OpaquePointer?, code: Int32, sql: String? = nil) {
        guard let connection, sqlite3_errcode(connection) != SQLITE_OK, let text = sqlite3_errmsg(connection) else {
            self.init(code: code, message: String(cString: sqlite3_errstr(code)), sql: sql)
            return
        }
        self.init(code: sqlite3_extended_errcode(connection), message: String(cString: text), sql: sql)
    }

    /// True when the same call may work later without any change by the caller.
    package var isRetryable: Bool {
        switch kind {
        case .full, .inputOutput, .busy, .readOnly: true
        default: false
        }
    }

    /// True when a unique index or a primary key refused the row.
    package var isUniqueViolation: Bool {
        code == SQLITE_CONSTRAINT | (8 << 8) || code == SQLITE_CONSTRAINT | (6 << 8)
    }

    package var description: String {
        let name =
            switch kind {
            case .constraint: "constraint failed"
            case .full: "disk full"
            case .inputOutput: "input/output error"
            case .readOnly: "database is read-only"
            case .corrupt: "database is damaged"
            case .busy: "database is locked"
            case .cannotOpen: "cannot open database"
            case .newerSchema: "database belongs to a newer version"
            case .misuse: "misuse"
            case .other: "database error"
            }
        let place = sql.map { " in: \($0)" } ?? ""
        return "\(name) (\(code)): \(message)\(place)"
    }

    private static func kind(of code: Int32) -> Kind {
        switch code & 0xFF {
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_FULL: .full
        case SQLITE_IOERR: .inputOutput
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CANTOPEN: .cannotOpen
        case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_TOOBIG: .misuse
        default: .other
        }
    }
}
