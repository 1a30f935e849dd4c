// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusSQLite
internal import XMPP

/// What the user changes about messages that are there; each call returns when it is durable, connected or not.
extension ChatCore {
    /// Says all that the user has to say to a message in pictures (XEP-0444); an empty list takes everything back.
    ///
    /// - Throws: ``ChatError``: `unknownMessage`; `notChangeable` for one that was taken back or has no name to be found by.
    @discardableResult
    public func react(_ emojis: [String], to message: ChatMessage.ID) async throws(ChatError) -> ChatMessage {
        try await change(message) { transaction, row, conversation, names, _ in
            guard !row.isRetracted, let target = names.reaction else { throw ChatError.notChangeable(message) }
            let reactions = Reactions(to: target, emojis)
            let stanza = Message.reactions(
                reactions, to: try JID(stored: conversation.peer), kind: conversation.isRoom ? .groupchat : .chat)
            try transaction.react(
                reactions.emojis, to: target, by: .own, sent: transaction.now, in: conversation)
            return stanza
        }
    }

    /// Changes the text of a message of the user (XEP-0308); the former text is kept.
    ///
    /// One that waits and that no connection ever had goes out with the new text, and the former one is gone.
    ///
    /// - Throws: ``ChatError``: `unknownMessage`, `notChangeable` for one that is not the user's, was taken back or has
    ///   failed, `emptyMessage`, `messageTooLong`, `unsendableText`.
    @discardableResult
    public func correct(_ message: ChatMessage.ID, text: String) async throws(ChatError) -> ChatMessage {
        try Self.check(text)
        return try await change(message) { transaction, row, conversation, names, handed in
            guard row.isOutgoing, !row.isRetracted, names.state != MessageState.Stored.failed,
                names.state != MessageState.Stored.needsConfirmation, let own = names.own
            else { throw ChatError.notChangeable(message) }
            if row.body == text { return nil }
            if try transaction.isUntouched(row.id, handed: handed) {
                try transaction.rewrite(row, text: text, in: conversation, handed: handed)
                return nil
            }
            let id = randomToken()
            var stanza = Message.outgoing(
                to: try JID(stored: conversation.peer), body: text, id: id, isRoom: conversation.isRoom)
            stanza.correctedID = own
            if let reply = names.reply { stanza.answer(reply.id, author: reply.author, quoting: nil) }
            _ = try stanza.storedXML()
            try transaction.revise(row, name: id, text: text, sent: transaction.now)
            return stanza
        }
    }

    /// Takes a message of the user back (XEP-0424): its text is removed here at once, and elsewhere where programs do so.
    ///
    /// One that was not sent is not sent any more: where no connection ever had it, nobody learns of it, and its state is
    /// ``MessageState/failed(_:)`` with ``MessageFailure/Reason/discarded``. An upload of its file ends.
    ///
    /// - Throws: ``ChatError``: `unknownMessage`; `notChangeable` for one that is not the user's, or that a room may have and
    ///   has not given back.
    @discardableResult
    public func retract(_ message: ChatMessage.ID) async throws(ChatError) -> ChatMessage {
        let retracted = try await change(message) { transaction, row, conversation, names, handed in
            guard row.isOutgoing else { throw ChatError.notChangeable(message) }
            if row.isRetracted { return nil }
            let isFailed = names.state == MessageState.Stored.failed
            if try isFailed || transaction.isUntouched(row.id, handed: handed) {
                try transaction.withdraw(row, in: conversation, handed: handed)
                return nil
            }
            guard let own = conversation.isRoom ? names.archived : names.own else {
                throw ChatError.notChangeable(message)
            }
            if names.state == MessageState.Stored.needsConfirmation {
                // It may have arrived; what asks the user for a word is over.
                try transaction.connection.run("DELETE FROM outbox WHERE message = ?", row.id)
                try transaction.dropChanges(of: row.id, handed: handed)
                try transaction.fail(message: row.id, MessageFailure(.discarded))
            }
            try transaction.erase(row, sent: transaction.now, in: conversation)
            return .retraction(
                of: own, to: try JID(stored: conversation.peer), kind: conversation.isRoom ? .groupchat : .chat)
        }
        // What the transaction took out of the queue nobody needs to bring to the server.
        await runners[retracted.account]?.stopUpload(of: retracted)
        return retracted
    }

    /// Everything that is known of one message: its former texts, and who has it.
    ///
    /// - Throws: ``ChatError/Code/unknownMessage``.
    public func details(of message: ChatMessage.ID) async throws(ChatError) -> MessageDetails {
        let found: MessageDetails?
        do {
            found = try await store.read { connection in
                guard let known = try Queries.message(connection, id: message.rawValue) else { return nil }
                let revisions = try Queries.revisions(connection, message: message.rawValue)
                return MessageDetails(
                    message: known, revisions: known.retracted == nil ? revisions : [],
                    readers: try Queries.readers(connection, known))
            }
        } catch {
            throw ChatError(error)
        }
        guard let found else { throw ChatError(.unknownMessage, "there is no message \(message)") }
        return found
    }

