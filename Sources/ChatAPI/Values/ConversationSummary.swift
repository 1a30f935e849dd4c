// SPDX-License-Identifier: Apache-2.0

/// One row of the list of conversations.
package struct ConversationSummary: Hashable, Codable, Sendable {
    package var account: String
    /// The bare address of the other side.
    package var conversation: String
    package var name: String?
    package var unread: Int
    package var last: MessageItem?

    package init(account: String, conversation: String, name: String? = nil, unread: Int = 0, last: MessageItem? = nil)
    {
        self.account = account
        self.conversation = conversation
        self.name = name
        self.unread = unread
        self.last = last
    }
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
