// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// What is sent to a room waits until we are in it.
extension StoreTransaction {
    /// What the room refused because we were not in it goes out now.
    func sendRefusedAgain(_ conversation: ConversationRow) throws {
        let refused: [Int64] = try connection.rows(
            """
            SELECT id FROM message WHERE conversation = ? AND direction = 1 AND state = 5 AND failure = 'not-acceptable'
                AND sent > ? ORDER BY sort
            """, conversation.id, now - AccountSessionStore.maximumAge
        ) { $0.column(0) }
        for message in refused { _ = try requeue(message: message) }
    }

    /// Keeps a stanza for a room until we are in it.
    func park(_ row: OutboxRow) throws {
        try connection.run("UPDATE outbox SET state = 'parked' WHERE id = ? AND state = 'queued'", row.id)
    }

    /// We are in the room: what was kept for it goes out, and then what was queued behind that.
    func unpark(_ conversation: ConversationRow) throws {
        let rows: [Int64] = try connection.rows(
            """
            SELECT id FROM outbox WHERE account = ?1 AND chat = ?2 AND (state = 'parked' OR state = 'queued' AND seq IS NULL
                AND id > (SELECT min(p.id) FROM outbox p WHERE p.account = ?1 AND p.chat = ?2 AND p.state = 'parked'))
            ORDER BY id
            """, conversation.account, conversation.peer
        ) { $0.column(0) }
        for row in rows { try requeue(row: row) }
        if !rows.isEmpty { changes.outbox.insert(conversation.account) }
    }

    /// The chats for which something is kept.
    static func parkedChats(_ connection: Connection, account: Int64) throws -> [String] {
        try connection.rows("SELECT DISTINCT chat FROM outbox WHERE account = ? AND state = 'parked'", account) {
            $0.column(0)
        }
    }

    /// Puts a row at the end of what waits to be sent.
    func requeue(row: Int64) throws {
        try connection.run(
            """
            UPDATE outbox SET id = (SELECT seq + 1 FROM sqlite_sequence WHERE name = 'outbox'), state = 'queued' WHERE id = ?
            """, row)
        try connection.run("UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM outbox) WHERE name = 'outbox'")
    }
}
