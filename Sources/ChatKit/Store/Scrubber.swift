// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// Removes what is left of removed texts: their words in the index for search, and the pages in the log (T183).
///
/// The index keeps the words of what was deleted until its parts are merged. That is done in small steps beside everything
/// else, and taken up again when the process ended in the middle.
actor Scrubber {
    private var task: Task<Void, Never>?
    private var isWanted = false

    private static let name = "scrub"

    static func isNeeded(_ connection: Connection) throws -> Bool {
        try connection.value("SELECT EXISTS (SELECT 1 FROM note WHERE name = ?)", name) ?? false
    }

    /// Says, in the transaction that removes something, that there is work.
    static func want(_ connection: Connection) throws {
        try connection.run("INSERT OR IGNORE INTO note (name, value) VALUES (?, '1')", name)
    }

    func begin(_ database: DatabaseActor) {
        isWanted = true
        guard task == nil else { return }
        task = Task {
            while takeWish() {
                do { try await Self.scrub(database) } catch { break }
            }
            task = nil
        }
    }

    func finish() async { await task?.value }

    private func takeWish() -> Bool {
        defer { isWanted = false }
        return isWanted
    }

    private static func scrub(_ database: DatabaseActor) async throws {
        // What is removed from now on begins another round.
        var isFirst = true
        while true {
            let pages = isFirst ? -64 : 64
            isFirst = false
            let isDone = try await database.write { connection in
                let before: Int = try connection.value("SELECT total_changes()") ?? 0
                try connection.run("INSERT INTO message_text(message_text, rank) VALUES ('merge', ?)", pages)
                let after: Int = try connection.value("SELECT total_changes()") ?? 0
                return after - before < 2
            }
            if isDone { break }
            await Task.yield()
        }
        try await database.write { try $0.run("DELETE FROM note WHERE name = ?", name) }
        try await database.read { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
}
