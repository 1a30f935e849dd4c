// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// What an incoming or outgoing message needs to know of its conversation.
struct ConversationRow {
    let id: Int64
    var lastSort: Int64
}

extension StoreTransaction {
    /// The conversation with a peer, if there is one.
    func conversation(account: Int64, peer: String) throws -> ConversationRow? {
        try connection.first(
            "SELECT id, last_sort FROM conversation WHERE account = ? AND peer = ?", account, peer
        ) { ConversationRow(id: $0.column(0), lastSort: $0.column(1)) }
    }

    /// The conversation with a peer, made when there is none.
    func makeConversation(account: Int64, peer: String) throws -> ConversationRow {
        if let known = try conversation(account: account, peer: peer) { return known }
        try connection.run("INSERT INTO conversation (account, peer) VALUES (?, ?)", account, peer)
        let row = ConversationRow(id: connection.lastInsertedRow, lastSort: 0)
        changes.conversations.insert(row.id)
        return row
    }

    /// The place of a new message: now, but always after the last one, whatever the clock did.
    func nextSort(_ conversation: ConversationRow) -> Int64 { max(now, conversation.lastSort &+ 1) }

    /// Puts a new message into its conversation, at the end or where its place is.
    func append(message: Int64, sort: Int64, to conversation: Int64, isUnread: Bool) throws {
        try connection.run(
            """
            UPDATE conversation SET last_message = CASE WHEN ?2 > last_sort THEN ?1 ELSE last_message END,
                last_sort = max(last_sort, ?2), unread = unread + (?3 AND ?2 > read_sort)
            WHERE id = ?4
            """, message, sort, isUnread, conversation)
        changes.conversations.insert(conversation)
        changes.messages.insert(message)
    }

    /// Marks everything up to a place in the conversation as read; all of it when `sort` is nil.
    func markRead(conversation: Int64, through sort: Int64? = nil) throws {
        try connection.run(
            """
            UPDATE conversation SET read_sort = max(read_sort, min(coalesce(?2, last_sort), last_sort)) WHERE id = ?1
            """, conversation, sort)
        try connection.run(
            """
            UPDATE conversation SET unread =
                (SELECT count(*) FROM message m
                 WHERE m.conversation = ?1 AND m.sort > conversation.read_sort AND m.direction = 0)
            WHERE id = ?1
            """, conversation)
        changes.conversations.insert(conversation)
    }
}
