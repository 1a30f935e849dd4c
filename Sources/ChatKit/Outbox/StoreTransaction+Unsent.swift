// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// Messages of ours of which nothing has left: no session ever got them, so they can be changed as if they were not sent yet.
extension StoreTransaction {
    /// Whether no attempt to send a message of ours was begun.
    ///
    /// - Parameter handed: The session that runs may have the rows of the outbox up to this one.
    func isUntouched(_ message: Int64, handed: Int64) throws -> Bool {
        let row = try connection.first(
            "SELECT id, state, attempts, seq FROM outbox WHERE message = ? ORDER BY id DESC LIMIT 1", message
        ) { Self.isUntouched($0, handed: handed) }
        if let row { return row }
        // Its file has not gone up, so there is no stanza of it.
        return try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM message m JOIN file f ON f.message = m.id AND f.state IN (0, 1, 3)
                WHERE m.id = ? AND m.direction = 1 AND m.state IN (0, 6) AND m.payload IS NULL)
            """, message) ?? false
    }

    /// The same of a row of the outbox: id, state, attempts, seq.
    private static func isUntouched(_ row: Statement, handed: Int64) -> Bool {
        let state: String = row.column(1)
        guard row.column(2, as: Int64.self) == 0, row.column(3, as: Int64?.self) == nil else { return false }
        return state == "queued"
            ? row.column(0, as: Int64.self) > handed : ["parked", "held", "behind"].contains(state)
    }

    /// Takes a message back of which nobody knows anything: it stays in the history as one that was not sent and was taken
    /// back, and nothing of it goes out.
    func withdraw(_ row: MessageRow, in conversation: ConversationRow, handed: Int64) throws {
        let own: String? = try connection.value("SELECT own_id FROM message WHERE id = ?", row.id)
        try connection.run(
            """
            UPDATE message SET state = 5, failure = 'discarded', failure_text = NULL WHERE id = ? AND state IN (0, 6)
            """, row.id)
        try connection.run("DELETE FROM outbox WHERE message = ?", row.id)
        try dropChanges(of: row.id, handed: handed)
        if let own { try forget(own, in: conversation, handed: handed) }
        try release(behind: row.id)
        try erase(row, sent: now, in: conversation)
        changes.accounts = true
    }

    /// Takes out what would change a message and has not left.
    ///
    /// - Parameter isCorrection: Only what gives it another text.
    func dropChanges(of message: Int64, handed: Int64, isCorrection: Bool = false) throws {
        let rows = try connection.rows(
            "SELECT id, state, attempts, seq, payload FROM outbox WHERE changes = ?", message
        ) { row in
            (
                id: row.column(0, as: Int64.self), isUntouched: Self.isUntouched(row, handed: handed),
                payload: row.column(4, as: String.self)
            )
        }
        for row in rows where row.isUntouched {
            if isCorrection, Message(stored: row.payload)?.correctedID == nil { continue }
            try connection.run("DELETE FROM outbox WHERE id = ?", row.id)
        }
    }

    /// What answers a message that is taken back before anybody saw it goes out without its words.
    private func forget(_ own: String, in conversation: ConversationRow, handed: Int64) throws {
        for answer in try answers(to: own, in: conversation, handed: handed) {
            var stanza = answer.stanza
            stanza.answerNothing()
            try write(stanza, row: answer.row, message: answer.message)
            try answerNothing(answer.message)
        }
        let files: [Int64] = try connection.rows(
            """
            SELECT m.id FROM file f INDEXED BY file_work CROSS JOIN message m ON m.id = f.message
            WHERE f.account = ? AND f.state IN (0, 1, 11) AND f.state < 2 AND m.conversation = ? AND m.reply_to = ?
                AND m.payload IS NULL
            """, conversation.account, conversation.id, own
        ) { $0.column(0) }
        for message in files { try answerNothing(message) }
    }

    /// What answers a message of ours and has not left either.
    private func answers(
        to own: String, in conversation: ConversationRow, handed: Int64
    ) throws -> [(row: Int64, message: Int64, stanza: Message)] {
        try connection.rows(
            """
            SELECT o.id, o.state, o.attempts, o.seq, o.message, o.payload
            FROM outbox o CROSS JOIN message m ON m.id = o.message
            WHERE o.account = ? AND m.conversation = ? AND m.reply_to = ?
            """, conversation.account, conversation.id, own
        ) { row in
            guard Self.isUntouched(row, handed: handed), let stanza = Message(stored: row.column(5)) else { return nil }
            return (row: row.column(0), message: row.column(4), stanza: stanza)
        }.compactMap(\.self)
    }

    private func answerNothing(_ message: Int64) throws {
        try connection.run("UPDATE message SET reply_to = NULL, reply_author = NULL WHERE id = ?", message)
        try changed(message: message)
    }

    private func write(_ stanza: Message, row: Int64, message: Int64) throws {
        let payload = try stanza.storedXML()
        try connection.run("UPDATE outbox SET payload = ? WHERE id = ?", payload, row)
        try connection.run("UPDATE message SET payload = ? WHERE id = ?", payload, message)
    }

    /// Gives a message that has not left another text: that one goes out, and nobody learns of the former one.
    func rewrite(_ row: MessageRow, text: String, in conversation: ConversationRow, handed: Int64) throws {
        let queued = try connection.first("SELECT id, payload FROM outbox WHERE message = ?", row.id) {
            (id: $0.column(0, as: Int64.self), payload: $0.column(1, as: String.self))
        }
        // A file that has not gone up has no stanza yet.
        if let (id, payload) = queued {
            guard var stanza = Message(stored: payload) else {
                throw ChatError(.storageFailed, "the stanza of the message \(row.id) cannot be read")
            }
            if let file = try Queries.file(connection, message: row.id, index: 0), let url = file.sources.first,
                let told = try fileStanza(file, url: url, text: text)
            {
                stanza = told.stanza
            } else {
                stanza.replaceText(row.body, with: text)
            }
            try write(stanza, row: id, message: row.id)
        }
        let own: String? = try connection.value("SELECT own_id FROM message WHERE id = ?", row.id)
        for answer in try own.map({ try answers(to: $0, in: conversation, handed: handed) }) ?? [] {
            var stanza = answer.stanza
            stanza.quote(text)
            try write(stanza, row: answer.row, message: answer.message)
        }
        try dropChanges(of: row.id, handed: handed, isCorrection: true)
        try connection.run("DELETE FROM revision WHERE message = ?", row.id)
        try unindex(message: row.id)
        try connection.run("UPDATE message SET body = ?, edited = NULL WHERE id = ?", text, row.id)
        try index(message: row.id)
        try changed(message: row.id)
        try Scrubber.want(connection)
        changes.erased = true
    }
}

/// What follows a message of ours waits for it: what others do not have they can neither answer nor change.
extension StoreTransaction {
    /// Whether a message is still to go out, so that what is about it has to come behind it; and whether the end of the outbox
    /// is behind it already.
    func place(behind message: Int64) throws -> (isWaiting: Bool, isBehind: Bool) {
        let found = try connection.first(
            """
            SELECT o.state, m.state IN (0, 6) FROM message m LEFT JOIN outbox o ON o.message = m.id
            WHERE m.id = ? AND m.direction = 1
            """, message
        ) { (row: $0.column(0, as: String?.self), isUnsent: $0.column(1, as: Bool.self)) }
        guard let found else { return (false, true) }
        guard let row = found.row else { return (found.isUnsent, !found.isUnsent) }
        return (true, !["held", "behind", "unreflected"].contains(row))
    }

    /// The message of ours that another one answers, by the name that this one gives.
    func answered(_ name: String?, in conversation: Int64) throws -> Int64? {
        try name.flatMap { try outgoing(in: conversation, ownID: $0)?.id }
    }

    /// A message does not go out for now, so neither does what is about it; gives whether there is such a thing.
    @discardableResult
    func holdBack(behind message: Int64) throws -> Bool {
        let rows = try connection.rows(
            "SELECT id, message FROM outbox WHERE behind = ? AND state = 'queued' AND seq IS NULL", message
        ) { ($0.column(0, as: Int64.self), $0.column(1, as: Int64?.self)) }
        for (row, next) in rows {
            try connection.run("UPDATE outbox SET state = 'behind' WHERE id = ?", row)
            if let next { try holdBack(behind: next) }
        }
        return !rows.isEmpty
    }

    /// A message has its place: what is about it comes behind that.
    ///
    /// - Parameter isGivenUp: The message does not go out; what changes it stays until it does.
    func release(behind message: Int64, isGivenUp: Bool = false) throws {
        let rows = try connection.rows(
            """
            SELECT id, account, message FROM outbox
            WHERE behind = ?1 AND state = 'behind' AND (NOT ?2 OR message IS NOT NULL) ORDER BY id
            """, message, isGivenUp
        ) { ($0.column(0, as: Int64.self), $0.column(1, as: Int64.self), $0.column(2, as: Int64?.self)) }
        for (row, account, next) in rows {
            try requeue(row: row)
            changes.outbox.insert(account)
            if let next { try release(behind: next) }
        }
    }
}

extension Message {
    /// Answers nothing any more, and quotes nothing.
    fileprivate mutating func answerNothing() {
        guard reply != nil else { return }
        if let text = bodyWithoutFallback(for: [Reply.namespace]) { body = text }
        // Only the quote is marked: what tells of a file quotes nothing.
        fallbacks = fallbacks.filter { $0.namespace != Reply.namespace }
        reply = nil
    }

    /// Quotes another text of what it answers, where it quotes one.
    fileprivate mutating func quote(_ text: String) {
        guard let reply, fallbacks.contains(where: { $0.namespace == Reply.namespace }) else { return }
        answerNothing()
        answer(reply.id, author: reply.author, quoting: text)
    }

    /// Puts another text in the place of the one that the user wrote, behind what it quotes.
    fileprivate mutating func replaceText(_ old: String, with new: String) {
        let (whole, end) = (Array((body ?? "").unicodeScalars), Array(old.unicodeScalars))
        guard whole.count > end.count, Array(whole.suffix(end.count)) == end else { return body = new }
        var text = String.UnicodeScalarView(whole.dropLast(end.count))
        text.append(contentsOf: new.unicodeScalars)
        body = String(text)
    }
}
