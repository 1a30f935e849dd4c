// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import Foundation
public import XMPP

/// How a conversation is written.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// One JSON object a line: first the conversation, then its messages, oldest first; ``ChatCore/importConversation(_:account:)``
    /// reads it again.
    case json
    /// A page for a browser, without scripts and without anything from elsewhere.
    case html
    /// Lines of text.
    case text
}

extension ChatCore {
    private static let exportPage = 500

    /// Writes a conversation piece by piece, from its first message to its last.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - format: How.
    ///   - write: Takes each piece in order; what it throws ends the export.
    /// - Throws: ``ChatError``: `unknownConversation`, `storageFailed`.
    public func export(
        _ conversation: Conversation.ID, as format: ExportFormat, to write: (String) async throws -> Void
    ) async throws(ChatError) {
        let whole = try await self.conversation(conversation)
        let writer = ConversationWriter(format: format)
        do {
            try await write(writer.head(whole))
            var last: ChatMessage.ID?
            while true {
                let place = last
                let page = try await store.read { connection in
                    try Queries.page(
                        connection, conversation: conversation.rawValue, oldestAfter: place?.rawValue,
                        limit: Self.exportPage)
                }
                guard let end = page.last else { break }
                try await write(page.map { writer.line($0) }.joined())
                last = end.id
            }
            try await write(writer.tail)
        } catch {
            throw ChatError(error)
        }
    }

    /// Takes over an exported conversation; messages that are here already stay as they are.
    ///
    /// - Parameters:
    ///   - lines: What ``ExportFormat/json`` wrote.
    ///   - account: The account that gets it.
    /// - Returns: How many messages are new.
    /// - Throws: ``ChatError``: `unknownAccount`; `invalidExport` for what is no export, or one of a newer version: nothing is
    ///   taken over then.
    @discardableResult
    public func importConversation(_ lines: String, account: JID) async throws(ChatError) -> Int {
        let runner = try runner(account)
        let row = runner.account
        var export = try ConversationReader.read(lines)
        // The names that another account's archive gave mean nothing in this one's.
        if !export.isRoom, export.account != runner.jid {
            for index in export.messages.indices { export.messages[index].archiveID = nil }
        }
        let (known, archive) = (export, export.isRoom ? export.peer : runner.jid)
        do {
            return try await store.write { transaction in
                let conversation = try transaction.makeConversation(account: row, peer: known.peer.description)
                return try transaction.takeOver(known.messages, into: conversation, archive: archive)
            }
        } catch {
            throw ChatError(error)
        }
    }
}

extension Queries {
    static func page(
        _ connection: Connection, conversation: Int64, oldestAfter: Int64?, limit: Int
    ) throws -> [ChatMessage] {
        if let oldestAfter {
            return try page(connection, conversation: conversation, before: nil, after: oldestAfter, limit: limit)
        }
        var reader = JIDReader()
        let rows = try connection.rows(
            """
            SELECT \(messageColumns) FROM \(messageTables) WHERE m.conversation = ? ORDER BY m.sort, m.id LIMIT ?
            """, conversation, limit
        ) { try message($0, &reader) }
        return try complete(connection, rows)
    }
}

extension StoreTransaction {
    /// Puts messages where their times belong among those that are here, and behind each other; gives how many are new.
    ///
    /// - Parameter archive: Whose names for messages they have.
    func takeOver(
        _ messages: [ExportedMessage], into conversation: ConversationRow, archive: JID
    ) throws -> Int {
        var count = 0
        let firstUnread: Int64? = try connection.value(
            """
            SELECT m.id FROM conversation c JOIN message m ON m.conversation = c.id AND m.sort > c.read_sort
            WHERE c.id = ? AND c.unread > 0 AND m.direction = 0 AND m.retracted IS NULL ORDER BY m.sort LIMIT 1
            """, conversation.id)
        // Where the one before is, and when it was written: those of one millisecond stay in their order.
        var last: (sort: Int64, sent: Int64)?
        for (index, message) in messages.enumerated() {
            if let known = try place(of: message, in: conversation) {
                last = (known, message.sent)
                continue
            }
            guard var new = message.stored else { continue }
            var before: Int64 =
                try connection.value(
                    "SELECT sort FROM message WHERE conversation = ? AND sent <= ? AND sort <= ? ORDER BY sort DESC LIMIT 1",
                    conversation.id, message.sent, message.sent) ?? 0
            if let next = try firstKnown(messages[(index + 1)...], of: message.sent, in: conversation) {
                before = min(before, next - 1)
            }
            if let last, last.sent <= message.sent { before = max(before, last.sort) }
            let place = try self.place(behind: before, in: conversation.id) ?? max(message.sent, before + 1)
            new.place = place
            new.archive = message.archiveID.map { (archive.description, $0) }
            guard let id = try insert(new, account: conversation.account, conversation: conversation) else { continue }
            if let edited = message.edited {
                try connection.run("UPDATE message SET edited = ? WHERE id = ?", edited, id)
            }
            last = (place, message.sent)
            count += 1
        }
        if count > 0 { try wasRead(conversation.id, before: firstUnread) }
        return count
    }

    /// What was taken over is no news: it counts as read up to the first message that was not, here and on the other devices.
    private func wasRead(_ conversation: Int64, before message: Int64?) throws {
        let sort: Int64?? = try connection.value(
            """
            SELECT max(sort) FROM message WHERE conversation = ?1
                AND sort < coalesce((SELECT sort FROM message WHERE id = ?2), 9223372036854775807)
            """, conversation, message)
        guard let sort = sort ?? nil else { return }
        try connection.run(
            """
            UPDATE conversation SET read_sort = max(read_sort, ?2),
                synced_sort = iif(synced_sort >= read_sort, max(synced_sort, ?2), synced_sort),
                marked_sort = iif(marked_sort >= read_sort, max(marked_sort, ?2), marked_sort) WHERE id = ?1
            """, conversation, sort)
        try countUnread(conversation: conversation)
    }

    /// The place of the next one of the same millisecond that is here.
    private func firstKnown(
        _ rest: ArraySlice<ExportedMessage>, of sent: Int64, in conversation: ConversationRow
    ) throws -> Int64? {
        for message in rest.prefix(50) {
            guard message.sent == sent else { return nil }
            if let place = try place(of: message, in: conversation) { return place }
        }
        return nil
    }

    /// The place of a message that was exported from here, or came another way.
    private func place(of message: ExportedMessage, in conversation: ConversationRow) throws -> Int64? {
        try connection.value(
            """
            SELECT m.sort FROM message m WHERE m.id IN (
                SELECT o.id FROM \(MessageName.candidates) CROSS JOIN message o ON o.id = n.message
                    WHERE o.conversation = ?2 AND (o.own_id = ?3 AND ?4 OR o.remote_id = ?3 AND NOT ?4 AND o.sent = ?5)
                UNION ALL SELECT k.id FROM conversation c JOIN account a ON a.id = c.account JOIN message k
                    ON k.archive_jid = CASE c.kind WHEN 'room' THEN c.peer ELSE a.jid END AND k.archive_id = ?6
                    WHERE c.id = ?2 AND k.conversation = ?2
                UNION ALL SELECT id FROM message WHERE ?3 IS NULL AND conversation = ?2 AND sent = ?5 AND body = ?7
                    AND direction = ?4)
            LIMIT 1
            """, message.id.map { MessageName.hash($0, in: conversation.id) }, conversation.id, message.id,
            message.isOwn, message.sent, message.archiveID, message.body)
    }
}
