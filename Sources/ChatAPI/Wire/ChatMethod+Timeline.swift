// SPDX-License-Identifier: Apache-2.0

extension ChatMethods {
    package struct Page: ChatMethod {
        package static let name = "history.page"
        package var request: PageRequest
        package init(_ request: PageRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> HistoryPage {
            try await client.page(request)
        }
    }

    package struct Details: ChatMethod {
        package static let name = "message.details"
        package var message: String
        package init(message: String) { self.message = message }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> MessageDetails {
            try await client.details(message: message)
        }
    }

    package struct React: ChatMethod {
        package static let name = "message.react"
        package var request: ReactRequest
        package init(_ request: ReactRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> MessageItem {
            try await client.react(request)
        }
    }

    package struct Correct: ChatMethod {
        package static let name = "message.correct"
        package var request: CorrectRequest
        package init(_ request: CorrectRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> MessageItem {
            try await client.correct(request)
        }
    }

    package struct Retract: ChatMethod {
        package static let name = "message.retract"
        package var message: String
        package init(message: String) { self.message = message }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> MessageItem {
            try await client.retract(message: message)
        }
    }

    package struct SetDraft: ChatMethod {
        package static let name = "conversation.draft"
        package var request: DraftRequest
        package init(_ request: DraftRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.setDraft(request)
            return Done()
        }
    }

    package struct Configure: ChatMethod {
        package static let name = "conversation.configure"
        package var change: ConversationChange
        package init(_ change: ConversationChange) { self.change = change }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ConversationSummary {
            try await client.configure(change)
        }
    }
}
