// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date
public import XMPP

/// One entry of an account's contact list with the presence that is known of it.
public struct Contact: Identifiable, Hashable, Sendable {
    /// Who sees whose presence (RFC 6121 §2.1.2.5).
    public enum Subscription: String, Hashable, Sendable, CaseIterable {
        /// Nobody.
        case none
        /// We see the contact's.
        case to
        /// The contact sees ours.
        case from
        /// Both.
        case both

        /// We see the contact's presence.
        public var seesTheirs: Bool { self == .to || self == .both }
        /// The contact sees our presence.
        public var showsOurs: Bool { self == .from || self == .both }
    }

    /// Account and address.
    public struct ID: Hashable, Sendable {
        /// The bare address of the account.
        public let account: JID
        /// The address of the contact.
        public let jid: JID

        package init(account: JID, jid: JID) {
            self.account = account
            self.jid = jid
        }
    }

    /// Account and address.
    public let id: ID
    /// The bare address of the account.
    public var account: JID { id.account }
    /// The address of the contact.
    public var jid: JID { id.jid }
    /// The name that the user gave.
    public let name: String?
    /// The groups that the user put the contact in, sorted.
    public let groups: [String]
    /// Who sees whose presence.
    public let subscription: Subscription
    /// We asked to see the contact's presence and have no answer yet.
    public let isAsked: Bool
    /// The contact may see our presence without asking (RFC 6121 §3.4).
    public let isApproved: Bool
    /// What is known of the contact's presence in this session.
    public let presence: ContactPresence
    /// The picture to show; ``ChatCore/picture(_:)`` has its bytes.
    public let picture: PictureHash?

    /// The name to show: the one that the user gave, else the address.
    public var displayName: String { name ?? jid.description }

    /// The same contact with the presence of this moment.
    func with(_ book: PresenceBook) -> Contact {
        Contact(
            id: id, name: name, groups: groups, subscription: subscription, isAsked: isAsked, isApproved: isApproved,
            presence: book.presence(of: jid, account: account), picture: picture)
    }
}

/// Somebody who asks to see our presence and waits for an answer.
public struct ContactRequest: Identifiable, Hashable, Sendable {
    /// Account and address.
    public let id: Contact.ID
    /// The bare address of the account.
    public var account: JID { id.account }
    /// The bare address of who asks.
    public var jid: JID { id.jid }
    /// The nickname that came with the request (XEP-0172); chosen by the other side, so no proof of anything.
    public let nickname: String?
    /// What the other side wrote; shown as text only.
    public let text: String?
    /// When it came first.
    public let received: Date
}

/// What happens to requests to see our presence.
public enum SubscriptionPolicy: String, Hashable, Sendable, CaseIterable {
    /// They wait in the inbox for an answer. The default.
    case ask
    /// Those of contacts that we asked ourselves, or already see, are accepted; the rest waits in the inbox.
    case acceptKnown
    /// All are accepted and asked back, ten in a minute at most; what is more waits in the inbox.
    case acceptAllAndAddBack
    /// Those of strangers are declined; those of contacts wait in the inbox.
    case rejectStrangers
}
