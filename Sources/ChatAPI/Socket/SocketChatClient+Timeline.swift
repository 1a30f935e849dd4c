// SPDX-License-Identifier: Apache-2.0

extension SocketChatClient {
    package func page(_ request: PageRequest) async throws(ChatAPIError) -> HistoryPage {
        try await call(ChatMethods.Page(request))
    }

    package func details(message: String) async throws(ChatAPIError) -> MessageDetails {
        try await call(ChatMethods.Details(message: message))
    }

    package func react(_ request: ReactRequest) async throws(ChatAPIError) -> MessageItem {
        try await call(ChatMethods.React(request))
    }

    package func correct(_ request: CorrectRequest) async throws(ChatAPIError) -> MessageItem {
        try await call(ChatMethods.Correct(request))
    }

    package func retract(message: String) async throws(ChatAPIError) -> MessageItem {
        try await call(ChatMethods.Retract(message: message))
    }

    package func setDraft(_ request: DraftRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.SetDraft(request))
    }

    package func configure(_ change: ConversationChange) async throws(ChatAPIError) -> ConversationSummary {
        try await call(ChatMethods.Configure(change))
    }
}
