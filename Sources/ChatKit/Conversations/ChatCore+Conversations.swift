// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import struct Foundation.Date
public import XMPP

extension ChatCore {
    /// All conversations: pinned ones first, then the latest first.
    public func conversations() async throws(ChatError) -> [Conversation] {
        do {
            return try await store.read { try Queries.conversations($0, rooms: self.roomStates) }
        } catch {
            throw ChatError(error)
        }
    }

    /// All conversations and every change of theirs.
    public nonisolated func conversationUpdates() -> LiveQuery<Conversation> {
        LiveQuery(hub: store.hub) {
            !$0.conversations.isEmpty || !$0.contacts.isEmpty || $0.accounts
        } fetch: {
            [store, roomStates] in
            try await store.read { try Queries.conversations($0, rooms: roomStates) }
        }
    }

    /// The conversation with somebody, made when there is none yet.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func conversation(with peer: JID, account: JID) async throws(ChatError) -> Conversation {
        let row = try runner(account).account
        let peer = peer.bare.description
        do {
            let id = try await store.write { transaction in
                let id = try transaction.makeConversation(account: row, peer: peer).id
                try transaction.connection.run(
                    "UPDATE conversation SET is_hidden = 0 WHERE id = ? AND is_hidden = 1", id)
                return id
            }
            return try await conversation(Conversation.ID(rawValue: id))
        } catch {
            throw ChatError(error)
        }
    }

    /// The conversation with somebody, if there is one.
    package func knownConversation(with peer: JID, account: JID) async throws(ChatError) -> Conversation.ID? {
        let (row, peer) = (try runner(account).account, peer.bare.description)
        do {
            return try await store.read { connection in
                let found: Int64? = try connection.value(
                    "SELECT id FROM conversation WHERE account = ? AND peer = ?", row, peer)
                return found.map { Conversation.ID(rawValue: $0) }
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// One conversation.
    ///
    /// - Throws: ``ChatError/Code/unknownConversation``.
    public func conversation(_ id: Conversation.ID) async throws(ChatError) -> Conversation {
        let found: Conversation?
        do {
            found = try await store.read {
                try Queries.conversations($0, id: id.rawValue, rooms: self.roomStates).first
            }
        } catch {
            throw ChatError(error)
        }
        guard let found else { throw ChatError(.unknownConversation, "there is no conversation \(id)") }
        return found
    }

    /// The most messages of one page of history.
    public static let maximumPage = 500

    /// A page of a conversation in ascending order.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - before: Only messages before this one, the newest of them.
    ///   - after: Only messages after this one, the oldest of them; stronger than `before`.
    ///   - limit: At most so many; at most ``maximumPage``. Defaults to 50.
    public func history(
        _ conversation: Conversation.ID, before: ChatMessage.ID? = nil, after: ChatMessage.ID? = nil, limit: Int = 50
    ) async throws(ChatError) -> [ChatMessage] {
        let limit = min(max(limit, 0), Self.maximumPage)
        do {
            return try await store.read {
                try Queries.page(
                    $0, conversation: conversation.rawValue, before: before?.rawValue, after: after?.rawValue,
                    limit: limit)
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// The newest messages of a conversation in ascending order, and every change of theirs.
    ///
    /// `limit` is how many at most, no more than ``maximumPage``. Defaults to 50.
    public nonisolated func historyUpdates(
        _ conversation: Conversation.ID, limit: Int = 50
    ) -> LiveQuery<ChatMessage> {
        let limit = min(max(limit, 0), Self.maximumPage)
        return LiveQuery(hub: store.hub) {
            $0.conversations.contains(conversation.rawValue)
        } fetch: { [store] in
            try await store.read {
                try Queries.page($0, conversation: conversation.rawValue, before: nil, after: nil, limit: limit)
            }
        }
    }

    /// One message.
    ///
    /// - Throws: ``ChatError/Code/unknownMessage``.
    public func message(_ id: ChatMessage.ID) async throws(ChatError) -> ChatMessage {
        let found: ChatMessage?
        do {
            found = try await store.read { try Queries.message($0, id: id.rawValue) }
        } catch {
            throw ChatError(error)
        }
        guard let found else { throw ChatError(.unknownMessage, "there is no message \(id)") }
        return found
    }

    /// Marks a conversation as read, up to a message or wholly; the account's other devices learn of it (XEP-0490), and the
    /// other side where it asked and the account's settings tell it (XEP-0333).
    ///
    /// - Throws: ``ChatError/Code/unknownConversation``.
    public func markRead(
        _ conversation: Conversation.ID, through message: ChatMessage.ID? = nil
    ) async throws(ChatError) {
        let account: Int64
        do {
            account = try await store.write { transaction in
                guard let row = try transaction.conversation(conversation.rawValue) else {
                    throw ChatError(.unknownConversation, "there is no conversation \(conversation)")
                }
                let sort: Int64? = try message.flatMap { id in
                    try transaction.connection.value(
                        "SELECT sort FROM message WHERE id = ? AND conversation = ?", id.rawValue, row.id)
                }
                if message != nil, sort == nil { return row.account }
                let settings: String? = try transaction.connection.value(
                    "SELECT settings FROM account WHERE id = ?", row.account)
                let marks = AccountSettings(json: settings ?? "{}").tellsReading
                try transaction.read(row, through: sort, marks: marks)
                return row.account
            }
        } catch {
            throw ChatError(error)
        }
        guard let runner = runners.runner(row: account) else { return }
        Task {
            await runner.pump()
            await runner.publishDisplayed()
        }
    }

    /// Keeps a text that was begun and not sent; nil or an empty one forgets it.
    ///
    /// - Throws: ``ChatError/Code/unknownConversation``.
    public func setDraft(_ text: String?, in conversation: Conversation.ID) async throws(ChatError) {
        let draft = text.flatMap { $0.isEmpty ? nil : $0 }
        try await change(conversation) {
            try $0.connection.run("UPDATE conversation SET draft = ? WHERE id = ?", draft, conversation.rawValue)
        }
    }

    /// Keeps a conversation at the top of the list, or no longer.
    ///
    /// - Throws: ``ChatError/Code/unknownConversation``.
    public func setPinned(_ isPinned: Bool, _ conversation: Conversation.ID) async throws(ChatError) {
        try await change(conversation) {
            try $0.connection.run("UPDATE conversation SET is_pinned = ? WHERE id = ?", isPinned, conversation.rawValue)
        }
    }

    /// Says what is announced of a conversation.
    ///
    /// - Throws: ``ChatError/Code/unknownConversation``.
    public func setLevel(_ level: Conversation.Level, _ conversation: Conversation.ID) async throws(ChatError) {
        try await change(conversation) {
            try $0.connection.run(
                "UPDATE conversation SET level = ? WHERE id = ?", level.rawValue, conversation.rawValue)
        }
    }

    /// Announces nothing of a conversation until a moment; nil announces again what its level says.
    ///
    /// - Throws: ``ChatError/Code/unknownConversation``.
    public func mute(_ conversation: Conversation.ID, until date: Date?) async throws(ChatError) {
        let time = date.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
        try await change(conversation) {
            try $0.connection.run("UPDATE conversation SET muted_until = ? WHERE id = ?", time, conversation.rawValue)
            $0.changes.mutes = true
        }
    }

    /// Puts a conversation away, or takes it back.
    ///
    /// - Throws: ``ChatError/Code/unknownConversation``.
    public func setArchived(_ isArchived: Bool, _ conversation: Conversation.ID) async throws(ChatError) {
        try await change(conversation) {
            try $0.connection.run(
                "UPDATE conversation SET is_archived = ? WHERE id = ?", isArchived, conversation.rawValue)
        }
    }

    private func change(
        _ conversation: Conversation.ID, _ body: @Sendable (StoreTransaction) throws -> Void
    ) async throws(ChatError) {
        do {
            try await store.write { transaction in
                let known: Int64? = try transaction.connection.value(
                    "SELECT id FROM conversation WHERE id = ?", conversation.rawValue)
                guard known != nil else {
                    throw ChatError(.unknownConversation, "there is no conversation \(conversation)")
                }
                transaction.changes.conversations.insert(conversation.rawValue)
                try body(transaction)
            }
        } catch {
            throw ChatError(error)
        }
    }
}
