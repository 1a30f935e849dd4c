// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

// Made twice, each of these does the same again: none needs to know whether it was done.
extension ProfileClient {
    package nonisolated func page(_ request: PageRequest) async throws(ChatAPIError) -> HistoryPage {
        try await perform { (client) async throws(ChatAPIError) in try await client.page(request) }
    }

    package nonisolated func details(message: String) async throws(ChatAPIError) -> MessageDetails {
        try await perform { (client) async throws(ChatAPIError) in try await client.details(message: message) }
    }

    package nonisolated func react(_ request: ReactRequest) async throws(ChatAPIError) -> MessageItem {
        try await perform { (client) async throws(ChatAPIError) in try await client.react(request) }
    }

    package nonisolated func correct(_ request: CorrectRequest) async throws(ChatAPIError) -> MessageItem {
        try await perform { (client) async throws(ChatAPIError) in try await client.correct(request) }
    }

    package nonisolated func retract(message: String) async throws(ChatAPIError) -> MessageItem {
        try await perform { (client) async throws(ChatAPIError) in try await client.retract(message: message) }
    }

    package nonisolated func setDraft(_ request: DraftRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.setDraft(request) }
    }

    package nonisolated func configure(_ change: ConversationChange) async throws(ChatAPIError) -> ConversationSummary {
        try await perform { (client) async throws(ChatAPIError) in try await client.configure(change) }
    }
}
