// SPDX-License-Identifier: Apache-2.0
public import XMPP

/// Something that the user is told of while they look elsewhere.
public struct ChatNotification: Identifiable, Hashable, Sendable {
    /// What it is about; a newer one with the same name takes the place of an older one.
    public enum ID: Hashable, Sendable {
        /// Messages of a conversation.
        case conversation(Conversation.ID)
        /// Somebody who asks to see the user's presence.
        case request(Contact.ID)
    }

    /// Why the user is told.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// A message came.
        case message
        /// A message came that names the user.
        case mention
        /// Somebody asks to see the user's presence.
        case request
    }

    /// What it is about.
    public let id: ID
    /// Why the user is told.
    public let reason: Reason
    /// The bare address of the account.
    public let account: JID
    /// The bare address of the other side.
    public let peer: JID
    /// Whom it is from, as the user calls them; nil when the rules hide it.
    public let title: String?
    /// Who wrote in a room; chosen by them, and nil when the rules hide it.
    public let sender: String?
    /// The text; nil when the rules hide it.
    public let body: String?
    /// The newest message that it tells of.
    public let message: ChatMessage.ID?
    /// Of how many messages it tells, those that were told before and are not read among them.
    public let count: Int
    /// The picture of the other side, nil when the rules hide whom it is from; ``ChatCore/picture(_:)`` has its bytes, which
    /// are as others sent them.
    public let picture: PictureHash?
    /// It only puts right what was told before: nothing rings.
    public let isSilent: Bool

    /// The most characters of ``body``.
    public static let maximumLength = 300
}

/// What a program that shows notifications has to do.
public enum NotificationChange: Hashable, Sendable {
    /// Show it; one with the same ``ChatNotification/id`` goes.
    case post(ChatNotification)
    /// Take it away: it was read elsewhere, taken back, or is no longer wanted.
    case withdraw(ChatNotification.ID)
    /// So many messages are to be looked at.
    case badge(Int)
}
