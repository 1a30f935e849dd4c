// SPDX-License-Identifier: Apache-2.0

/// Who wrote a message, as far as that can be told: what may change or take back only one's own messages is compared by it.
///
/// In a conversation between two people the account counts, whatever resource it uses. In a room the occupant counts; a
/// nickname can change hands, so that the room's identifier of the occupant decides where both messages have one
/// (XEP-0421).
public struct MessageAuthor: Sendable, Hashable {
    /// The account, or the occupant of a room.
    public let address: JID
    /// The identifier that a room gave the occupant; believe it only of rooms that announce it (XEP-0421 §4).
    public let occupantID: String?

    /// Makes an author.
    public init(address: JID, occupantID: String? = nil) {
        self.address = address
        self.occupantID = occupantID
    }

    /// Whether both are the same person.
    public func isSame(as other: MessageAuthor) -> Bool {
        if let mine = occupantID, let theirs = other.occupantID {
            return mine == theirs && address.isSameBare(as: other.address)
        }
        // One has an identifier and the other has not: the nickname may have changed hands between.
        guard occupantID == nil, other.occupantID == nil else { return false }
        return address == other.address
    }
}

/// The identifier of an occupant (XEP-0421 §3).
package struct OccupantID: IdentifierPayload {
    package static let name = XMLName("occupant-id", "urn:xmpp:occupant-id:0")
    package var id: String

    package init(id: String) { self.id = id }

    package init?(_ element: Element) {
        // §4.1: at most 128 characters.
        guard element.matches(Self.name), let id = element.filled("id"), id.count <= 128 else { return nil }
        self.init(id: id)
    }
}

extension Message {
    /// Who wrote it; nil without sender, which is one's own account.
    public var author: MessageAuthor? {
        guard let from else { return nil }
        if kind == .groupchat {
            return MessageAuthor(address: from, occupantID: payload(OccupantID.self)?.id)
        }
        return MessageAuthor(address: isOfRoom ? from : from.bare)
    }

    /// Whether the same person wrote this one and another, in the same conversation (T115).
    ///
    /// - Parameters:
    ///   - other: A message that was received or sent before.
    ///   - account: One's own address, the author of what has no sender.
    func isSameAuthor(as other: Message, account: JID) -> Bool {
        guard kind != .error, other.kind != .error, (kind == .groupchat) == (other.kind == .groupchat) else {
            return false
        }
        let own = MessageAuthor(address: account.bare)
        guard (author ?? own).isSame(as: other.author ?? own) else { return false }
        return kind == .groupchat || partner(account) == other.partner(account)
    }

    /// With whom the conversation is: whoever of sender and recipient is not oneself.
    func partner(_ account: JID) -> JID? {
        let isOwn = from?.isSameBare(as: account) ?? true
        let other = isOwn ? to : from
        return isOfRoom ? other : other?.bare
    }
}
