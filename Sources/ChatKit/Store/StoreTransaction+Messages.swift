// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// A message on its way into the database.
struct NewMessage {
    var direction: ChatMessage.Direction
    var state: Int64
    var ownID: String?
    var remoteID: String?
    var archive: (jid: String, id: String)?
    var sender: String
    var kind: String
    var body: String
    var subject: String?
    var language: String?
    var thread: String?
    var sent: Int64
    var isDelayed = false
    var contentHash: Int64?
    var payload: String?
    var idempotencyKey: String?
    var isUnread = false
    /// It came from the archive.
    var isArchived = false
    /// It was said long ago: nobody is told of it as of something new.
    var isHistory = false
    /// Its place in the conversation; nil for the end.
    var place: Int64?
    /// Who wrote it in a room.
    var author: String?
    var authorName: String?
    /// The id of the stanza, where it is another one.
    var alias: String?
    var replyTo: String?
    var replyAuthor: String?
    /// It stands in the place of a message that is not here.
    var corrects: String?
    /// When it was taken back.
    var retracted: Int64?
    var isMarkable = false
    var isMention = false
    var hasFile = false
    /// The files that it brings.
    var files: [FileDescription] = []
    var protection = ChatMessage.Protection.none.rawValue
}

extension StoreTransaction {
    /// Stores a message in its conversation; nil when a unique index knows it already.
    func insert(_ message: NewMessage, account: Int64, conversation: ConversationRow) throws -> Int64? {
        try put(message, account: account, conversation: conversation)?.id
    }

    /// The same; gives also its place.
    func put(
        _ message: NewMessage, account: Int64, conversation: ConversationRow
    ) throws -> (id: Int64, sort: Int64)? {
        let sort = message.place ?? nextSort(conversation)
        try connection.run(
            """
            INSERT INTO message (account, conversation, direction, state, own_id, remote_id, archive_jid, archive_id,
                sender, kind, body, subject, language, thread, sent, received, is_delayed, sort, content_hash, payload,
                idempotency_key, is_archived, author, author_name, alias, reply_to, reply_author, corrects, retracted,
                is_markable, is_mention, protection, has_file)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            account, conversation.id, message.direction == .outgoing ? 1 : 0, message.state, message.ownID,
            message.remoteID, message.archive?.jid, message.archive?.id, message.sender, message.kind, message.body,
            message.subject, message.language, message.thread, message.sent, now, message.isDelayed, sort,
            message.contentHash, message.payload, message.idempotencyKey, message.isArchived, message.author,
            message.authorName, message.alias, message.replyTo, message.replyAuthor, message.corrects,
            message.retracted, message.isMarkable, message.isMention, message.protection,
            message.hasFile)
        guard connection.changes == 1 else { return nil }
        let id = connection.lastInsertedRow
        unindexed.append(id)
        if let name = message.ownID ?? message.remoteID { try self.name(name, message: id, in: conversation.id) }
        if let alias = message.alias { try name(alias, message: id, in: conversation.id) }
        try moveNames(at: id)
        try append(
            message: id, sort: sort, to: conversation.id, behind: message.place == nil ? conversation.lastSort : nil,
            isUnread: message.isUnread, isMention: message.isMention, isSent: message.direction == .outgoing)
        if !message.files.isEmpty { try attach(message, to: id, in: conversation) }
        if !message.isHistory { try record(.message, account: account, message: id) }
        if conversation.isWaiting { try settle(message: id, in: conversation) }
        return (id, sort)
    }

    /// The message of ours with that id in the conversation with `peer`: its row and state.
    func outgoing(account: Int64, peer: String, ownID: String) throws -> (id: Int64, state: Int64)? {
        let conversation: Int64? = try connection.value(
            "SELECT id FROM conversation WHERE account = ? AND peer = ?", account, peer)
        return try conversation.flatMap { try outgoing(in: $0, ownID: ownID) }
    }

    /// The same in a conversation that is known.
    func outgoing(in conversation: Int64, ownID: String) throws -> (id: Int64, state: Int64)? {
        try connection.first(
            """
            SELECT m.id, m.state FROM \(MessageName.candidates) CROSS JOIN message m ON m.id = n.message
            WHERE m.conversation = ?2 AND m.own_id = ?3 AND m.direction = 1 ORDER BY m.id DESC LIMIT 1
            """, MessageName.hash(ownID, in: conversation), conversation, ownID
        ) { ($0.column(0), $0.column(1)) }
    }

    /// The row of a message of ours that this is a copy of (key K2).
    ///
    /// Other clients of the account may count their messages from one: an id that is not long enough to be unique counts only
    /// with the same text, and not when the archive has the row under another id.
    func copied(
        _ ownID: String, text: String, archiveID: String?, in conversation: ConversationRow
    ) throws -> Int64? {
        let hash = MessageName.hash(ownID, in: conversation.id)
        if absentNames.contains(hash) { return nil }
        return try connection.value(
            """
            SELECT m.id FROM \(MessageName.candidates) CROSS JOIN message m ON m.id = n.message
            WHERE m.conversation = ?2 AND m.own_id = ?3 AND m.direction = 1
                AND (?4 OR (?6 IS NULL OR m.archive_id IS NULL OR m.archive_id = ?6)
                    AND (m.body = ?5 OR m.retracted IS NOT NULL
                        OR EXISTS (SELECT 1 FROM revision r WHERE r.message = m.id AND r.body = ?5)))
            ORDER BY m.id LIMIT 1
            """, hash, conversation.id, ownID, ownID.utf8.count >= Self.uniqueIDBytes, text, archiveID)
    }

    /// Moves a message of ours on; its state never goes back.
    ///
    /// - Parameter allowsFailed: A message that failed is taken up again: a receipt is stronger than an error.
    @discardableResult
    func advance(message: Int64, to state: Int64, allowsFailed: Bool = false) throws -> Bool {
        try connection.run(
            """
            UPDATE message SET state = ?2, failure = NULL, failure_text = NULL
            WHERE id = ?1 AND direction = 1 AND (state < ?2 AND state < 5 OR state = 6 OR ?3 AND state = 5)
            """, message, state, allowsFailed)
        guard connection.changes > 0 else { return false }
        if state >= MessageState.Stored.acknowledged { try release(behind: message) }
        try changed(message: message)
        return true
    }

    /// Marks a message of ours as failed, unless the other side is known to have it.
    ///
    /// - Parameter replaces: Of one that failed, the reason is another one from now on.
    @discardableResult
    func fail(message: Int64, _ failure: MessageFailure, replaces: Bool = false) throws -> Bool {
        try connection.run(
            """
            UPDATE message SET state = 5, failure = ?2, failure_text = ?3
            WHERE id = ?1 AND direction = 1 AND (state < 3 OR state = 6 OR ?4 AND state = 5)
            """, message, failure.reason.rawValue, failure.text.map { String($0.prefix(1000)) }, replaces)
        guard connection.changes > 0 else { return false }
        try release(behind: message, isGivenUp: true)
        try changed(message: message)
        return true
    }

    /// Tells everybody that a known message is not what it was.
    func changed(message: Int64) throws {
        let place = try connection.first("SELECT account, conversation FROM message WHERE id = ?", message) {
            ($0.column(0, as: Int64.self), $0.column(1, as: Int64.self))
        }
        guard let (account, conversation) = place else { return }
        changes.messages.insert(message)
        changes.conversations.insert(conversation)
        try record(.messageChanged, account: account, message: message)
    }
}
