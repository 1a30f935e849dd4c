// SPDX-License-Identifier: Apache-2.0

/// What one keeps about a contact for oneself (XEP-0292 §6): nobody else sees it, the contact neither.
public struct ContactCard: Sendable, Hashable {
    /// The node that has them; ask for its changes with ``PubSubModule``.
    public static let node = "urn:xmpp:contacts"

    /// The contact: a bare address.
    public let jid: JID
    /// What one keeps.
    public let card: VCard

    /// Makes a card about a contact.
    public init(jid: JID, card: VCard) {
        self.jid = jid.bare
        self.card = card
    }

    /// The name of an item is the contact's address (§6.2); a card about anything else is none.
    init?(_ item: NodeItem<Element>) {
        guard let jid = try? JID(item.id), jid.isBare, let card = VCardCoding(.vCard4).card(item.payload) else {
            return nil
        }
        self.init(jid: jid, card: card)
    }
}

extension NodeEvent {
    /// The cards about contacts that another device changed; empty unless one's own account tells (T142).
    /// - Parameter account: One's own address.
    public func contactCards(for account: JID) -> [ContactCard] {
        guard node == ContactCard.node, isOwn(account) else { return [] }
        return items(as: Element.self).compactMap { ContactCard($0) }
    }
}

extension XMPPSession {
    /// What one keeps about contacts, all of it (XEP-0292 §6.2).
    ///
    /// Throws ``XMPPError`` as ``request(_:timeout:)`` does. Cancelling ends the wait.
    public func fetchContactCards() async throws -> [ContactCard] {
        do {
            return try await pubSub().items(of: ContactCard.node, as: Element.self).compactMap { ContactCard($0) }
        } catch let error as XMPPError where error.stanzaError?.condition == .itemNotFound { return [] }
    }

    /// Changes what one keeps about a contact, so that nobody else can see it (XEP-0292 §6.2, XEP-0223).
    ///
    /// As ``updateVCard(format:audience:_:)``: what the card says beyond ``VCard`` stays. Throws ``XMPPError``, with
    /// `notPrivate` when the server cannot keep it to the account, and whatever `change` throws; nothing is stored then.
    /// - Parameters:
    ///   - jid: The contact: a resource is left out.
    ///   - change: What to change. A card that does not exist yet is empty.
    @discardableResult
    public func updateContactCard(
        of jid: JID, _ change: @Sendable (inout VCard) throws -> Void
    ) async throws -> ContactCard {
        let coding = VCardCoding(.vCard4)
        let id = jid.bare.description
        let original = try await fetchPersonalItem(ContactCard.node, id: id)?.payload
        let before = original.flatMap { coding.card($0) } ?? VCard()
        var card = before
        try change(&card)
        guard card != before else { return ContactCard(jid: jid, card: card) }
        let element = coding.element(card, over: original)
        try Self.checkSize(element)
        try await pubSub().publishPrivately(element, id: id, to: ContactCard.node)
        return ContactCard(jid: jid, card: card)
    }

    /// Forgets what one kept about a contact; nothing is no error.
    public func removeContactCard(of jid: JID) async throws {
        do {
            try await pubSub().retract(jid.bare.description, from: ContactCard.node)
        } catch let error as XMPPError where error.stanzaError?.condition == .itemNotFound {
            // Nothing was kept.
        }
    }
}
