// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date
public import XMPP

/// One row of the list of conversations.
public struct Conversation: Identifiable, Hashable, Sendable {
    /// Names a conversation within its profile.
    public struct ID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number behind the name.
        public let rawValue: Int64

        /// Takes a number that came from a conversation's name.
        public init(rawValue: Int64) { self.rawValue = rawValue }

        /// The number in decimal digits.
        public var description: String { String(rawValue) }
    }

    /// The name within the profile.
    public let id: ID
    /// The bare address of the account.
    public let account: JID
    /// The bare address of the other side.
    public let peer: JID
    /// The name that the contact list has for the other side.
    public let name: String?
    /// The newest message.
    public let lastMessage: ChatMessage?
    /// How many incoming messages have not been marked as read.
    public let unread: Int
    /// A text that was begun and not sent.
    public let draft: String?
    /// It stays at the top of the list.
    public let isPinned: Bool
    /// Nothing is announced for it.
    public let isMuted: Bool
    /// When the newest message came or was written; `distantPast` when there is none.
    public let lastActivity: Date
}

/// Whether the other side of a conversation is writing (XEP-0085); a passing state, never stored.
public struct TypingState: Identifiable, Hashable, Sendable {
    /// Account and peer.
    public struct ID: Hashable, Sendable {
        /// The bare address of the account.
        public let account: JID
        /// The bare address of the other side.
        public let peer: JID
    }

    /// The conversation.
    public let id: ID
    /// The bare address of the account.
    public var account: JID { id.account }
    /// The bare address of the other side.
    public var peer: JID { id.peer }
}
