// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
package import ChatService

/// A core that does nothing itself; a test adds what it looks at.
package protocol ForwardingCore: LocalCore {
    var fake: FakeChatClient { get }
}

extension ForwardingCore {
    package func markRead(_ request: ReadRequest) async throws(ChatAPIError) { try await fake.markRead(request) }
    package func page(_ request: PageRequest) async throws(ChatAPIError) -> HistoryPage {
        try await fake.page(request)
    }
    package func details(message: String) async throws(ChatAPIError) -> MessageDetails {
        try await fake.details(message: message)
    }
    package func react(_ request: ReactRequest) async throws(ChatAPIError) -> MessageItem {
        try await fake.react(request)
    }
    package func correct(_ request: CorrectRequest) async throws(ChatAPIError) -> MessageItem {
        try await fake.correct(request)
    }
    package func retract(message: String) async throws(ChatAPIError) -> MessageItem {
        try await fake.retract(message: message)
    }
    package func setDraft(_ request: DraftRequest) async throws(ChatAPIError) { try await fake.setDraft(request) }
    package func configure(_ change: ConversationChange) async throws(ChatAPIError) -> ConversationSummary {
        try await fake.configure(change)
    }
}
