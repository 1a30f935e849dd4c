// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// Brings what large transactions left in the log into the database file, beside whatever is written next.
///
/// Without it the writer would stop for that each time the log is full. It has a connection of its own, opened when it is
/// needed for the first time.
actor Checkpointer {
    /// So many messages that came in large transactions leave enough for a round: a page that each of them touched is written
    /// once.
    private static let enough = 8000
    /// What counts as a large transaction, in messages; what smaller ones leave the writer brings over itself.
    static let largeTransaction = 500

    private let path: String
    private var database: DatabaseActor?
    private var task: Task<Void, Never>?
    private var isWanted = false
    private var messages = 0
    private var isClosed = false

    init(path: String) { self.path = path }

    /// Notes how many messages a large transaction changed.
    func wrote(messages count: Int) {
        messages += count
        guard messages >= Self.enough else { return }
        messages = 0
        isWanted = true
        guard task == nil, !isClosed else { return }
        task = Task {
            while isWanted, !isClosed {
                isWanted = false
                // What cannot be moved now stays in the log, where the writer finds it in the end.
                guard let database = try? await open() else { break }
                try? await database.read { try $0.execute("PRAGMA wal_checkpoint(PASSIVE)") }
            }
            task = nil
        }
    }

    private func open() async throws -> DatabaseActor {
        if let database { return database }
        let opened = try await DatabaseActor(.file(path), label: "apus.database.checkpoint")
        database = opened
        return opened
    }

    /// Waits for the round that is under way; for tests.
    func settled() async { await task?.value }

    /// Ends the round that is under way, and closes the connection.
    func close() async {
        isClosed = true
        await task?.value
        await database?.close()
        database = nil
    }
}
