// SPDX-License-Identifier: Apache-2.0

/// One contact of the list that the server keeps (RFC 6121 §2.1.2).
public struct RosterItem: Sendable, Hashable {
    /// Who sees whose presence (RFC 6121 §2.1.2.5).
    public enum SubscriptionState: String, Sendable, Hashable, CaseIterable, Codable {
        /// Neither sees the other.
        case none
        /// We see the contact.
        case to
        /// The contact sees us.
        case from
        /// Both see each other.
        case both
    }

    /// The address of the contact.
    public var jid: JID
    /// The name that the user gave the contact, nil without.
    public var name: String?
    /// The groups that the user put the contact in, in the server's order, none twice.
    public var groups: [String]
    /// Who sees whose presence; as the server says, never as we guess.
    public var subscription: SubscriptionState
    /// Whether a request of ours waits for the contact's answer (RFC 6121 §2.1.2.2).
    public var isRequested: Bool
    /// Whether a request of the contact would be granted at once (RFC 6121 §2.1.2.1).
    public var isApproved: Bool

    /// Makes an item.
    public init(
        jid: JID, name: String? = nil, groups: [String] = [], subscription: SubscriptionState = .none,
        isRequested: Bool = false, isApproved: Bool = false
    ) {
        self.jid = jid
        self.name = name
        self.groups = groups
        self.subscription = subscription
        self.isRequested = isRequested
        self.isApproved = isApproved
    }

    /// Whether we see the contact's presence.
    public var showsPresence: Bool { subscription == .to || subscription == .both }
    /// Whether the contact sees ours.
    public var seesPresence: Bool { subscription == .from || subscription == .both }
}

extension RosterItem: StanzaPayload {
    package static let name = XMLName("item", Roster.namespace)

    /// Reads what the server says; nil without a valid address, and for `remove`, which is no state of an item.
    ///
    /// A missing or unknown subscription is none (RFC 6121 §2.1.2.5), as is an `ask` that is not `subscribe`.
    package init?(_ element: Element) {
        guard let jid = element.address("jid"), !element.attributeEquals("subscription", "remove") else { return nil }
        var groups: [String] = []
        var known: Set<String> = []
        for group in element.children(Roster.group) {
            let name = group.text
            if !name.isEmpty, known.insert(name).inserted { groups.append(name) }
        }
        self.init(
            jid: jid, name: element.filled("name"), groups: groups,
            subscription: element["subscription"].flatMap(SubscriptionState.init(rawValue:)) ?? .none,
            isRequested: element.attributeEquals("ask", "subscribe"),
            isApproved: element.attributeEquals("approved", "true") || element.attributeEquals("approved", "1"))
    }

    /// The item as a client sends it: address, name and groups; the rest is the server's to say (RFC 6121 §2.1.2).
    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("jid", jid.description)
            if let name, !name.isEmpty { builder.attribute("name", name) }
            var known: Set<String> = []
            for group in groups where !group.isEmpty && known.insert(group).inserted {
                builder.child(Roster.group, text: group)
            }
        }
    }
}
