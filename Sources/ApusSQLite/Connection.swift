// SPDX-License-Identifier: Apache-2.0
internal import ApusCSQLite
internal import Glibc

/// One SQLite handle, confined to the queue of its ``DatabaseActor``.
///
/// It is opened for durability: write-ahead log, `synchronous=FULL` (a returned commit survives power loss),
/// foreign keys enforced, and `secure_delete` on, so that deleted text does not stay in the file.
package final class Connection {
    /// Where the database lives.
    package enum Location: Sendable, Hashable {
        /// A file, created with mode 0600 when it does not exist.
        case file(String)
        /// A file that must exist and is never written.
        case readOnlyFile(String)
        /// Memory of this connection; gone when it closes.
        case memory
    }

    private var handle: OpaquePointer?
    /// For the other files of this target.
    var rawHandle: OpaquePointer? { handle }
    /// How texts become words on this connection; SQLite frees it with the handle.
    private var words: UnsafeMutablePointer<WordTokenizer.Registration>?
    private var statements: [StatementKey: Statement] = [:]
    /// How many transactions and savepoints are open.
    private var depth = 0

    package init(_ location: Location, busyTimeoutMilliseconds: Int32 = 5000) throws(SQLiteError) {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let path: String
        switch location {
        case .file(let file):
            try Self.prepareFile(file)
            path = file
            flags |= SQLITE_OPEN_READWRITE
        case .readOnlyFile(let file):
            path = file
            flags |= SQLITE_OPEN_READONLY
        case .memory:
            path = ":memory:"
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK, handle != nil else {
            let error = SQLiteError(connection: handle, code: result)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
        do {
            words = try WordTokenizer.register(on: handle)
            try configure(location)
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Finalises all statements and closes the handle; every later call throws.
    package func close() {
        for statement in statements.values { statement.finalize() }
        statements.removeAll()
        sqlite3_close_v2(handle)
        handle = nil
        words = nil
    }

    /// Runs `body` while texts have the words that they had before texts were composed.
    package func withoutComposing<Result>(_ body: () throws -> Result) rethrows -> Result {
        words?.pointee.composes = false
        defer { words?.pointee.composes = true }
        return try body()
    }

    /// Whether a text has other words when it is composed.
    package static func isOpen(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { ComposedText(UnsafeRawBufferPointer($0)) != nil }
    }

    /// The cached statement of `sql`, prepared on first use.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        let key = StatementKey(sql: sql)
        if let known = statements[key] { return known }
        let statement = try Statement(connection: open(), sql: sql)
        statements[key] = statement
        return statement
    }

    /// Runs a script of several statements without values.
    package func execute(_ script: String) throws(SQLiteError) {
        let handle = try open()
        let result = sqlite3_exec(handle, script, nil, nil, nil)
        if result != SQLITE_OK { throw SQLiteError(connection: handle, code: result, sql: script) }
    }

    /// Runs one statement to its end.
    package func run<each Value: Bindable>(_ sql: String, _ values: repeat each Value) throws(SQLiteError) {
        let statement = try statement(sql)
        try statement.bind(repeat each values)
        while try statement.step() {}
    }

    /// All rows of a query, each turned into a value by `row`.
    package func rows<Row, each Value: Bindable>(
        _ sql: String, _ values: repeat each Value, row: (Statement) throws -> Row
    ) throws -> [Row] {
        let statement = try statement(sql)
        try statement.bind(repeat each values)
        defer { statement.reset() }
        var rows: [Row] = []
        while try statement.step() { rows.append(try row(statement)) }
        return rows
    }

    /// The first row of a query, or nil.
    package func first<Row, each Value: Bindable>(
        _ sql: String, _ values: repeat each Value, row: (Statement) throws -> Row
    ) throws -> Row? {
        let statement = try statement(sql)
        try statement.bind(repeat each values)
        defer { statement.reset() }
        return try statement.step() ? try row(statement) : nil
    }

    /// The first column of the first row, or nil.
    package func value<Row: ColumnReadable, each Value: Bindable>(
        _ sql: String, _ values: repeat each Value, as type: Row.Type = Row.self
    ) throws -> Row? {
        try first(sql, repeat each values) { $0.column(0) }
    }

    /// The row id of the last insert.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// How many rows the last statement changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    /// True when nothing is written: the file is only read, or closed.
    package var isReadOnly: Bool { handle.map { sqlite3_db_readonly($0, "main") == 1 } ?? true }

    /// True while a transaction is open.
    package var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` in a transaction that is durable when this returns, and rolled back when it throws.
    ///
    /// A call inside another transaction becomes a savepoint: only its own changes are rolled back.
    ///
    /// - Parameter isRelaxed: Nothing waits for the disk: after a loss of power, not of the process, this transaction may be
    ///   gone, whole and with all behind it, until one that is not relaxed, or a checkpoint, has returned.
    package func transaction<Result>(isRelaxed: Bool = false, _ body: () throws -> Result) throws -> Result {
        let isOuter = depth == 0
        // SQLite does this when such a text is read, so no prepared statement will do.
        if isRelaxed, isOuter { try execute("PRAGMA synchronous=NORMAL") }
        defer { if isRelaxed, isOuter { try? execute("PRAGMA synchronous=FULL") } }
        let name = "level\(depth)"
        try run(isOuter ? "BEGIN IMMEDIATE" : "SAVEPOINT \(name)")
        depth += 1
        defer { depth -= 1 }
        do {
            let result = try body()
            try run(isOuter ? "COMMIT" : "RELEASE \(name)")
            return result
        } catch {
            // SQLite has already rolled back by itself after a full disk or an input/output error.
            if isInTransaction {
                try? execute(isOuter ? "ROLLBACK" : "ROLLBACK TO \(name); RELEASE \(name)")
            }
            throw error
        }
    }

    /// Runs `body` so that all that it reads is of one moment, whatever is written meanwhile.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        guard depth == 0 else { return try body() }
        try run("BEGIN DEFERRED")
        depth += 1
        defer {
            depth -= 1
            if isInTransaction { try? run("COMMIT") }
        }
        return try body()
    }

    /// What SQLite does for each statement that was prepared so far, step by step; for tests.
    package func plans() throws -> [String: [String]] {
        var plans: [String: [String]] = [:]
        for key in Array(statements.keys) where !key.sql.hasPrefix("EXPLAIN") {
            let statement = try Statement(connection: open(), sql: "EXPLAIN QUERY PLAN " + key.sql)
            defer { statement.finalize() }
            while try statement.step() { plans[key.sql, default: []].append(statement.column(3)) }
        }
        return plans
    }

    /// How many steps of its machine SQLite did for all prepared statements so far; for tests.
    package var machineSteps: Int {
        statements.values.reduce(0) { $0 + Int(sqlite3_stmt_status($1.handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }
    }

    /// How often a statement was run on this connection so far; for tests.
    package var statementRuns: Int {
        statements.values.reduce(0) { $0 + Int(sqlite3_stmt_status($1.handle, SQLITE_STMTSTATUS_RUN, 0)) }
    }

    private func open() throws(SQLiteError) -> OpaquePointer {
        guard let handle else { throw SQLiteError(kind: .misuse, message: "the connection is closed") }
        return handle
    }

    private func configure(_ location: Location) throws(SQLiteError) {
        try execute("PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF")
        switch location {
        case .file:
            try execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON")
            // New messages touch leaves of indexes all over the file: they are kept for a while, and written back in fewer rounds.
            try execute("PRAGMA cache_size=-32768; PRAGMA wal_autocheckpoint=16000")
        case .readOnlyFile:
            // Reads the header, so that a damaged file is found here.
            try execute("SELECT count(*) FROM sqlite_schema")
            try execute("PRAGMA query_only=ON")
        case .memory:
            try execute("PRAGMA secure_delete=ON")
        }
    }

    /// Creates the file with mode 0600, or takes wider rights away; a symbolic link is refused.
    private static func prepareFile(_ path: String) throws(SQLiteError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            fchmod(descriptor, 0o600)
            Glibc.close(descriptor)
            return
        }
        let reason = errno
        // A file that cannot be written is left to SQLite, whose error says so.
        if reason == EACCES || reason == EROFS { return }
        throw SQLiteError(kind: .cannotOpen, code: SQLITE_CANTOPEN, message: String(cString: strerror(reason)))
    }
}

/// The text of a statement, found by a few of its bytes: texts are long, and each is looked up many times a second.
private struct StatementKey: Hashable {
    let sql: String

    func hash(into hasher: inout Hasher) {
        var sql = sql
        sql.withUTF8 { bytes in
            hasher.combine(bytes.count)
            let end = bytes.count
            // Beginnings are alike, so every eighth part of the text is looked at.
            let step = max(end / 8, 1)
            var index = 0
            while index < end {
                hasher.combine(bytes[index])
                index += step
            }
        }
    }

    static func == (left: Self, right: Self) -> Bool { left.sql == right.sql }
}
