// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date
public import XMPP

/// One message of a conversation as it is known now.
public struct ChatMessage: Identifiable, Hashable, Sendable {
    /// Names a message within its profile; later messages have larger values.
    public struct ID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The number behind the name.
        public let rawValue: Int64

        /// Takes a number that came from a message's name.
        public init(rawValue: Int64) { self.rawValue = rawValue }

        /// The number in decimal digits.
        public var description: String { String(rawValue) }

        /// Orders by age in the profile, which is not always the order of the conversation.
        public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }
    }

    /// Which way a message went.
    public enum Direction: String, Hashable, Sendable {
        /// Somebody else wrote it.
        case incoming
        /// The user wrote it, here or on another device.
        case outgoing
    }

    /// How the text was protected on its way, beyond the connection to the server.
    public struct Protection: RawRepresentable, Hashable, Sendable {
        /// The stored name.
        public let rawValue: String

        /// Makes a value by its stored name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Not encrypted from end to end: both servers could read it.
        public static let none = Self(rawValue: "none")
        /// Encrypted in a way that this program cannot read: the text is the sender's program's, not the sender's.
        public static let unreadable = Self(rawValue: "unreadable")
    }

    /// The name within the profile.
    public let id: ID
    /// The bare address of the account.
    public let account: JID
    /// The conversation that it belongs to.
    public let conversation: Conversation.ID
    /// The bare address of the other side.
    public let peer: JID
    /// Which way it went.
    public let direction: Direction
    /// Who wrote it: a full address where it is known.
    public let sender: JID
    /// The text.
    public let body: String
    /// The subject, where it has one (RFC 6121 §5.2.4).
    public let subject: String?
    /// How far it has come.
    public let state: MessageState
    /// When it was written, as its sender or a delay stamp says; for display only.
    public let sent: Date
    /// When it came here.
    public let received: Date
    /// It was held somewhere on its way, so that it is no news of this moment (XEP-0203).
    public let isDelayed: Bool
    /// The identifier that its sender gave it (XEP-0359 §4, origin-id, or the stanza's id).
    public let originID: String?
    /// The identifier in the account's archive (XEP-0359 §3), where the server is known to set it.
    public let archiveID: String?
    /// How the text was protected.
    public let protection: Protection
    /// It was sent again without knowing whether the first time worked, so the other side may see it twice.
    public let mayBeDuplicated: Bool
    /// The key that the caller gave when sending it.
    public let idempotencyKey: String?
    /// The order within the conversation: larger is further down, and a change moves the message.
    public let position: Int64
    /// The nickname of its author in a room.
    public let senderName: String?
    /// The message that this one answers.
    public internal(set) var reply: QuotedMessage?
    /// What people had to say to it in pictures, the first picture first.
    public internal(set) var reactions: [MessageReaction] = []
    /// The files that it brings; its text is what was written beside them, often nothing.
    public internal(set) var files: [MessageFile] = []
    /// When its text was changed last (XEP-0308); ``ChatCore/details(of:)`` has the former texts.
    public let edited: Date?
    /// When it was taken back (XEP-0424); nothing of its text is left then.
    public let retracted: Date?
    /// Who took it out of its room, where that was not its author.
    public let moderation: Moderation?
    /// It names the user.
    public let isMention: Bool
    /// A change of it, a reaction or its withdrawal waits to be sent.
    public let isChanging: Bool

    /// What it answers, by the sender's word.
    let replyID: String?
    let replyAuthor: String?
}
