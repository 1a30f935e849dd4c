// SPDX-License-Identifier: Apache-2.0
import ApusTransport
package import ChatAPI

extension FakeChatClient {
    package func page(_ request: PageRequest) async throws(ChatAPIError) -> HistoryPage {
        let place = request.around ?? request.before ?? request.after ?? "-"
        try note("page \(request.conversation.conversation) \(place) \(request.limit)")
        return HistoryPage(messages: state.withLock { $0.history })
    }

    package func details(message: String) async throws(ChatAPIError) -> MessageDetails {
        try note("details \(message)")
        return MessageDetails(message: try known(message))
    }

    package func react(_ request: ReactRequest) async throws(ChatAPIError) -> MessageItem {
        try note("react \(request.message) \(request.emojis.joined())")
        return try known(request.message)
    }

    package func correct(_ request: CorrectRequest) async throws(ChatAPIError) -> MessageItem {
        try note("correct \(request.message) \(request.body)")
        var item = try known(request.message)
        item.body = request.body
        return item
    }

    package func retract(message: String) async throws(ChatAPIError) -> MessageItem {
        try note("retract \(message)")
        return try known(message)
    }

    package func setDraft(_ request: DraftRequest) async throws(ChatAPIError) {
        try note("setDraft \(request.conversation.conversation) \(request.text)")
    }

    package func configure(_ change: ConversationChange) async throws(ChatAPIError) -> ConversationSummary {
        try note("configure \(change.conversation.conversation) \(change.level?.rawValue ?? "-")")
        let known = state.withLock { state in
            state.conversations.first { $0.conversation == change.conversation.conversation }
        }
        var summary =
            known ?? ConversationSummary(account: "ana@example.org", conversation: change.conversation.conversation)
        if let level = change.level { summary.level = level }
        if let isPinned = change.isPinned { summary.isPinned = isPinned }
        if let isArchived = change.isArchived { summary.isArchived = isArchived }
        if case .until(let time)? = change.mute { summary.mutedUntil = time }
        return summary
    }

    private func known(_ id: String) throws(ChatAPIError) -> MessageItem {
        let found = state.withLock { state in state.history.first { $0.id == id } }
        guard let found else { throw ChatAPIError(.notFound, "there is no message \(id)") }
        return found
    }
}
