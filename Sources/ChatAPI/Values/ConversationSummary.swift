// SPDX-License-Identifier: Apache-2.0

/// One row of the list of conversations.
package struct ConversationSummary: Hashable, Codable, Sendable {
    package enum Kind: String, Hashable, Codable, Sendable {
        /// Two people, or one with themselves.
        case chat
        /// A group or channel.
        case room
    }

    package var account: String
    /// The bare address of the other side.
    package var conversation: String
    package var kind: Kind
    package var name: String?
    package var unread: Int
    /// How many of those name the user.
    package var mentions: Int
    package var last: MessageItem?
    /// A text that was begun and not sent.
    package var draft: String?
    /// Stays at the top of the list.
    package var isPinned: Bool
    /// Put away; it comes back with the next message that is announced.
    package var isArchived: Bool
    /// What is announced.
    package var level: NotificationLevel
    /// Until when nothing is announced, whatever the level.
    package var mutedUntil: Timestamp?
    /// Up to which message the user has read, on any device (`MessageItem.id`).
    package var readThrough: String?
    /// When the newest message came or was written.
    package var lastActivity: Timestamp?
    /// The name of the picture, for `picture`.
    package var picture: String?
    /// Somebody who is no contact and to whom the user never wrote.
    package var isStranger: Bool
    /// Where the user stands with the room, where it is one.
    package var room: RoomStatus?

    package init(
        account: String, conversation: String, kind: Kind = .chat, name: String? = nil, unread: Int = 0,
        mentions: Int = 0, last: MessageItem? = nil, draft: String? = nil, isPinned: Bool = false,
        isArchived: Bool = false, level: NotificationLevel = .all, mutedUntil: Timestamp? = nil,
        readThrough: String? = nil, lastActivity: Timestamp? = nil, picture: String? = nil, isStranger: Bool = false,
        room: RoomStatus? = nil
    ) {
        self.account = account
        self.conversation = conversation
        self.kind = kind
        self.name = name
        self.unread = unread
        self.mentions = mentions
        self.last = last
        self.draft = draft
        self.isPinned = isPinned
        self.isArchived = isArchived
        self.level = level
        self.mutedUntil = mutedUntil
        self.readThrough = readThrough
        self.lastActivity = lastActivity
        self.picture = picture
        self.isStranger = isStranger
        self.room = room
    }

    private enum CodingKeys: String, CodingKey {
        case account, conversation, kind, name, unread, mentions, last, draft, level, picture, room
        case isStranger = "stranger"
        case isPinned = "pinned"
        case isArchived = "archived"
        case mutedUntil = "muted_until"
        case readThrough = "read_through"
        case lastActivity = "last_activity"
    }
}

/// Which messages of a conversation are announced.
package enum NotificationLevel: String, Hashable, Codable, Sendable, CaseIterable {
    /// All of them.
    case all
    /// Those that name the user.
    case mentions
    /// None.
    case none
}

/// Names one conversation.
package struct ConversationID: Hashable, Codable, Sendable {
    /// nil takes the only account.
    package var account: String?
    package var conversation: String

    package init(account: String? = nil, conversation: String) {
        self.account = account
        self.conversation = conversation
    }
}

/// Asks for a page of a conversation's messages, the newest of those that match, in ascending order.
package struct HistoryRequest: Hashable, Codable, Sendable {
    package var conversation: ConversationID
    /// At most this many; the core may cap it (see `ChatLimits.historyPage`).
    package var limit: Int
    /// Only messages before the one with this `MessageItem.id`.
    package var before: String?

    package init(conversation: ConversationID, limit: Int = 50, before: String? = nil) {
        self.conversation = conversation
        self.limit = limit
        self.before = before
    }
}

/// Whether we are writing, for the other side of a conversation (XEP-0085).
package struct TypingRequest: Hashable, Codable, Sendable {
    package var conversation: ConversationID
    package var isTyping: Bool

    package init(conversation: ConversationID, isTyping: Bool) {
        self.conversation = conversation
        self.isTyping = isTyping
    }
}

/// The profile as a whole.
package struct ProfileStatus: Hashable, Codable, Sendable {
    package var profile: String
    /// The version of the program that holds the profile.
    package var version: String
    /// The process that holds the profile.
    package var process: Int32
    /// What that process is: `serve`, or the name of the command that holds it for a while.
    package var role: String
    package var accounts: [AccountSummary]
    package var unread: Int
    package var requests: Int
    /// The end of the profile's sequence of changes: `events(since:)` from here tells what is new.
    package var cursor: String?

    package init(
        profile: String, version: String, process: Int32, role: String, accounts: [AccountSummary], unread: Int = 0,
        requests: Int = 0, cursor: String? = nil
    ) {
        self.profile = profile
        self.version = version
        self.process = process
        self.role = role
        self.accounts = accounts
        self.unread = unread
        self.requests = requests
        self.cursor = cursor
    }
}
