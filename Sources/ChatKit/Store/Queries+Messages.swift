// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP
internal import struct Foundation.Date

/// What can be read from the database; all of it runs on the database's queue.
enum Queries {
    static let messageColumns = """
        m.id, a.jid, m.conversation, c.peer, m.direction, m.sender, m.body, m.subject, m.state, m.failure,
        m.failure_text, m.sent, m.received, m.is_delayed, coalesce(m.own_id, m.remote_id), m.archive_id, m.protection,
        m.may_be_duplicated, m.idempotency_key, m.sort, m.author_name, m.edited, m.retracted, m.moderator,
        m.moderation_reason, m.is_mention, m.reply_to, m.reply_author,
        EXISTS (SELECT 1 FROM outbox o WHERE o.changes = m.id)
        """
    /// How many columns those are.
    static let messageColumnCount: Int32 = 29
    static let messageTables = """
        message m JOIN conversation c ON c.id = m.conversation JOIN account a ON a.id = m.account
        """

    /// One message.
    static func message(_ connection: Connection, id: Int64) throws -> ChatMessage? {
        var reader = JIDReader()
        let found = try connection.first("SELECT \(messageColumns) FROM \(messageTables) WHERE m.id = ?", id) {
            try message($0, &reader)
        }
        return try found.flatMap { try complete(connection, [$0]).first }
    }

    /// The message that was sent under a key, if there is one.
    static func message(
        _ connection: Connection, account: Int64, peer: String, key: String
    ) throws -> ChatMessage? {
        var reader = JIDReader()
        let found = try connection.first(
            """
            SELECT \(messageColumns) FROM \(messageTables)
            WHERE c.account = ? AND c.peer = ? AND m.account = c.account AND m.idempotency_key = ?
            """, account, peer, key
        ) { try message($0, &reader) }
        return try found.flatMap { try complete(connection, [$0]).first }
    }

    /// A page of a conversation in ascending order: the newest of those before a place, or the oldest after one.
    static func page(
        _ connection: Connection, conversation: Int64, before: Int64?, after: Int64?, limit: Int
    ) throws -> [ChatMessage] {
        var reader = JIDReader()
        if let after {
            let rows = try connection.rows(
                """
                SELECT \(messageColumns) FROM \(messageTables)
                WHERE m.conversation = ?1 AND m.sort > (SELECT sort FROM message WHERE id = ?2 AND conversation = ?1)
                ORDER BY m.sort, m.id LIMIT ?3
                """, conversation, after, limit
            ) { try message($0, &reader) }
            return try complete(connection, rows)
        }
        let newestFirst: [ChatMessage]
        if let before {
            newestFirst = try connection.rows(
                """
                SELECT \(messageColumns) FROM \(messageTables)
                WHERE m.conversation = ?1 AND m.sort < (SELECT sort FROM message WHERE id = ?2 AND conversation = ?1)
                ORDER BY m.sort DESC, m.id DESC LIMIT ?3
                """, conversation, before, limit
            ) { try message($0, &reader) }
        } else {
            newestFirst = try connection.rows(
                """
                SELECT \(messageColumns) FROM \(messageTables)
                WHERE m.conversation = ? ORDER BY m.sort DESC, m.id DESC LIMIT ?
                """, conversation, limit
            ) { try message($0, &reader) }
        }
        return try complete(connection, newestFirst.reversed())
    }

    /// One message without what it answers and what people said to it.
    static func message(_ row: Statement, _ jid: inout JIDReader) throws -> ChatMessage {
        let moderator: String? = row.column(23)
        let reason: String? = row.column(24)
        let isModerated = moderator != nil || reason != nil
        return ChatMessage(
            id: .init(rawValue: row.column(0)), account: try jid(row.column(1)),
            conversation: .init(rawValue: row.column(2)), peer: try jid(row.column(3)),
            direction: row.column(4, as: Bool.self) ? .outgoing : .incoming, sender: try jid(row.column(5)),
            body: row.column(6), subject: row.column(7),
            state: MessageState(stored: row.column(8), failure: row.column(9), text: row.column(10)),
            sent: Date(milliseconds: row.column(11)), received: Date(milliseconds: row.column(12)),
            isDelayed: row.column(13), originID: row.column(14), archiveID: row.column(15),
            protection: .init(rawValue: row.column(16)), mayBeDuplicated: row.column(17),
            idempotencyKey: row.column(18), position: row.column(19), senderName: row.column(20),
            edited: row.column(21, as: Int64?.self).map { Date(milliseconds: $0) },
            retracted: row.column(22, as: Int64?.self).map { Date(milliseconds: $0) },
            moderation: isModerated ? Moderation(by: moderator, reason: reason) : nil, isMention: row.column(25),
            isChanging: row.column(28), replyID: row.column(26), replyAuthor: row.column(27))
    }
}

extension Date {
    /// Makes a date from milliseconds since 1970.
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
