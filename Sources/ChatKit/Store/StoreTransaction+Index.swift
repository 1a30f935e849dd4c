// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// The index for search follows the messages: each change of a text takes the old one out with exactly the words that went in.
extension StoreTransaction {
    /// Puts all new messages of the transaction in at once.
    ///
    /// FTS5 writes a part of its index out whenever a savepoint begins, and many statements begin one: message by message,
    /// each would become a part of its own, to be merged with all others later.
    func settleIndex() throws {
        guard let first = unindexed.first, let last = unindexed.last else { return }
        let new = unindexed
        unindexed = []
        // Rows are numbered in order, so nearly always they are all between two of them.
        guard last - first != Int64(new.count) - 1 else {
            return try connection.run(
                """
                INSERT INTO message_text(rowid, body, scope) SELECT s.id, s.body, s.scope
                FROM message_search s WHERE s.id BETWEEN ? AND ?
                """, first, last)
        }
        try connection.run(
            """
            INSERT INTO message_text(rowid, body, scope) SELECT s.id, s.body, s.scope
            FROM json_each(?) j CROSS JOIN message_search s ON s.id = j.value
            """, JSONText.array(new))
    }

    /// Takes a message out of the index; to be called while its row is as it was when it went in.
    func unindex(message: Int64) throws {
        try settle()
        try connection.run(
            """
            INSERT INTO message_text(message_text, rowid, body, scope)
            SELECT 'delete', id, body, scope FROM message_search WHERE id = ?
            """, message)
    }

    /// Puts a message in again after its text has changed.
    func index(message: Int64) throws {
        try connection.run(
            """
            INSERT INTO message_text(rowid, body, scope) SELECT id, body, scope FROM message_search WHERE id = ?
            """, message)
    }

    /// Takes out all messages of an account before they go.
    func unindex(account: Int64) throws {
        try settle()
        try connection.run(
            """
            INSERT INTO message_text(message_text, rowid, body, scope) SELECT 'delete', s.id, s.body, s.scope
            FROM message m JOIN message_search s ON s.id = m.id WHERE m.account = ?
            """, account)
    }
}
