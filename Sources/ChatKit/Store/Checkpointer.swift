// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// Brings what large transactions left in the log into the database file, beside whatever is written next.
///
/// Without it the writer would stop for that each time the log is full. It has a connection of its own, opened when it is
/// needed for the first time.
actor Checkpointer {
    /// Transactions that change so many messages leave enough for a round.
    static let largeTransaction = 500

    private let path: String
    private var database: DatabaseActor?
    private var task: Task<Void, Never>?
    private var isWanted = false
    private var isClosed = false

    init(path: String) { self.path = path }

    func begin() {
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

    /// Ends the round that is under way, and closes the connection.
    func close() async {
        isClosed = true
        await task?.value
        await database?.close()
        database = nil
    }
}
