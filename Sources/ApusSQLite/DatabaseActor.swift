// SPDX-License-Identifier: Apache-2.0
internal import Dispatch

/// The owner of one connection: every call runs on a serial queue of its own, so that a disk never blocks
/// the shared thread pool.
package actor DatabaseActor {
    private let executor: QueueExecutor
    private let connection: Connection

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens the database on the actor's queue.
    package init(_ location: Connection.Location, label: String = "apus.database") async throws {
        let executor = QueueExecutor(label: label)
        self.executor = executor
        self.connection = try await executor.make { try Connection(location) }
    }

    /// Runs `body` with the connection, outside any transaction.
    package func read<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
        try body(connection)
    }

    /// Runs `body` with the connection; all that it reads is of one moment.
    package func look<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
        try connection.snapshot { try body(connection) }
    }

    /// Runs `body` in one transaction, durable when this returns unless it is relaxed.
    package func write<Result: Sendable>(
        isRelaxed: Bool = false, _ body: @Sendable (Connection) throws -> Result
    ) throws -> Result {
        try connection.transaction(isRelaxed: isRelaxed) { try body(connection) }
    }

    /// Moves the log into the database file, if this may be written, and closes the handle; every later call throws.
    package func close() {
        if !connection.isReadOnly { try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        connection.close()
    }

    /// True on the queue of this actor; for tests.
    package nonisolated var isOnQueue: Bool { executor.isCurrent }
}
