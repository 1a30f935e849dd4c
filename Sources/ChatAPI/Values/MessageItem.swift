// SPDX-License-Identifier: Apache-2.0

/// One message of a conversation as the core knows it now.
package struct MessageItem: Hashable, Codable, Sendable {
    package enum Direction: String, Hashable, Codable, Sendable {
        case incoming, outgoing
    }

    /// The core's own identifier, unique in the profile.
    package var id: String
    package var account: String
    /// The bare address of the other side.
    package var conversation: String
    package var direction: Direction
    /// Who wrote it: a full address where it is known.
    package var sender: String
    package var body: String
    /// When it was written, as far as known.
    package var time: Timestamp
    package var state: MessageState
    /// Why it failed, in `failed`.
    package var failure: ChatAPIError?
    /// The sender's identifier of the message (XEP-0359 origin-id or the stanza's id).
    package var originID: String?
    /// The archive's identifier (XEP-0359 stanza-id).
    package var archiveID: String?
    /// The key under which it was sent.
    package var key: String?
    /// It was sent again without knowing whether the first time worked: the other side may have it twice.
    package var mayBeRepeated: Bool?
    /// The place in the profile's sequence of changes: `events(since:)` continues after it.
    package var cursor: String?
    /// The order within the conversation: larger is further down, and a change of it moves the message.
    package var position: Int64?
    /// What the sender is called: the nickname in a room.
    package var senderName: String?
    /// The message that this one answers.
    package var reply: QuotedItem?
    /// What people had to say to it in pictures, in the order in which they first came.
    package var reactions: [ReactionItem]?
    /// When its text was changed last.
    package var edited: Timestamp?
    /// When it was taken back; its text is gone then.
    package var retracted: Timestamp?
    /// Who took it back, where that was not its author, and why.
    package var moderation: ModerationItem?
    /// The files that it brings; its text is what was written beside them, often nothing.
    package var files: [FileItem]?
    /// It names the user.
    package var isMention: Bool?
    /// A change of it waits to be sent.
    package var isChanging: Bool?
    /// It is to be announced; only in events that tell of it live.
    package var notify: NotifyItem?

    package init(
        id: String, account: String, conversation: String, direction: Direction, sender: String, body: String,
        time: Timestamp, state: MessageState, failure: ChatAPIError? = nil, originID: String? = nil,
        archiveID: String? = nil, key: String? = nil, mayBeRepeated: Bool = false, cursor: String? = nil,
        position: Int64? = nil
    ) {
        self.id = id
        self.account = account
        self.conversation = conversation
        self.direction = direction
        self.sender = sender
        self.body = body
        self.time = time
        self.state = state
        self.failure = failure
        self.originID = originID
        self.archiveID = archiveID
        self.key = key
        self.mayBeRepeated = mayBeRepeated ? true : nil
        self.cursor = cursor
        self.position = position
    }

    private enum CodingKeys: String, CodingKey {
        case id, account, conversation, direction, sender, body, time, state, failure, position, reply, reactions
        case edited, retracted, moderation
        case files = "attachments"
        case senderName = "sender_name"
        case isMention = "mention"
        case isChanging = "changing"
        case notify
        case originID = "origin_id"
        case archiveID = "archive_id"
        case key
        case mayBeRepeated = "may_be_repeated"
        case cursor
    }
}

/// That and how a message is announced, as the user's rules say.
package struct NotifyItem: Hashable, Codable, Sendable {
    package enum Reason: String, Hashable, Codable, Sendable {
        case message, mention
    }

    package var reason: Reason
    /// Whether its text may be shown; nil for yes.
    package var hidesText: Bool?
    /// Whether it may be shown who wrote it; nil for yes.
    package var hidesName: Bool?

    package init(_ reason: Reason, _ previews: NotificationSettings.Previews = .all) {
        self.reason = reason
        hidesText = previews == .all ? nil : true
        hidesName = previews == .none ? true : nil
    }

    private enum CodingKeys: String, CodingKey {
        case reason
        case hidesText = "hides_text"
        case hidesName = "hides_name"
    }
}

/// The life of a message; the order of the cases is the order in which they follow each other.
package enum MessageState: String, Hashable, Codable, Sendable, CaseIterable {
    /// Durable here, not yet handed to the connection.
    case queued
    /// Handed to the connection.
    case written
    /// The server has it.
    case acknowledged
    /// The other side's client has it.
    case delivered
    /// The other side has seen it.
    case displayed
    /// Waited so long that it is sent only when the user says so.
    case needsConfirmation = "needs-confirmation"
    /// Came in.
    case received
    /// Will not be sent or was refused; `failure` says why.
    case failed

    /// Whether an outgoing message has come at least as far as `goal`.
    package func reached(_ goal: MessageState) -> Bool {
        guard let own = Self.path.firstIndex(of: self), let wanted = Self.path.firstIndex(of: goal) else {
            return self == goal
        }
        return own >= wanted
    }

    private static let path: [MessageState] = [.queued, .written, .acknowledged, .delivered, .displayed]
}

/// Sends one message; the same account, conversation and key send once, however often the request is made.
package struct SendRequest: Hashable, Codable, Sendable {
    package var account: String?
    package var conversation: String
    package var body: String
    /// Names this message; a request with a known key answers with the message that it made the first time.
    package var key: String
    /// `MessageItem.id` of the message that this one answers, in the same conversation.
    package var replyTo: String?

    package init(account: String? = nil, conversation: String, body: String, key: String, replyTo: String? = nil) {
        self.account = account
        self.conversation = conversation
        self.body = body
        self.key = key
        self.replyTo = replyTo
    }

    private enum CodingKeys: String, CodingKey {
        case account, conversation, body, key
        case replyTo = "reply_to"
    }
}

/// What the user decides about a message that needs confirmation, or that failed.
package struct OutboxDecision: Hashable, Codable, Sendable {
    package enum Verdict: String, Hashable, Codable, Sendable {
        case send, drop
    }

    /// `MessageItem.id`.
    package var message: String
    package var verdict: Verdict

    package init(message: String, verdict: Verdict) {
        self.message = message
        self.verdict = verdict
    }
}

/// What became of a send request.
package struct SendResult: Hashable, Codable, Sendable {
    package var message: MessageItem
    /// The key was known; nothing new was queued.
    package var isRepeated: Bool

    package init(message: MessageItem, isRepeated: Bool) {
        self.message = message
        self.isRepeated = isRepeated
    }

    private enum CodingKeys: String, CodingKey {
        case message
        case isRepeated = "repeated"
    }
}

/// Waits until a message has come as far as `goal` or failed.
package struct WaitRequest: Hashable, Codable, Sendable {
    /// `MessageItem.id`.
    package var message: String
    package var goal: MessageState
    package var timeout: Duration

    package init(message: String, goal: MessageState, timeout: Duration) {
        self.message = message
        self.goal = goal
        self.timeout = timeout
    }
}
