// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import Foundation

extension LocalChatClient {
    package nonisolated func page(_ request: PageRequest) async throws(ChatAPIError) -> HistoryPage {
        guard let id = try await known(request.conversation) else { return HistoryPage(messages: []) }
        let place = try Self.place(of: request)
        let limit = min(max(request.limit, 1), ChatLimits.historyPage)
        return HistoryPage(
            try await asking { () async throws(ChatError) in try await core.loadTimeline(id, at: place, limit: limit) },
            place)
    }

    package nonisolated func details(message: String) async throws(ChatAPIError) -> ChatAPI.MessageDetails {
        let id = try Self.message(message)
        return try await asking { () async throws(ChatError) in
            ChatAPI.MessageDetails(try await core.details(of: id))
        }
    }

    package nonisolated func react(_ request: ReactRequest) async throws(ChatAPIError) -> MessageItem {
        let id = try Self.message(request.message)
        return try await asking { () async throws(ChatError) in
            MessageItem(try await core.react(request.emojis, to: id))
        }
    }

    package nonisolated func correct(_ request: CorrectRequest) async throws(ChatAPIError) -> MessageItem {
        let id = try Self.message(request.message)
        return try await asking { () async throws(ChatError) in
            MessageItem(try await core.correct(id, text: request.body))
        }
    }

    package nonisolated func retract(message: String) async throws(ChatAPIError) -> MessageItem {
        let id = try Self.message(message)
        return try await asking { () async throws(ChatError) in MessageItem(try await core.retract(id)) }
    }

    package nonisolated func setDraft(_ request: DraftRequest) async throws(ChatAPIError) {
        let id = try await begun(request.conversation)
        try await asking { () async throws(ChatError) in try await core.setDraft(request.text, in: id) }
    }

    package nonisolated func configure(
        _ change: ConversationChange
    ) async throws(ChatAPIError) -> ConversationSummary {
        let id = try await begun(change.conversation)
        return try await asking { () async throws(ChatError) in
            if let isPinned = change.isPinned { try await core.setPinned(isPinned, id) }
            if let isArchived = change.isArchived { try await core.setArchived(isArchived, id) }
            if let level = change.level { try await core.setLevel(.init(level), id) }
            switch change.mute {
            case nil: break
            case .off: try await core.mute(id, until: nil)
            case .until(let time): try await core.mute(id, until: Date(time))
            }
            return ConversationSummary(try await core.conversation(id))
        }
    }

    /// The conversation, begun when there is none yet.
    private nonisolated func begun(_ name: ConversationID) async throws(ChatAPIError) -> Conversation.ID {
        let (account, peer) = try await place(name)
        return try await asking { () async throws(ChatError) in
            try await core.conversation(with: peer, account: account).id
        }
    }

    private static func place(of request: PageRequest) throws(ChatAPIError) -> TimelinePlace {
        let given = [request.around, request.before, request.after].compactMap(\.self)
        guard given.count <= 1 else {
            throw ChatAPIError(.invalidArgument, "a page lies around, before or after one message, not several")
        }
        if let text = request.around { return .around(try message(text)) }
        if let text = request.before { return .before(try message(text)) }
        if let text = request.after { return .after(try message(text)) }
        return .newest
    }
}

extension HistoryPage {
    /// Text of one page in bytes; a page ends early rather than have more.
    private static let bytes = 4 << 20

    /// What is left out of a page that is too long lies on the side away from where it was asked for.
    init(_ page: TimelinePage, _ place: TimelinePlace) {
        var bytes = 0
        let isForward =
            switch place {
            case .after: true
            case .newest, .before, .around: false
            }
        let ordered = isForward ? page.messages : page.messages.reversed()
        let kept = ordered.prefix { message in
            bytes += message.body.utf8.count
            return bytes <= Self.bytes
        }
        let isCut = kept.count < ordered.count
        let messages = isForward ? Array(kept) : kept.reversed()
        // The server may have older ones.
        let hasGap = page.gaps.contains { $0.before == page.messages.first?.id }
        self.init(
            messages: messages.map { MessageItem($0) }, hasOlder: page.hasOlder || hasGap || isCut && !isForward,
            hasNewer: page.hasNewer || isCut && isForward, readThrough: page.readThrough?.description,
            gaps: page.gaps.map { Gap(id: $0.id.description, before: $0.before?.description) },
            activities: page.activities.map { RoomActivityItem($0) })
    }
}

extension ChatAPI.MessageDetails {
    init(_ details: ChatKit.MessageDetails) {
        self.init(
            message: MessageItem(details.message),
            revisions: details.revisions.map { Revision(body: $0.body, time: Timestamp($0.date)) },
            readers: details.readers.map { reader in
                Reader(
                    person: reader.person, state: ChatAPI.MessageState.reading(reader.state).0,
                    time: reader.date.map { Timestamp($0) })
            })
    }
}

extension Conversation.Level {
    init(_ level: NotificationLevel) {
        switch level {
        case .all: self = .all
        case .mentions: self = .mentions
        case .none: self = .none
        }
    }
}

extension NotificationLevel {
    init(_ level: Conversation.Level) {
        switch level {
        case .all: self = .all
        case .mentions: self = .mentions
        case .none: self = .none
        }
    }
}

extension Date {
    init(_ time: Timestamp) { self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000) }
}
