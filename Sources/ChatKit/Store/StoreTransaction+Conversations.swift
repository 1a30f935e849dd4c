// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// What an incoming or outgoing message needs to know of its conversation.
struct ConversationRow {
    let id: Int64
    let account: Int64
    /// The bare address of the other side.
    let peer: String
    var lastSort: Int64
    let isRoom: Bool
    /// Changes wait for messages that are not here.
    var isWaiting: Bool

    init(_ row: Statement) {
        (id, account, peer) = (row.column(0), row.column(1), row.column(2))
        (lastSort, isRoom, isWaiting) = (row.column(3), row.column(4), row.column(5))
    }

    static let columns = "id, account, peer, last_sort, kind = 'room', is_waiting"
}

extension StoreTransaction {
    /// The conversation with a peer, if there is one.
    func conversation(account: Int64, peer: String) throws -> ConversationRow? {
        try current(
            connection.first(
                "SELECT \(ConversationRow.columns) FROM conversation WHERE account = ? AND peer = ?", account, peer
            ) { ConversationRow($0) })
    }

    /// A conversation by its row.
    func conversation(_ id: Int64) throws -> ConversationRow? {
        try current(
            connection.first("SELECT \(ConversationRow.columns) FROM conversation WHERE id = ?", id) {
                ConversationRow($0)
            })
    }

    /// The conversations with these peers that are here, each with the place up to which the archive was gone through.
    func conversations(
        account: Int64, peers: Set<JID>
    ) throws -> [(row: ConversationRow, archivedSort: Int64)] {
        try connection.rows(
            """
            SELECT \(ConversationRow.columns), (SELECT m.sort FROM message m
                WHERE m.conversation = conversation.id AND m.is_archived = 1 ORDER BY m.sort DESC LIMIT 1)
            FROM conversation WHERE account = ? AND peer IN (SELECT value FROM json_each(?))
            """, account, JSONText.array(peers.map(\.description))
        ) { (ConversationRow($0), $0.column(6, as: Int64?.self) ?? 0) }
    }

    /// With what was not written to it yet.
    private func current(_ row: ConversationRow?) -> ConversationRow? {
        guard var row, let last = gathered?.last(in: row.id) else { return row }
        row.lastSort = max(row.lastSort, last)
        return row
    }

    /// The conversation with a peer, made when there is none.
    ///
    /// - Parameter isHidden: A new one is not listed before it has a message.
    func makeConversation(account: Int64, peer: String, isHidden: Bool = false) throws -> ConversationRow {
        if let known = try conversation(account: account, peer: peer) { return known }
        try connection.run(
            """
            INSERT INTO conversation (id, account, peer, is_hidden) VALUES (\(Self.newNumber(of: "conversation")), ?, ?, ?)
            """, account, peer, isHidden)
        let id = connection.lastInsertedRow
        changes.conversations.insert(id)
        guard let row = try conversation(id) else {
            throw SQLiteError(kind: .corrupt, message: "a new conversation is not there")
        }
        return row
    }

    /// The place of a new message: now, but always after the last one, whatever the clock did.
    func nextSort(_ conversation: ConversationRow) -> Int64 { max(now, conversation.lastSort &+ 1) }

    /// Puts a new message into its conversation, at the end or where its place is.
    ///
    /// - Parameter last: The place of the last message before; nil when the new one is not behind all others.
    func append(
        message: Int64, sort: Int64, to conversation: Int64, behind last: Int64? = nil, isUnread: Bool,
        isMention: Bool = false, isSent: Bool = false
    ) throws {
        changes.conversations.insert(conversation)
        changes.messages.insert(message)
        if gathered != nil {
            gathered?.add(
                message, sort, to: conversation, behind: last, isUnread: isUnread, isMention: isMention,
                isSent: isSent)
            return
        }
        try connection.run(
            """
            UPDATE conversation SET last_message = CASE WHEN ?2 > last_sort THEN ?1 ELSE last_message END,
                last_sort = max(last_sort, ?2), unread = unread + (?3 AND ?2 > read_sort),
                mentions = mentions + (?3 AND ?5 AND ?2 > read_sort), is_hidden = 0, has_sent = has_sent OR ?7,
                is_archived = is_archived AND (?2 <= last_sort OR ?3 AND (coalesce(muted_until > ?6, 0)
                    OR level = 'none' OR level = 'mentions' AND NOT ?5))
            WHERE id = ?4
            """, message, sort, isUnread, conversation, isMention, now, isSent)
    }

    /// Marks everything up to a place in the conversation as read; all of it when `sort` is nil.
    func markRead(conversation: Int64, through sort: Int64? = nil) throws {
        try settleGathered()
        try connection.run(
            """
            UPDATE conversation SET read_sort = max(read_sort, min(coalesce(?2, last_sort), last_sort)) WHERE id = ?1
            """, conversation, sort)
        try countUnread(conversation: conversation)
    }

    /// Counts again what has not been read, which is never more than before: where that was nothing, nothing is counted.
    func countUnread(conversation: Int64) throws {
        try settleGathered()
        try connection.run(
            """
            UPDATE conversation SET (unread, mentions) =
                (SELECT count(*), coalesce(sum(m.is_mention), 0) FROM message m
                 WHERE m.conversation = ?1 AND m.sort > conversation.read_sort AND m.direction = 0
                    AND m.retracted IS NULL)
            WHERE id = ?1 AND (unread > 0 OR mentions > 0)
            """, conversation)
        changes.conversations.insert(conversation)
    }

    /// Looks again for the last message.
    func findLast(conversation: Int64) throws {
        try settleGathered()
        try connection.run(
            """
            UPDATE conversation SET (last_message, last_sort) = (SELECT m.id, m.sort FROM message m
                WHERE m.conversation = ?1 UNION ALL SELECT NULL, 0 ORDER BY 2 DESC LIMIT 1)
            WHERE id = ?1
            """, conversation)
        // What was read to its end is, and what comes next is not.
        try connection.run(
            "UPDATE conversation SET read_sort = last_sort WHERE id = ? AND read_sort > last_sort", conversation)
        changes.conversations.insert(conversation)
    }
}
