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

    /// What a conversation is.
    public enum Kind: String, Hashable, Sendable {
        /// Two people, or one with themselves.
        case chat
        /// A group or channel (XEP-0045).
        case room
    }

    /// Which messages are announced.
    public enum Level: String, Hashable, Sendable, CaseIterable {
        /// All of them.
        case all
        /// Those that name the user.
        case mentions
        /// None.
        case none
    }

    /// The name within the profile.
    public let id: ID
    /// The bare address of the account.
    public let account: JID
    /// The bare address of the other side.
    public let peer: JID
    /// What it is.
    public let kind: Kind
    /// The name that the contact list has for the other side.
    public let name: String?
    /// The newest message.
    public internal(set) var lastMessage: ChatMessage?
    /// How many incoming messages have not been marked as read.
    public let unread: Int
    /// How many of those name the user.
    public let mentions: Int
    /// A text that was begun and not sent.
    public let draft: String?
    /// It stays at the top of the list.
    public let isPinned: Bool
    /// It was put away; the next message that is announced, or one of ours, brings it back.
    public let isArchived: Bool
    /// What is announced.
    public let level: Level
    /// Until when nothing is announced, whatever the level; nil or a time that has passed changes nothing.
    public let mutedUntil: Date?
    /// The newest message that the user has read, on any device.
    public let readThrough: ChatMessage.ID?
    /// The picture of the other side; ``ChatCore/picture(_:)`` has its bytes.
    public let picture: PictureHash?
    /// Somebody who is no contact and to whom the user never wrote.
    public let isStranger: Bool
    /// Where the user stands with the room, where it is one.
    public internal(set) var room: RoomStanding?
    /// When the newest message came or was written; `distantPast` when there is none.
    public let lastActivity: Date

    /// Whether nothing is announced at a moment.
    public func isMuted(at date: Date = Date()) -> Bool { level == .none || mutedUntil.map { $0 > date } == true }
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
