// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// What a change needs to know of the message that it is about.
struct MessageRow {
    let id: Int64
    let isOutgoing: Bool
    let author: String?
    let sort: Int64
    let sent: Int64
    let body: String
    let isRetracted: Bool
    let isUnreadable: Bool

    init(_ row: Statement) {
        (id, isOutgoing, author, sort) = (row.column(0), row.column(1), row.column(2), row.column(3))
        (sent, body) = (row.column(4), row.column(5))
        isRetracted = row.column(6, as: Int64?.self) != nil
        isUnreadable = row.column(7)
    }

    static let columns =
        "m.id, m.direction, m.author, m.sort, m.sent, m.body, m.retracted, m.protection != 'none'"
}

extension StoreTransaction {
    /// The newest message of a conversation that goes by a name, whoever wrote it.
    ///
    /// A name that the room gave is stronger than one that its author gave, which others may have taken too (T113).
    func message(named name: String, in conversation: ConversationRow) throws -> MessageRow? {
        if conversation.isRoom, let row = try message(entry: name, of: conversation.peer, in: conversation) {
            return row
        }
        return try rows(named: name, in: conversation).first
    }

    /// The newest message that goes by a name and that the speaker wrote (T115).
    func message(named name: String, by speaker: Speaker, in conversation: ConversationRow) throws -> MessageRow? {
        if conversation.isRoom, let row = try message(entry: name, of: conversation.peer, in: conversation) {
            return isAuthor(speaker, of: row, in: conversation) ? row : nil
        }
        return try rows(named: name, in: conversation).first { isAuthor(speaker, of: $0, in: conversation) }
    }

    /// The rows of those messages that are here, by the ids that the archive gave them.
    func archived(_ ids: some Collection<String>, by archive: String, account: Int64) throws -> [String: Int64] {
        let rows = try connection.rows(
            """
            SELECT m.archive_id, m.id FROM json_each(?2) j
            CROSS JOIN message m ON m.archive_jid = ?1 AND m.archive_id = j.value AND m.account = ?3
            """, archive, JSONText.array(ids), account
        ) { ($0.column(0, as: String.self), $0.column(1, as: Int64.self)) }
        return Dictionary(rows) { first, _ in first }
    }

    func message(archived id: String, by archive: String, in conversation: ConversationRow) throws -> MessageRow? {
        try connection.first(
            """
            SELECT \(MessageRow.columns) FROM message m
            WHERE m.archive_jid = ? AND m.archive_id = ? AND m.conversation = ?
            """, archive, id, conversation.id
        ) { MessageRow($0) }
    }

    /// The message that an entry of an archive is, or that it corrects.
    func message(entry id: String, of archive: String, in conversation: ConversationRow) throws -> MessageRow? {
        if let row = try message(archived: id, by: archive, in: conversation) { return row }
        return try connection.first(
            """
            SELECT \(MessageRow.columns) FROM revision r JOIN message m ON m.id = r.message
            WHERE r.archive_id = ? AND m.conversation = ? LIMIT 1
            """, id, conversation.id
        ) { MessageRow($0) }
    }

    /// Whether somebody wrote a message; in a conversation with oneself the direction says nothing.
    func isAuthor(_ speaker: Speaker, of row: MessageRow, in conversation: ConversationRow) -> Bool {
        if speaker.isOwn, row.isOutgoing { return true }
        if speaker.isOwn { return !conversation.isRoom && isWithOneself(conversation) }
        return !row.isOutgoing && row.author == speaker.occupant
    }

    private func isWithOneself(_ conversation: ConversationRow) -> Bool {
        let own: String? = try? connection.value("SELECT jid FROM account WHERE id = ?", conversation.account)
        return own == conversation.peer
    }

    private func rows(named name: String, in conversation: ConversationRow) throws -> [MessageRow] {
        try connection.rows(
            """
            SELECT \(MessageRow.columns) FROM message m WHERE m.id IN (
                SELECT o.id FROM \(MessageName.candidates) CROSS JOIN message o ON o.id = n.message
                    WHERE o.conversation = ?2 AND ?3 IN (o.remote_id, o.own_id, o.alias)
                UNION ALL SELECT message FROM revision r JOIN message o ON o.id = r.message
                    WHERE r.name = ?3 AND o.conversation = ?2)
            ORDER BY m.sort DESC LIMIT 100
            """, MessageName.hash(name, in: conversation.id), conversation.id, name
        ) { MessageRow($0) }
    }
}
