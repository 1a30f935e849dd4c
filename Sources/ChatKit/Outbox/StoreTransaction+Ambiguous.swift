// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// Messages of which nobody knows whether the server has them.
///
/// A row of the outbox is `queued`, then `written`. When its stream is lost it is `ambiguous`, or queued again if the server
/// said that it did not handle it. The archive, or its absence, makes it accepted or queued. A row that waited too long is
/// `held` until the user decides. What is about a message that does not go out for now is `behind` it.
extension StoreTransaction {
    /// Takes back what a lost stream left: all that was written and not acknowledged.
    func takeBack(account: Int64, _ left: SessionCommit.LeftMessages) throws {
        let isKnown = left == .notHandled
        let rows: [Int64] = try connection.rows(
            "SELECT message FROM outbox WHERE account = ? AND seq IS NOT NULL AND message IS NOT NULL", account
        ) { $0.column(0) }
        // What is no message of a person, such as a receipt, does no harm when it comes twice, and stands in no archive.
        try connection.run(
            """
            UPDATE outbox SET seq = NULL, session = NULL,
                state = CASE WHEN ?2 OR message IS NULL THEN 'queued' ELSE 'ambiguous' END
            WHERE account = ?1 AND seq IS NOT NULL
            """, account, isKnown)
        if isKnown { for message in rows { try waitsAgain(message: message) } }
        try connection.run("DELETE FROM unacknowledged WHERE account = ?", account)
        if !rows.isEmpty { changes.outbox.insert(account) }
    }

    static func hasAmbiguous(_ connection: Connection, account: Int64) throws -> Bool {
        try connection.value(
            "SELECT EXISTS (SELECT 1 FROM outbox WHERE account = ? AND state = 'ambiguous')", account) ?? false
    }

    /// When the oldest of them was queued.
    static func oldestAmbiguous(_ connection: Connection, account: Int64) throws -> Int64? {
        let time: Int64?? = try connection.value(
            "SELECT min(created) FROM outbox WHERE account = ? AND state = 'ambiguous'", account)
        return time ?? nil
    }

    /// Their rows in the outbox.
    static func ambiguous(_ connection: Connection, account: Int64) throws -> [Int64] {
        try connection.rows(
            "SELECT id FROM outbox WHERE account = ? AND state = 'ambiguous' ORDER BY id", account
        ) { $0.column(0) }
    }

    /// What the archive did not have is sent again, with its id; one that it had is no row any more.
    ///
    /// - Parameter mayRepeat: Nobody could look, so the other side may see it twice.
    func sendAgain(_ row: Int64, account: Int64, mayRepeat: Bool) throws {
        // What went to a room stands in the room's archive, if anywhere.
        try connection.run(
            """
            UPDATE outbox SET state = 'unreflected' WHERE id = ? AND state = 'ambiguous' AND message IS NOT NULL
                AND EXISTS (SELECT 1 FROM conversation c
                    WHERE c.account = outbox.account AND c.peer = outbox.chat AND c.kind = 'room')
            """, row)
        if connection.changes > 0 { return }
        try connection.run("UPDATE outbox SET state = 'queued' WHERE id = ? AND state = 'ambiguous'", row)
        guard connection.changes > 0,
            let message: Int64 = try connection.value("SELECT message FROM outbox WHERE id = ?", row)
        else { return }
        if mayRepeat { try connection.run("UPDATE message SET may_be_duplicated = 1 WHERE id = ?", message) }
        try waitsAgain(message: message)
        changes.outbox.insert(account)
    }

    private func waitsAgain(message: Int64) throws {
        try connection.run("UPDATE message SET state = 0 WHERE id = ? AND state = 1", message)
        try changed(message: message)
    }

    /// Whether something was written before that time and never acknowledged.
    func hasWritten(account: Int64, before time: Int64) throws -> Bool {
        try Self.hasWritten(connection, account: account, before: time)
    }

    static func hasWritten(_ connection: Connection, account: Int64, before time: Int64) throws -> Bool {
        try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM outbox
                WHERE account = ? AND seq IS NOT NULL AND message IS NOT NULL AND created < ?)
            """, account, time) ?? false
    }

    /// A message that waited too long goes out only when the user says so, and what is about it with it; gives whether there
    /// is such a thing.
    func hold(_ row: OutboxRow) throws -> Bool {
        try connection.run("UPDATE outbox SET state = 'held' WHERE id = ? AND state = 'queued'", row.id)
        guard connection.changes > 0, let message = row.message else { return false }
        try connection.run("UPDATE message SET state = 6 WHERE id = ? AND direction = 1 AND state < 2", message)
        if connection.changes > 0 { try changed(message: message) }
        return try holdBack(behind: message)
    }
}
