// SPDX-License-Identifier: Apache-2.0

extension XMPPSession {
    /// The most bytes of a card that is published; many servers close the stream for more.
    private static let maximumCardBytes = 200_000

    /// Fetches what somebody tells about themselves (XEP-0054 §3.1, §3.3; XEP-0292 §4.1).
    ///
    /// Nil when there is no card, whichever way the server says that, and also when there is no such account: servers
    /// do not tell those apart. Throws ``XMPPError`` as ``request(_:timeout:)`` does. Cancelling ends the wait.
    /// - Parameters:
    ///   - jid: Whose card: the resource is left out. Nil for one's own.
    ///   - format: Which of the two cards.
    public func fetchVCard(of jid: JID? = nil, format: VCard.Format = .temporary) async throws -> VCard? {
        let address = jid.flatMap { $0.isSameBare(as: account.jid) ? nil : $0.bare }
        guard let element = try await fetchCardElement(of: address, format) else { return nil }
        return VCardCoding(format).card(element)
    }

    /// Fetches the card of an occupant of a room, through the room (XEP-0045 §7.3).
    ///
    /// As ``fetchVCard(of:format:)``; rooms do not pass on the newer format.
    public func fetchVCard(ofOccupant jid: JID) async throws -> VCard? {
        try await fetchCardElement(of: jid, .temporary).flatMap { VCardCoding(.temporary).card($0) }
    }

    /// Changes one's own card (XEP-0054 §3.2, XEP-0292 §4.1).
    ///
    /// Fetches it, lets `change` work on it, and publishes the whole of it again: what the card says beyond ``VCard``, and
    /// what cannot be read, stays as it was. Where nothing changes nothing is sent. Two programs that change it at once
    /// overwrite each other. Gives the card as it is now.
    ///
    /// Throws ``XMPPError``: `invalidArgument` when the card has more than 200 kB, else as ``request(_:timeout:)`` does,
    /// and whatever `change` throws; nothing is published then. Nothing is tried again. Cancelling ends the wait.
    /// - Parameters:
    ///   - format: Which of the two cards. Some servers keep them alike.
    ///   - audience: Who may see the newer format; everybody can always read the old one. Defaults to everybody.
    ///   - change: What to change. A card that does not exist yet is empty.
    @discardableResult
    public func updateVCard(
        format: VCard.Format = .temporary, audience: Audience = .everybody,
        _ change: @Sendable (inout VCard) throws -> Void
    ) async throws -> VCard {
        let coding = VCardCoding(format)
        let original = try await fetchCardElement(of: nil, format)
        let before = original.flatMap { coding.card($0) } ?? VCard()
        var card = before
        try change(&card)
        guard card != before else { return card }
        let element = coding.element(card, over: original)
        try Self.checkSize(element)
        switch format {
        case .temporary: _ = try await set(element)
        case .vCard4:
            try await publishPersonalItem(VCard4Names.node, id: "current", element, audience: audience)
        }
        return card
    }

    static func checkSize(_ card: Element) throws {
        guard card.byteCount <= maximumCardBytes else {
            throw XMPPError(
                .invalidArgument,
                "a card of \(card.byteCount) bytes is more than servers take; choose a smaller picture")
        }
    }

    /// The card as it came; nil when there is none (B91, OF37).
    func fetchCardElement(of jid: JID?, _ format: VCard.Format) async throws -> Element? {
        let element: Element?
        switch format {
        case .vCard4:
            element = try await fetchPersonalItem(VCard4Names.node, of: jid)?.payload
        case .temporary:
            do {
                element = try await get(Element(VCardNames.card), to: jid).payload
            } catch let error as XMPPError {
                switch error.stanzaError?.condition {
                case .itemNotFound, .serviceUnavailable: return nil
                default: throw error
                }
            }
        }
        guard let element, !element.children.isEmpty else { return nil }
        guard element.matches(VCardCoding(format).root) else {
            throw XMPPError(.invalidReply, "the answer is no card")
        }
        return element
    }
}

/// Announces cards of the old format, and asks for changes of the newer one (XEP-0054 §4, XEP-0292 §4.2).
public struct VCardModule: SessionModule {
    private let notifies: Bool

    /// Makes the module.
    /// - Parameter notifies: Whether to be told when contacts change a card of the newer format.
    ///   Defaults to false.
    public init(notifies: Bool = false) { self.notifies = notifies }

    /// `vcard-temp`, and `urn:xmpp:vcard4+notify` if that is wanted.
    public var features: [String] {
        [VCardNames.namespace] + (notifies ? [VCard4Names.node + "+notify"] : [])
    }
}

extension NodeEvent {
    /// Whose card of the newer format changed, as the event tells; nil when it tells of none (XEP-0292 §4.2).
    ///
    /// The card itself is to be fetched. Nobody but the account itself can tell (T143).
    /// - Parameter own: One's own address.
    public func vCardChange(own: JID) -> JID? { account(publishing: VCard4Names.node, own: own) }
}