    static func check(_ text: String) throws(ChatError) {
        guard !text.isEmpty else { throw ChatError(.emptyMessage, "a message needs a text") }
        guard text.utf8.count <= maximumBodyBytes else {
            throw ChatError(.messageTooLong, "the text has \(text.utf8.count) bytes; the most is \(maximumBodyBytes)")
        }
    }

    /// Carries out a change here and queues the stanza that tells it, in one transaction.
    ///
    /// - Parameter body: Is given the row of the outbox up to which the session may have all; none is handed over meanwhile.
    private func change(
        _ message: ChatMessage.ID,
        _ body: @Sendable (StoreTransaction, MessageRow, ConversationRow, MessageNames, Int64) throws -> Message?
    ) async throws(ChatError) -> ChatMessage {
        do {
            let account: Int64? = try await store.read {
                try $0.value("SELECT account FROM message WHERE id = ?", message.rawValue)
            }
            let runner = account.flatMap { runners.runner(row: $0) }
            runner?.handover.beginChange()
            defer {
                runner?.handover.endChange()
                // Also what was not handed over because of this call.
                if let runner { Task { await runner.pump() } }
            }
            return try await store.write { transaction in
                let known = try transaction.known(message.rawValue)
                let stanza = try body(
                    transaction, known.row, known.conversation, known.names, runner?.handover.through ?? 0)
                if let stanza, let id = stanza.id {
                    try transaction.enqueue(
                        account: known.conversation.account, stanzaID: id, chat: known.conversation.peer,
                        payload: try stanza.storedXML(), changing: message.rawValue, behind: message.rawValue)
                    try transaction.changed(message: message.rawValue)
                }
                guard let now = try Queries.message(transaction.connection, id: message.rawValue) else {
                    throw ChatError(.unknownMessage, "there is no message \(message)")
                }
                return now
            }
        } catch {
            throw ChatError(error)
        }
    }
}

extension ChatError {
    fileprivate static func notChangeable(_ message: ChatMessage.ID) -> ChatError {
        ChatError(.notChangeable, "the message \(message) cannot be changed like that")
    }
}

/// The names by which others know a message.
struct MessageNames {
    /// What a reaction names: the stanza's id, or the room's.
    let reaction: String?
    /// What a correction names.
    let own: String?
    /// The room's id.
    let archived: String?
    let state: Int64
    let reply: (id: String, author: JID?)?
}

extension StoreTransaction {
    func known(_ message: Int64) throws -> (row: MessageRow, conversation: ConversationRow, names: MessageNames) {
        let found = try connection.first(
            """
            SELECT \(MessageRow.columns), m.conversation, m.own_id, m.remote_id, m.alias, m.archive_id, m.state, m.reply_to,
                m.reply_author, c.kind = 'room'
            FROM message m JOIN conversation c ON c.id = m.conversation WHERE m.id = ?
            """, message
        ) { row in
            let own: String? = row.column(9)
            let alias: String? = row.column(11)
            let archived: String? = row.column(12)
            let reply = row.column(14, as: String?.self).map { name in
                (id: name, author: row.column(15, as: String?.self).flatMap { try? JID(stored: $0) })
            }
            let reaction = row.column(16) ? archived : alias ?? own ?? row.column(10)
            return (
                row: MessageRow(row), conversation: row.column(8, as: Int64.self),
                names: MessageNames(
                    reaction: reaction, own: own, archived: archived, state: row.column(13), reply: reply)
            )
        }
        guard let found, let conversation = try conversation(found.conversation) else {
            throw ChatError(.unknownMessage, "there is no message \(message)")
        }
        return (found.row, conversation, found.names)
    }

    /// What an answer says of the message that it answers.
    func answerable(
        _ message: Int64, in conversation: ConversationRow
    ) throws -> (name: String, author: JID?, text: String?) {
        let found = try connection.first(
            """
            SELECT coalesce(m.own_id, m.remote_id), m.archive_id, m.sender, m.body FROM message m
            WHERE m.id = ? AND m.conversation = ? AND m.retracted IS NULL
            """, message, conversation.id
        ) { row in
            (
                name: row.column(conversation.isRoom ? 1 : 0, as: String?.self), sender: row.column(2, as: String.self),
                body: row.column(3, as: String.self)
            )
        }
        guard let found, let name = found.name else {
            throw ChatError(.unknownMessage, "there is no message \(message) in this conversation that can be answered")
        }
        let author = try JID(stored: found.sender)
        return (name, conversation.isRoom ? author : author.bare, found.body)
    }
}
