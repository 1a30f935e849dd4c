// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// What keeps the folder of files in order.
extension ChatCore {
    /// Takes out what a crash left: files that no row has.
    func sweepStrays() async throws {
        let names = media.names()
        guard !names.isEmpty else { return }
        let known = try await store.read { connection in
            Set(
                try connection.rows(
                    """
                    SELECT local FROM file WHERE local IS NOT NULL
                    UNION ALL SELECT thumbnail FROM file WHERE thumbnail IS NOT NULL
                    """
                ) { $0.column(0, as: String.self) })
        }
        for name in names where !known.contains(name) { media.remove(name) }
        try await store.write { try $0.connection.run("DELETE FROM file_rubbish") }
    }

    /// Looks after files whenever something about them has changed, until the core is closed.
    func watchFiles() -> Task<Void, Never> {
        let signal = store.hub.subscribe { $0.files || $0.erased }
        let (store, media, runners, quota) = (store, media, runners, configuration.fileCacheBytes)
        return Task {
            while await signal.wait() {
                try? await Self.tidy(store, media, quota: quota)
                // Beside this loop: a file may take long.
                for runner in runners.all { Task { await runner.workOnFiles() } }
            }
        }
    }

    /// Removes from the disk what nothing leads to any more, and what was not looked at for longest when there is too much.
    static func tidy(_ store: ChatStore, _ media: MediaFolder, quota: Int64) async throws {
        try await store.write { try $0.evictFiles(quota: quota) }
        let rubbish: [String] = try await store.read {
            try $0.rows("SELECT name FROM file_rubbish LIMIT 1000") { $0.column(0) }
        }
        guard !rubbish.isEmpty else { return }
        try await media.onQueue { () throws(ChatError) in for name in rubbish { media.remove(name) } }
        try await store.write { transaction in
            for name in rubbish { try transaction.connection.run("DELETE FROM file_rubbish WHERE name = ?", name) }
        }
    }
}

extension StoreTransaction {
    /// Forgets copies that could be fetched again, those first that were not looked at for longest, until the rest is three
    /// quarters of the quota; small pictures, which are what conversations show, go last.
    func evictFiles(quota: Int64) throws {
        var total: Int64 =
            try connection.value("SELECT coalesce(sum(local_size + thumbnail_size), 0) FROM file") ?? 0
        guard total > quota else { return }
        let copies = try connection.rows(
            """
            SELECT id, local_size, message FROM file
            WHERE local IS NOT NULL AND state IN (2, 12) AND sources != '' ORDER BY used, id LIMIT 1000
            """
        ) { ($0.column(0, as: Int64.self), $0.column(1, as: Int64.self), $0.column(2, as: Int64.self)) }
        for (file, size, message) in copies where total > quota / 4 * 3 {
            try connection.run(
                """
                UPDATE file SET local = NULL, local_size = 0, state = CASE state WHEN 12 THEN 10 ELSE state END WHERE id = ?
                """, file)
            total -= size
            try changed(message: message)
        }
        guard total > quota else { return }
        let small = try connection.rows(
            """
            SELECT id, thumbnail_size, message FROM file WHERE thumbnail IS NOT NULL AND local IS NULL ORDER BY used, id
            LIMIT 1000
            """
        ) { ($0.column(0, as: Int64.self), $0.column(1, as: Int64.self), $0.column(2, as: Int64.self)) }
        for (file, size, message) in small where total > quota / 4 * 3 {
            try connection.run("UPDATE file SET thumbnail = NULL, thumbnail_size = 0 WHERE id = ?", file)
            total -= size
            try changed(message: message)
        }
    }
}
