// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// A stanza that waits to be handed to the session.
package struct OutboxRow: Sendable, Hashable {
    package let id: Int64
    package let stanzaID: String
    package let message: Int64?
    /// The stanza as XML, frozen when it was queued.
    package let payload: String
    package let created: Int64
}

extension StoreTransaction {
    /// Queues a stanza; it is sent once this transaction is durable.
    ///
    /// - Parameters:
    ///   - changed: The message that it changes.
    ///   - target: The message that it is about: where that is ours and has not gone out, this goes behind it.
    ///   - attempts: How often a session may have had it already.
    func enqueue(
        account: Int64, stanzaID: String, chat: String, payload: String, message: Int64? = nil,
        changing changed: Int64? = nil, behind target: Int64? = nil, attempts: Int64 = 0
    ) throws {
        let place = try target.map { try self.place(behind: $0) }
        try connection.run(
            """
            INSERT INTO outbox (account, stanza_id, message, chat, payload, created, changes, behind, state, attempts)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, account, stanzaID, message, chat, payload, now, changed, place?.isWaiting == true ? target : nil,
            place?.isBehind == false ? "behind" : "queued", attempts)
        changes.outbox.insert(account)
    }

    /// The next rows that no session has taken yet, oldest first.
    static func queued(_ connection: Connection, account: Int64, after: Int64, limit: Int) throws -> [OutboxRow] {
        try connection.rows(
            """
            SELECT id, stanza_id, message, payload, created FROM outbox
            WHERE account = ? AND id > ? AND seq IS NULL AND state = 'queued' ORDER BY id LIMIT ?
            """, account, after, limit
        ) { row in
            OutboxRow(
                id: row.column(0), stanzaID: row.column(1), message: row.column(2), payload: row.column(3),
                created: row.column(4))
        }
    }

    /// The session takes a stanza: it will be written once this transaction is durable.
    func wrote(account: Int64, stanzaID: String, sequence: UInt64, session: String?) throws {
        try connection.run(
            """
            UPDATE outbox SET state = 'written', seq = ?3, session = ?4, attempts = attempts + 1
            WHERE account = ?1 AND stanza_id = ?2
            """, account, stanzaID, sequence, session)
        guard connection.changes > 0, let message = try message(account: account, sequence: sequence) else { return }
        try advance(message: message, to: MessageState.Stored.written)
    }

    /// The server handled everything of ours up to `sequence`: messages are marked in order.
    func acknowledged(account: Int64, through sequence: UInt64) throws {
        let messages: [Int64] = try connection.rows(
            "SELECT message FROM outbox WHERE account = ? AND seq <= ? AND message IS NOT NULL ORDER BY seq",
            account, sequence
        ) { $0.column(0) }
        for message in messages { try advance(message: message, to: MessageState.Stored.acknowledged) }
        let changed: [Int64] = try connection.rows(
            "SELECT changes FROM outbox WHERE account = ? AND seq <= ? AND changes IS NOT NULL", account, sequence
        ) { $0.column(0) }
        try connection.run("DELETE FROM outbox WHERE account = ? AND seq <= ?", account, sequence)
        for message in changed { try self.changed(message: message) }
        try connection.run("DELETE FROM unacknowledged WHERE account = ? AND seq <= ?", account, sequence)
    }

    /// The session gives a stanza up.
    func dropped(account: Int64, sequence: UInt64, _ failure: MessageFailure) throws {
        if let message = try message(account: account, sequence: sequence) { try fail(message: message, failure) }
        try connection.run("DELETE FROM outbox WHERE account = ? AND seq = ?", account, sequence)
        try connection.run("DELETE FROM unacknowledged WHERE account = ? AND seq = ?", account, sequence)
    }

    /// Takes a queued row out because it cannot be sent.
    func giveUp(_ row: OutboxRow, _ failure: MessageFailure) throws {
        if let message = row.message { try fail(message: message, failure) }
        try connection.run("DELETE FROM outbox WHERE id = ?", row.id)
    }

    private func message(account: Int64, sequence: UInt64) throws -> Int64? {
        try connection.first(
            "SELECT message FROM outbox WHERE account = ? AND seq = ? AND message IS NOT NULL", account, sequence
        ) { $0.column(0) }
    }
}
