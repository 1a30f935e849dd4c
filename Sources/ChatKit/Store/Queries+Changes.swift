// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP
internal import struct Foundation.Date

extension Queries {
    /// Adds what the messages answer and what people said to them in pictures.
    static func complete(_ connection: Connection, _ messages: [ChatMessage]) throws -> [ChatMessage] {
        guard !messages.isEmpty else { return messages }
        var messages = messages
        let reactions = try reactions(connection, messages)
        let files = try files(connection, messages: messages.map(\.id.rawValue))
        for index in messages.indices {
            if messages[index].replyID != nil { messages[index].reply = try quoted(connection, messages[index]) }
            if let found = reactions[messages[index].id.rawValue] { messages[index].reactions = found }
            if let found = files[messages[index].id.rawValue] { messages[index].files = found }
        }
        return messages
    }

    /// A reaction as it is stored: who, and all their pictures.
    private struct ReactionRow {
        let message: Int64
        let author: String
        let name: String?
        let emojis: String
        let peer: String
    }

    private static func reactions(
        _ connection: Connection, _ messages: [ChatMessage]
    ) throws -> [Int64: [MessageReaction]] {
        let ids = "[" + messages.map(\.id.description).joined(separator: ",") + "]"
        let rows = try connection.rows(
            """
            SELECT r.message, r.author, r.name, r.emojis, c.peer FROM json_each(?) j
            JOIN reaction r ON r.message = j.value JOIN conversation c ON c.id = r.conversation
            WHERE r.emojis != '' ORDER BY r.message, r.sent, r.author
            """, ids
        ) { row in
            ReactionRow(
                message: row.column(0), author: row.column(1), name: row.column(2), emojis: row.column(3),
                peer: row.column(4))
        }
        var found: [Int64: [MessageReaction]] = [:]
        for row in rows {
            for emoji in row.emojis.split(separator: "\n").map(String.init) {
                var all = found[row.message] ?? []
                let index = all.firstIndex { $0.emoji == emoji }
                let known = index.map { all[$0] } ?? MessageReaction(emoji: emoji, people: [], isOwn: false)
                let isOwn = row.author == "="
                let who = row.name ?? (row.author.isEmpty ? row.peer : row.author)
                let changed = MessageReaction(
                    emoji: emoji, people: isOwn ? known.people : known.people + [who], isOwn: known.isOwn || isOwn)
                if let index { all[index] = changed } else { all.append(changed) }
                found[row.message] = all
            }
        }
        return found
    }

    /// The message that another one answers: the newest of its conversation that goes by the name.
    private static func quoted(_ connection: Connection, _ message: ChatMessage) throws -> QuotedMessage? {
        guard let name = message.replyID else { return nil }
        var reader = JIDReader()
        let row = try connection.first(
            """
            SELECT q.id, q.sender, q.author_name, q.direction, q.body, q.retracted FROM conversation c JOIN message q ON q.id IN (
                SELECT o.id FROM \(MessageName.candidates) CROSS JOIN message o ON o.id = n.message
                    WHERE o.conversation = ?2 AND ?3 IN (o.remote_id, o.own_id, o.alias)
                UNION ALL SELECT id FROM message WHERE archive_jid = c.peer AND archive_id = ?3 AND account = c.account
                    AND c.kind = 'room')
            WHERE c.id = ?2 ORDER BY q.sort DESC LIMIT 1
            """, MessageName.hash(name, in: message.conversation.rawValue), message.conversation.rawValue, name
        ) { row in
            QuotedMessage(
                id: .init(rawValue: row.column(0)), sender: try reader(row.column(1)), senderName: row.column(2),
                isOwn: row.column(3),
                body: row.column(5, as: Int64?.self) == nil
                    ? String(row.column(4, as: String.self).prefix(QuotedMessage.maximumLength)) : nil)
        }
        return row
            ?? QuotedMessage(
                id: nil, sender: message.replyAuthor.flatMap { try? JID(stored: $0) }, senderName: nil, isOwn: false,
                body: nil)
    }

    /// The texts that a message had before the one that it has.
    static func revisions(_ connection: Connection, message: Int64) throws -> [MessageDetails.Revision] {
        let all = try connection.rows("SELECT body, sent FROM revision WHERE message = ? ORDER BY sent, id", message) {
            MessageDetails.Revision(body: $0.column(0), date: Date(milliseconds: $0.column(1)))
        }
        return Array(all.dropLast())
    }

    /// Who is known to have read a message, or everything up to a later one.
    static func readers(_ connection: Connection, _ message: ChatMessage) throws -> [MessageDetails.Reader] {
        guard message.direction == .outgoing else { return [] }
        var readers = try connection.rows(
            """
            SELECT coalesce(r.name, nullif(r.author, ''), c.peer), r.time FROM reader r
            JOIN message m ON m.id = r.message JOIN conversation c ON c.id = r.conversation
            WHERE r.conversation = ? AND m.sort >= ? ORDER BY r.time
            """, message.conversation.rawValue, message.position
        ) { row in
            MessageDetails.Reader(
                person: row.column(0), state: .displayed, date: Date(milliseconds: row.column(1)))
        }
        if readers.isEmpty, message.state == .delivered || message.state == .displayed {
            readers.append(.init(person: message.peer.description, state: message.state, date: nil))
        }
        return readers
    }
}
