// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    /// Text of one page of history in bytes; a page ends early rather than have more.
    private static let pageBytes = 4 << 20

    package nonisolated func send(_ request: SendRequest) async throws(ChatAPIError) -> SendResult {
        let (account, peer) = try await place(
            ConversationID(account: request.account, conversation: request.conversation))
        let original = try request.replyTo.map { (text) throws(ChatAPIError) in try Self.message(text) }
        return try await asking { () async throws(ChatError) in
            let receipt = try await core.send(
                to: peer, text: request.body, account: account, idempotencyKey: request.key, replyingTo: original)
            return SendResult(message: MessageItem(receipt.message), isRepeated: receipt.isRepeated)
        }
    }

    package nonisolated func wait(_ request: WaitRequest) async throws(ChatAPIError) -> MessageItem {
        guard let number = Int64(request.message), let goal = ChatKit.MessageState(request.goal) else {
            throw ChatAPIError(.notFound, "there is no message \(request.message) to wait for")
        }
        let core = core
        let expired = ChatAPIError(
            .timeout, "the message is not \(request.goal.rawValue) yet", hint: "it goes on by itself", isRetryable: true
        )
        return try await Self.within(request.timeout, expired) { () async throws(ChatError) in
            MessageItem(try await core.wait(for: ChatMessage.ID(rawValue: number), until: goal))
        }
    }

    package nonisolated func outbox(account: String?) async throws(ChatAPIError) -> [MessageItem] {
        let account = try await optionalAccount(account)
        return try await asking { () async throws(ChatError) in
            try await core.waitingMessages(of: account).map { MessageItem($0) }
        }
    }

    package nonisolated func decide(_ decision: OutboxDecision) async throws(ChatAPIError) {
        guard let number = Int64(decision.message) else {
            throw ChatAPIError(.notFound, "there is no message \(decision.message)")
        }
        let id = ChatMessage.ID(rawValue: number)
        try await asking { () async throws(ChatError) in
            switch decision.verdict {
            case .send: try await core.retry(id)
            case .drop:
                do throws(ChatError) {
                    try await core.discard(id)
                } catch {
                    // A file that has not gone up does not wait for a decision; it is given up all the same.
                    guard error.code == .notWaiting, (try? await core.cancelFile(id)) != nil else { throw error }
                }
            }
        }
    }

    package nonisolated func resolve(_ conversation: ConversationID) async throws(ChatAPIError) -> ConversationID {
        let (account, peer) = try await place(conversation)
        return ConversationID(account: account.description, conversation: peer.description)
    }

    package nonisolated func history(_ request: HistoryRequest) async throws(ChatAPIError) -> [MessageItem] {
        guard let id = try await known(request.conversation) else { return [] }
        var before: ChatMessage.ID?
        if let text = request.before {
            guard let number = Int64(text) else { throw ChatAPIError(.notFound, "there is no message \(text)") }
            before = ChatMessage.ID(rawValue: number)
        }
        let limit = min(max(request.limit, 0), ChatLimits.historyPage)
        let page = try await asking { () async throws(ChatError) in
            try await core.history(id, before: before, limit: limit)
        }
        var bytes = 0
        let newest = page.reversed().prefix { message in
            bytes += message.body.utf8.count
            return bytes <= Self.pageBytes
        }
        return newest.reversed().map { MessageItem($0) }
    }

    package nonisolated func conversations() async throws(ChatAPIError) -> [ConversationSummary] {
        try await asking { () async throws(ChatError) in
            try await core.conversations().map { ConversationSummary($0) }
        }
    }

    package nonisolated func markRead(_ request: ReadRequest) async throws(ChatAPIError) {
        let id = try await existing(request.conversation)
        let message = try request.through.map { (text) throws(ChatAPIError) in try Self.message(text) }
        try await asking { () async throws(ChatError) in try await core.markRead(id, through: message) }
    }

    package nonisolated func setTyping(_ request: TypingRequest) async throws(ChatAPIError) {
        let (account, peer) = try await place(request.conversation)
        try await asking { () async throws(ChatError) in
            try await core.setTyping(request.isTyping, to: peer, account: account)
        }
    }

    /// A conversation that has begun; asking for one must not begin it.
    nonisolated func known(_ name: ConversationID) async throws(ChatAPIError) -> Conversation.ID? {
        let (account, peer) = try await place(name)
        return try await asking { () async throws(ChatError) in
            try await core.knownConversation(with: peer, account: account)
        }
    }

    nonisolated func existing(_ name: ConversationID) async throws(ChatAPIError) -> Conversation.ID {
        guard let id = try await known(name) else {
            throw ChatAPIError(.notFound, "there is no conversation with \(name.conversation)")
        }
        return id
    }

    /// The message that an identifier of the interface means.
    nonisolated static func message(_ text: String) throws(ChatAPIError) -> ChatMessage.ID {
        guard let number = Int64(text) else { throw ChatAPIError(.notFound, "there is no message \(text)") }
        return ChatMessage.ID(rawValue: number)
    }
}
