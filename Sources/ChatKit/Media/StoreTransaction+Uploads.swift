// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// What tells of a file that the server has.
struct FileNews {
    let stanza: Message
    let id: String
    let peer: String
    /// The message of ours that it answers.
    let answered: Int64?
}

extension StoreTransaction {
    /// A file goes up now; false when it is not to be sent any more.
    func beginUpload(_ file: Int64) throws -> Bool {
        guard let state = try Queries.file(connection, id: file)?.state, state <= FileState.uploading else {
            return false
        }
        try set(FileState.uploading, file: file)
        return true
    }

    /// The server has the file: its message goes into the outbox, in the same transaction, so that it goes out once.
    func uploaded(_ file: Int64, url: String) throws {
        guard let row = try Queries.file(connection, id: file), row.state == FileState.uploading,
            let told = try fileStanza(row, url: url)
        else { return }
        let payload = try told.stanza.storedXML()
        try connection.run(
            """
            UPDATE file SET state = ?2, failure = NULL, failure_text = NULL, sources = ?3 WHERE id = ?1
            """, file, FileState.sent, url)
        try connection.run("UPDATE message SET payload = ? WHERE id = ?", payload, row.message)
        try enqueue(
            account: row.account, stanzaID: told.id, chat: told.peer, payload: payload, message: row.message,
            behind: told.answered)
        try release(behind: row.message)
        try changed(message: row.message)
    }

    /// What tells of a file that the server has; nil when its message was taken back.
    ///
    /// - Parameter text: What is written beside it; nil for what the message has.
    func fileStanza(_ file: FileRow, url: String, text: String? = nil) throws -> FileNews? {
        let message = try connection.first(
            """
            SELECT m.own_id, m.body, m.reply_to, m.reply_author, c.peer, c.kind = 'room', a.settings FROM message m
            JOIN conversation c ON c.id = m.conversation JOIN account a ON a.id = m.account
            WHERE m.id = ? AND m.retracted IS NULL
            """, file.message
        ) { row in
            (
                id: row.column(0, as: String?.self), text: row.column(1, as: String.self),
                reply: row.column(2, as: String?.self), author: row.column(3, as: String?.self),
                peer: row.column(4, as: String.self), isRoom: row.column(5, as: Bool.self),
                settings: AccountSettings(json: row.column(6))
            )
        }
        guard let message, let id = message.id else { return nil }
        var stanza = Message.outgoingFile(
            file.shared(url), to: try JID(stored: message.peer), text: text ?? message.text, id: id,
            isRoom: message.isRoom, sendsBodyType: message.settings.sendsBodyType)
        if let reply = message.reply {
            stanza.answer(reply, author: message.author.flatMap { try? JID(stored: $0) }, quoting: nil)
        }
        return FileNews(
            stanza: stanza, id: id, peer: message.peer,
            answered: try answered(message.reply, in: file.conversation))
    }

    /// It is tried again at that time.
    func postpone(_ row: FileRow, _ due: Int64) throws {
        try connection.run("UPDATE file SET attempts = attempts + 1, due = ? WHERE id = ?", due, row.id)
        try set(FileState.waiting, file: row.id)
    }

    func uploadFailed(_ row: FileRow, _ failure: MessageFailure, state: Int64 = FileState.failed) throws {
        try set(state, file: row.id, failure)
        try fail(message: row.message, failure, replaces: state == FileState.cancelled)
    }

    /// A file that waited too long goes out only when the user says so.
    func hold(_ row: FileRow) throws {
        try connection.run("UPDATE file SET state = ?, due = ? WHERE id = ?", FileState.waiting, Int64.max, row.id)
        try connection.run("UPDATE message SET state = 6 WHERE id = ? AND direction = 1 AND state < 2", row.message)
        try changed(message: row.message)
    }

    /// Puts the file of a message back into the queue; false when it has none that waits for that.
    func requeueFile(of message: Int64) throws -> Bool {
        let found = try connection.first(
            "SELECT id, local IS NOT NULL FROM file WHERE message = ? AND state IN (0, 3, 4) ORDER BY id LIMIT 1",
            message
        ) { ($0.column(0, as: Int64.self), $0.column(1, as: Bool.self)) }
        guard let (file, isHere) = found else { return false }
        guard isHere else { throw ChatError(.fileUnusable, "the file is no longer in the profile") }
        try connection.run(
            "UPDATE file SET state = 0, attempts = 0, due = 0, created = ?2, failure = NULL WHERE id = ?1", file, now)
        try connection.run("UPDATE message SET state = 0, failure = NULL, failure_text = NULL WHERE id = ?", message)
        changes.files = true
        try changed(message: message)
        return true
    }
}
