// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusSQLite
public import XMPP

/// What became of a call to send.
public struct SendReceipt: Hashable, Sendable {
    /// The message as it is now.
    public let message: ChatMessage
    /// The key was known: this is the message that the first call made, and nothing new was queued.
    public let isRepeated: Bool
}

extension ChatCore {
    /// The longest text of a message in bytes of UTF-8.
    public static let maximumBodyBytes = 256 * 1024

    /// Stores a message and queues it; returns when that is durable, connected or not.
    ///
    /// It is sent when its account is online, under an identifier that never changes, so that it arrives once whatever
    /// breaks in between. ``messageUpdates(_:)`` and ``wait(for:until:)`` tell how far it has come. A message that could
    /// not be sent for 24 hours becomes ``MessageState/needsConfirmation`` instead of going out unexpectedly.
    ///
    /// - Parameters:
    ///   - peer: The other side; a resource in it is left out.
    ///   - text: The text, at most ``maximumBodyBytes``.
    ///   - account: The account to send from.
    ///   - idempotencyKey: Names this message: a call with a key that this conversation knows sends nothing.
    ///   - original: The message that this one answers, in the same conversation (XEP-0461).
    /// - Throws: ``ChatError``: `unknownMessage` for the one that is answered, `emptyMessage`, `messageTooLong`, `unsendableText`, `unknownAccount`, `diskFull`,
    ///   `storageFailed`; nothing is queued then. Cancelling does not take the message back.
    @discardableResult
    public func send(
        to peer: JID, text: String, account: JID, idempotencyKey: String? = nil,
        replyingTo original: ChatMessage.ID? = nil
    ) async throws(ChatError) -> SendReceipt {
        try Self.check(text)
        let runner = try runner(account)
        let peer = peer.bare
        let id = randomToken()
        // A text that cannot be sent is refused here, before anything is looked at.
        _ = try Message.outgoing(to: peer, body: text, id: id).storedXML()
        let row = runner.account
        let sender = runner.jid
        let receipt: SendReceipt
        do {
            receipt = try await store.write { transaction in
                if let idempotencyKey,
                    let known = try Queries.message(
                        transaction.connection, account: row, peer: peer.description, key: idempotencyKey)
                {
                    return SendReceipt(message: known, isRepeated: true)
                }
                let conversation = try transaction.makeConversation(account: row, peer: peer.description)
                let plain = Message.outgoing(to: peer, body: text, id: id, isRoom: conversation.isRoom)
                var payload = try plain.storedXML()
                var new = NewMessage(
                    direction: .outgoing, state: MessageState.Stored.queued, ownID: id, sender: sender.description,
                    kind: plain.kind.rawValue, body: text, sent: transaction.now, idempotencyKey: idempotencyKey)
                if let original {
                    let answered = try transaction.answerable(original.rawValue, in: conversation)
                    var message = plain
                    message.answer(answered.name, author: answered.author, quoting: answered.text)
                    payload = try message.storedXML()
                    (new.replyTo, new.replyAuthor) = (answered.name, answered.author?.description)
                }
                new.payload = payload
                let inserted = try transaction.insert(new, account: row, conversation: conversation)
                guard let inserted, let message = try Queries.message(transaction.connection, id: inserted) else {
                    throw ChatError(.storageFailed, "the message could not be stored")
                }
                try transaction.enqueue(
                    account: row, stanzaID: id, chat: peer.description, payload: payload, message: inserted,
                    behind: original?.rawValue)
                return SendReceipt(message: message, isRepeated: false)
            }
        } catch {
            throw ChatError(error)
        }
        if !receipt.isRepeated { Task { await runner.pump() } }
        return receipt
    }

    /// Queues a message again that failed or needs confirmation, under its old identifier; returns when that is durable.
    ///
    /// - Throws: ``ChatError``: `unknownMessage`, `notFailed`.
    public func retry(_ id: ChatMessage.ID) async throws(ChatError) {
        let account: Int64
        do {
            account = try await store.write { transaction in try transaction.requeue(message: id.rawValue) }
        } catch {
            throw ChatError(error)
        }
        if let runner = runners.runner(row: account) { Task { await runner.pump() } }
    }

    /// Waits until a message of ours has come as far as `goal`, failed, or needs the user's word; gives it as it is then.
    ///
    /// - Throws: ``ChatError/Code/unknownMessage``; ``ChatError/Code/cancelled`` when the task is cancelled, which is how a
    ///   time limit is set.
    public func wait(for id: ChatMessage.ID, until goal: MessageState) async throws(ChatError) -> ChatMessage {
        for try await changes in messageUpdates(id) {
            guard let message = changes.rows.first else {
                throw ChatError(.unknownMessage, "there is no message \(id)")
            }
            switch message.state {
            case .failed, .needsConfirmation: return message
            default: break
            }
            if message.state.hasReached(goal) { return message }
        }
        throw ChatError(.cancelled, "cancelled", isRetryable: true)
    }

    /// One message and every change of it: how far it has come.
    public nonisolated func messageUpdates(_ id: ChatMessage.ID) -> LiveQuery<ChatMessage> {
        LiveQuery(hub: store.hub) {
            $0.messages.contains(id.rawValue)
        } fetch: { [store] in
            try await store.read { try Queries.message($0, id: id.rawValue).map { [$0] } ?? [] }
        }
    }
}

extension StoreTransaction {
    /// Puts a failed message back into the outbox; gives the row of its account.
    func requeue(message: Int64) throws -> Int64 {
        let row = try connection.first(
            """
            SELECT m.account, m.state, m.own_id, m.payload, c.peer, m.conversation, m.reply_to FROM message m
            JOIN conversation c ON c.id = m.conversation WHERE m.id = ? AND m.direction = 1
            """, message
        ) { row in
            (
                account: row.column(0, as: Int64.self), state: row.column(1, as: Int64.self),
                ownID: row.column(2, as: String?.self), payload: row.column(3, as: String?.self),
                peer: row.column(4, as: String.self), conversation: row.column(5, as: Int64.self),
                reply: row.column(6, as: String?.self)
            )
        }
        guard let row else { throw ChatError(.unknownMessage, "there is no message \(message) of ours") }
        let states = [MessageState.Stored.failed, MessageState.Stored.needsConfirmation]
        if states.contains(row.state), row.payload == nil, try requeueFile(of: message) { return row.account }
        guard states.contains(row.state), let ownID = row.ownID, let payload = row.payload else {
            throw ChatError(.notFailed, "the message \(message) has not failed")
        }
        let attempts: Int64? = try connection.value(
            "SELECT attempts FROM outbox WHERE account = ? AND stanza_id = ?", row.account, ownID)
        try connection.run("DELETE FROM outbox WHERE account = ? AND stanza_id = ?", row.account, ownID)
        try connection.run(
            "UPDATE message SET state = 0, failure = NULL, failure_text = NULL WHERE id = ?", message)
        // What the outbox knows nothing of any more may have been sent.
        try enqueue(
            account: row.account, stanzaID: ownID, chat: row.peer, payload: payload, message: message,
            behind: try answered(row.reply, in: row.conversation), attempts: attempts ?? 1)
        try release(behind: message)
        try changed(message: message)
        return row.account
    }
}
