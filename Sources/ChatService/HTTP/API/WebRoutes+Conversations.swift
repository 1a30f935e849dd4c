// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension WebRoutes {
    static let conversations: [WebRoute] = [
        WebRoute(.get, "conversations") { (service, _) throws(ChatAPIError) in
            .list("conversations", try await service.client.conversations())
        },
        WebRoute(.patch, "conversations/{account}/{conversation}") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(ChangeBody.self)
            return .json(
                200,
                try await service.client.configure(
                    ConversationChange(
                        conversation: call.conversation, isPinned: body.isPinned, isArchived: body.isArchived,
                        level: body.level, mute: body.mute)))
        },
        WebRoute(.get, "conversations/{account}/{conversation}/messages") { (service, call) throws(ChatAPIError) in
            let query = call.head.query
            guard [query["around"], query["before"], query["after"]].compactMap(\.self).count <= 1 else {
                throw ChatAPIError(.invalidArgument, "give one of around, before and after")
            }
            let request = PageRequest(
                conversation: call.conversation,
                limit: try call.number("limit", in: 1...ChatLimits.historyPage, default: 50), around: query["around"],
                before: query["before"], after: query["after"])
            return .json(200, try await service.client.page(request))
        },
        // The core keeps the key with the message.
        WebRoute(.post, "conversations/{account}/{conversation}/messages") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(SendBody.self)
            guard body.body.utf8.count <= ChatLimits.bodyBytes else { throw tooLong }
            if let attachments = body.attachments, !attachments.isEmpty {
                let result = try await send(
                    attachments, text: body.body, replyTo: body.replyTo, keepsOriginal: body.original ?? false, service,
                    call)
                return .json(result.isRepeated ? 200 : 201, result)
            }
            let result = try await service.client.send(
                SendRequest(
                    account: call.account, conversation: call["conversation"], body: body.body, key: call.key ?? "",
                    replyTo: body.replyTo))
            return .json(result.isRepeated ? 200 : 201, result)
        },
        WebRoute(.post, "conversations/{account}/{conversation}/read") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(ReadBody.self)
            try await service.client.markRead(ReadRequest(conversation: call.conversation, through: body.upTo))
            return .done
        },
        WebRoute(.put, "conversations/{account}/{conversation}/typing") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(TypingBody.self)
            try await service.client.setTyping(TypingRequest(conversation: call.conversation, isTyping: body.typing))
            return .done
        },
        WebRoute(.put, "conversations/{account}/{conversation}/draft") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(SendBody.self)
            guard body.body.utf8.count <= ChatLimits.bodyBytes else { throw tooLong }
            try await service.client.setDraft(DraftRequest(conversation: call.conversation, text: body.body))
            return .done
        },
    ]

    static let messages: [WebRoute] = [
        WebRoute(.put, "messages/{message}/reactions") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(ReactionsBody.self)
            let request = ReactRequest(message: call["message"], emojis: body.reactions)
            return .json(200, try await service.client.react(request))
        },
        WebRoute(.post, "messages/{message}/correction", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(SendBody.self)
            guard body.body.utf8.count <= ChatLimits.bodyBytes else { throw tooLong }
            let request = CorrectRequest(message: call["message"], body: body.body)
            return .json(200, try await service.client.correct(request))
        },
        WebRoute(.post, "messages/{message}/retraction", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(RetractBody.self)
            let item = try await service.client.details(message: call["message"]).message
            guard item.direction == .incoming else {
                return .json(200, try await service.client.retract(message: item.id))
            }
            // Somebody else's: only moderators of its room can do that.
            try await service.client.moderate(ModerateRequest(message: item.id, reason: body.reason))
            return .json(200, try await service.client.details(message: item.id).message)
        },
        WebRoute(.get, "messages/{message}/info") { (service, call) throws(ChatAPIError) in
            .json(200, try await service.client.details(message: call["message"]))
        },
        WebRoute(.get, "outbox") { (service, call) throws(ChatAPIError) in
            .list("messages", try await service.client.outbox(account: call.head.query["account"]))
        },
        WebRoute(.post, "outbox/{message}", isRemembered: true) { (service, call) throws(ChatAPIError) in
            let body = try call.decode(DecisionBody.self)
            try await service.client.decide(OutboxDecision(message: call["message"], verdict: body.verdict))
            return .done
        },
        WebRoute(.post, "resolve") { (service, call) throws(ChatAPIError) in
            .json(200, try await service.client.resolve(call.decode(ConversationID.self)))
        },
        WebRoute(.get, "events") { (service, call) throws(ChatAPIError) in
            let cursor = call.head.header("last-event-id") ?? call.head.query["cursor"]
            return try await service.streams.open(cursor, of: call.session?.id ?? "", on: service.client)
        },
    ]

    /// What bodies are read as.
    static var messageBodies: [any Decodable.Type] {
        [
            SendBody.self, RetractBody.self, ReadBody.self, ReactionsBody.self, ChangeBody.self, TypingBody.self,
            DecisionBody.self,
        ]
    }
}

private let tooLong = ChatAPIError(.tooLarge, "the text is too long", hint: "send it in parts, or as a file")

private struct SendBody: Decodable {
    var body: String
    var replyTo: String?
    var attachments: [String]?
    var original: Bool?

    private enum CodingKeys: String, CodingKey {
        case body, attachments, original
        case replyTo = "reply_to"
    }
}

private struct RetractBody: Decodable {
    var reason: String?
}

private struct ReadBody: Decodable {
    var upTo: String?

    private enum CodingKeys: String, CodingKey {
        case upTo = "up_to"
    }
}

private struct ReactionsBody: Decodable {
    var reactions: [String]
}

/// What changes of a conversation; `"muted_until": null` ends a mute, its absence changes nothing.
private struct ChangeBody: Decodable {
    var isPinned: Bool?
    var isArchived: Bool?
    var level: NotificationLevel?
    var mute: ConversationChange.Mute?

    private enum CodingKeys: String, CodingKey {
        case level
        case isPinned = "pinned"
        case isArchived = "archived"
        case mutedUntil = "muted_until"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        isPinned = try values.decodeIfPresent(Bool.self, forKey: .isPinned)
        isArchived = try values.decodeIfPresent(Bool.self, forKey: .isArchived)
        level = try values.decodeIfPresent(NotificationLevel.self, forKey: .level)
        guard values.contains(.mutedUntil) else { return }
        mute = try values.decodeIfPresent(Timestamp.self, forKey: .mutedUntil).map { .until($0) } ?? .off
    }
}

private struct TypingBody: Decodable {
    var typing: Bool
}

private struct DecisionBody: Decodable {
    var verdict: OutboxDecision.Verdict
}
