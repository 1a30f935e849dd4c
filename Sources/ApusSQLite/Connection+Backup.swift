// SPDX-License-Identifier: Apache-2.0
internal import ApusCSQLite
internal import Glibc

extension Connection {
    /// Writes a copy of the database, as it is now, to a file of mode 0600; one that is there already is replaced.
    ///
    /// The copy is whole and durable under its name, or it is not there.
    ///
    /// - Parameter part: Where it is until it is whole; whatever is there goes. Nil: `path` with `.part` behind it.
    package func backUp(to path: String, by part: String? = nil) throws(SQLiteError) {
        let part = part ?? path + ".part"
        for leftover in ["", "-wal", "-shm", "-journal"] { unlink(part + leftover) }
        let target = try Connection(.file(part))
        do {
            try copy(to: target)
            // Without the log the file is all there is.
            try target.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE")
            target.close()
        } catch {
            target.close()
            unlink(part)
            throw error
        }
        guard rename(part, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(part)
            throw SQLiteError(kind: .cannotOpen, message: "the copy cannot be put in its place: \(reason)")
        }
    }

    private func copy(to target: Connection) throws(SQLiteError) {
        guard let source = rawHandle, let destination = target.rawHandle,
            let backup = sqlite3_backup_init(destination, "main", source, "main")
        else { throw SQLiteError(connection: target.rawHandle, code: SQLITE_ERROR) }
        let result = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(connection: destination, code: end == SQLITE_OK ? result : end)
        }
    }
}
