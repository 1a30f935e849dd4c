// SPDX-License-Identifier: Apache-2.0
package import ApusSQLite
internal import Glibc

/// The database of a profile: every write is one durable transaction, after which the live queries are told.
///
/// What is only read has a connection of its own, so that a long list keeps no message waiting.
package final class ChatStore: Sendable {
    package let hub = ChangeHub()
    private let database: DatabaseActor
    /// The same as `database` where there is no file.
    private let reader: DatabaseActor
    private let clock: @Sendable () -> Int64
    private let scrubber = Scrubber()
    /// Nil where there is no file.
    let checkpointer: Checkpointer?

    /// Opens the database and brings its schema up to date.
    ///
    /// - Parameter clock: Gives the time in milliseconds since 1970.
    package init(
        _ location: Connection.Location, clock: @escaping @Sendable () -> Int64 = ChatStore.wallClock
    ) async throws {
        let database = try await DatabaseActor(location)
        self.database = database
        self.clock = clock
        do {
            let isScrubbing = try await database.read { connection in
                try Self.prepare(connection, location)
                return try Scrubber.isNeeded(connection)
            }
            if case .file(let path) = location {
                reader = try await DatabaseActor(.readOnlyFile(path), label: "apus.database.reader")
                checkpointer = Checkpointer(path: path)
            } else {
                reader = database
                checkpointer = nil
            }
            if isScrubbing { await scrubber.begin(database) }
        } catch {
            await database.close()
            throw error
        }
    }

    /// Brings the schema up to date; before it changes, the file is checked, and a copy of it is kept beside it.
    private static func prepare(_ connection: Connection, _ location: Connection.Location) throws {
        let version = try Migrator.version(of: connection)
        if case .file(let path) = location, version > 0, version < Schema.migrator.newestVersion {
            let fault: String? = try connection.value("PRAGMA quick_check(1)")
            guard fault == "ok" else {
                throw SQLiteError(kind: .corrupt, message: "the check before the change of the schema found damage")
            }
            try connection.backUp(to: "\(path).version-\(version)")
        }
        try Schema.migrator.migrate(connection)
    }

    /// Ends all live queries and closes the file.
    package func close() async {
        hub.close()
        await scrubber.finish()
        await checkpointer?.close()
        if reader !== database { await reader.close() }
        await database.close()
    }

    /// Waits until nothing of what was removed is left in the files.
    package func scrubbed() async { await scrubber.finish() }

    /// Reads what is durable at one moment: all that was written before this call is there.
    package func read<Result: Sendable>(
        _ body: @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await reader.look(body)
    }

    /// Runs `body` in one transaction; returns when it is durable.
    ///
    /// - Parameter isRelaxed: It may be gone after a loss of power, whole and with all behind it: for what is asked for again
    ///   then.
    package func write<Result: Sendable>(
        isRelaxed: Bool = false, _ body: @Sendable (StoreTransaction) throws -> Result
    ) async throws -> Result {
        let now = clock()
        let (result, changes) = try await database.write(isRelaxed: isRelaxed) { connection in
            let transaction = StoreTransaction(connection, now: now)
            let result = try body(transaction)
            try transaction.settle()
            return (result, transaction.changes)
        }
        hub.publish(changes)
        if changes.erased { await scrubber.begin(database) }
        let count = changes.messages.count
        if count >= Checkpointer.largeTransaction { await checkpointer?.wrote(messages: count) }
        return result
    }

    /// What SQLite does for each statement of both connections; for tests.
    package func plans() async throws -> [String: [String]] {
        let written = try await database.read { try $0.plans() }
        return written.merging(try await reader.read { try $0.plans() }) { first, _ in first }
    }

    /// How many steps of SQLite's machine a reading costs; for tests.
    package func steps(_ body: @Sendable (Connection) throws -> Void) async throws -> Int {
        try await read { connection in
            let before = connection.machineSteps
            try body(connection)
            return connection.machineSteps - before
        }
    }

    package var now: Int64 { clock() }

    /// Milliseconds since 1970 by the clock of the machine.
    package static let wallClock: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}

/// One write in progress: the connection, the time of the transaction, and what it has touched so far.
///
/// Confined to the queue of the database, and to one transaction.
package final class StoreTransaction {
    package let connection: Connection
    /// The time of the transaction in milliseconds since 1970.
    package let now: Int64
    package var changes = StoreChanges()
    /// New messages that are to go into the index for search.
    var unindexed: [Int64] = []
    /// Numbers of names that no message has.
    var absentNames: Set<Int64> = []
    /// What new messages add to their conversations; nil: each adds it at once.
    var gathered: GatheredMessages?

    package init(_ connection: Connection, now: Int64) {
        self.connection = connection
        self.now = now
    }

    /// Runs `body` so that what it did, and what it touched, is undone when it throws.
    package func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        let before = (changes, unindexed, gathered)
        do {
            return try connection.transaction(body)
        } catch {
            (changes, unindexed, gathered) = before
            throw error
        }
    }

    /// Writes what was put off until all of it is known.
    func settle() throws {
        try settleGathered()
        try settleIndex()
    }
}
