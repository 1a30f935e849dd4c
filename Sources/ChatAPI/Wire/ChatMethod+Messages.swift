// SPDX-License-Identifier: Apache-2.0

extension ChatMethods {
    package struct Requests: ChatMethod {
        package static let name = "requests"
        package var account: String?
        package init(account: String?) { self.account = account }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [RequestSummary] {
            try await client.requests(account: account)
        }
    }

    package struct Answer: ChatMethod {
        package static let name = "request.answer"
        package var request: AnswerRequest
        package init(_ request: AnswerRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.answer(request)
            return Done()
        }
    }

    package struct Send: ChatMethod {
        package static let name = "send"
        package var request: SendRequest
        package init(_ request: SendRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> SendResult {
            try await client.send(request)
        }
    }

    package struct Wait: ChatMethod {
        package static let name = "wait"
        package var request: WaitRequest
        package init(_ request: WaitRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> MessageItem {
            try await client.wait(request)
        }
    }

    package struct Outbox: ChatMethod {
        package static let name = "outbox"
        package var account: String?
        package init(account: String?) { self.account = account }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [MessageItem] {
            try await client.outbox(account: account)
        }
    }

    package struct Decide: ChatMethod {
        package static let name = "outbox.decide"
        package var decision: OutboxDecision
        package init(_ decision: OutboxDecision) { self.decision = decision }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.decide(decision)
            return Done()
        }
    }

    package struct Resolve: ChatMethod {
        package static let name = "conversation.resolve"
        package var conversation: ConversationID
        package init(_ conversation: ConversationID) { self.conversation = conversation }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ConversationID {
            try await client.resolve(conversation)
        }
    }

    package struct History: ChatMethod {
        package static let name = "history"
        package var request: HistoryRequest
        package init(_ request: HistoryRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [MessageItem] {
            try await client.history(request)
        }
    }

    package struct Conversations: ChatMethod {
        package static let name = "conversations"
        package init() {}
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [ConversationSummary] {
            try await client.conversations()
        }
    }

    package struct MarkRead: ChatMethod {
        package static let name = "conversation.read"
        package var request: ReadRequest
        package init(_ request: ReadRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.markRead(request)
            return Done()
        }
    }

    package struct SetTyping: ChatMethod {
        package static let name = "conversation.typing"
        package var request: TypingRequest
        package init(_ request: TypingRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.setTyping(request)
            return Done()
        }
    }
}

/// The stream of events; it has no reply of its own but `event` frames until `reply` or `failure`.
package struct EventsMethod: Codable, Sendable {
    package static let name = "events"
    package var since: String?
    /// What is announced instead, from now on.
    package var announcements: Bool?

    package init(since: String?) { self.since = since }

    package static var announcements: EventsMethod {
        var method = EventsMethod(since: nil)
        method.announcements = true
        return method
    }
}
