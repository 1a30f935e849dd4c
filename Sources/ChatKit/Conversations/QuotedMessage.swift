// SPDX-License-Identifier: Apache-2.0
public import XMPP

/// The message that another one answers (XEP-0461), as far as it is known.
public struct QuotedMessage: Hashable, Sendable {
    /// The message; nil while it is not here.
    public let id: ChatMessage.ID?
    /// Who wrote it; of a message that is not here, as the one who answers says, which proves nothing.
    public let sender: JID?
    /// Its author's nickname in a room.
    public let senderName: String?
    /// Whether the user wrote it.
    public let isOwn: Bool
    /// The beginning of its text; nil when it is not here or was taken back.
    public let body: String?

    /// The most characters of ``body``.
    public static let maximumLength = 300
}

/// One picture with which people reacted to a message (XEP-0444).
public struct MessageReaction: Hashable, Sendable {
    /// The picture.
    public let emoji: String
    /// Who: addresses, or nicknames in a room; the user is not among them.
    public let people: [String]
    /// Whether the user reacted so.
    public let isOwn: Bool

    /// How many reacted so.
    public var count: Int { people.count + (isOwn ? 1 : 0) }
}

/// Who took a message out of a room, and why (XEP-0425).
public struct Moderation: Hashable, Sendable {
    /// Who did, where the room says so.
    public let by: String?
    /// What they wrote about it; shown as text only.
    public let reason: String?
}
