// SPDX-License-Identifier: Apache-2.0

/// Up to which message a conversation was displayed on one of the user's devices (XEP-0490).
///
/// It only ever moves forward: a state whose message is not in the conversation, or lies before the one that is known, is
/// to be ignored (§4.1).
public struct DisplayedState: Sendable, Hashable {
    /// The node that the states stand in.
    public static let node = "urn:xmpp:mds:displayed:0"
    /// Announced by a server that takes the state along with a displayed marker (§3.5).
    public static let assistFeature = "urn:xmpp:mds:server-assist:0"

    /// The conversation: a contact, a room, or an occupant for private messages of a room.
    public let conversation: JID
    /// The last message that was displayed, by the identifier of the account, or of the room.
    public let message: StanzaID

    /// Makes a state.
    public init(conversation: JID, message: StanzaID) {
        self.conversation = conversation
        self.message = message
    }
}

/// The element of a state; the conversation is the item's identifier (XEP-0490 §3.1).
struct DisplayedElement: NodePayload {
    static let name = XMLName("displayed", DisplayedState.node)
    var message: StanzaID

    init(_ message: StanzaID) { self.message = message }

    /// §3.1: exactly one identifier.
    init?(_ element: Element) {
        guard element.matches(Self.name), let id = element.onlyChild(StanzaID.name).flatMap({ StanzaID($0) }) else {
            return nil
        }
        self.init(id)
    }

    var element: Element { Element(Self.name, children: [message.element]) }
}

extension DisplayedState {
    /// T143: an item whose identifier is no address is none; nor is one whose message got its identifier elsewhere.
    init?(_ item: NodeItem<DisplayedElement>, account: JID) {
        guard let conversation = try? JID(item.id), conversation.local != nil || conversation.isBare else { return nil }
        let by = item.payload.message.by
        guard by == account.bare || by == conversation.bare else { return nil }
        self.init(conversation: conversation, message: item.payload.message)
    }
}

extension NodeEvent {
    /// The states that another device of the account published; none when anybody else sent the event (T121).
    /// - Parameter account: One's own address.
    public func displayedStates(for account: JID) -> [DisplayedState] {
        guard node == DisplayedState.node, isOwn(account) else { return [] }
        return items(as: DisplayedElement.self).compactMap { DisplayedState($0, account: account) }
    }
}

extension Message {
    /// Takes the state along with a displayed marker to a contact's bare address, for a server that announces
    /// ``DisplayedState/assistFeature`` (XEP-0490 §3.5); it takes the state out before it passes the marker on.
    ///
    /// Never set it without that feature: the contact would get it.
    public mutating func setDisplayedState(_ message: StanzaID?) {
        setPayload(DisplayedElement.name, message.map { DisplayedElement($0).element })
    }
}

extension XMPPSession {
    /// Up to where each conversation was displayed on the account's devices (XEP-0490 §3.3).
    ///
    /// Fetch it after each login. Throws ``XMPPError``; cancelling ends the wait.
    public func fetchDisplayedStates() async throws -> [DisplayedState] {
        guard let own = jid else { throw XMPPError(.notConnected, "the session is not online", isRetryable: true) }
        do {
            return try await pubSub().items(of: DisplayedState.node, as: DisplayedElement.self)
                .compactMap { DisplayedState($0, account: own) }
        } catch let error as XMPPError where error.stanzaError?.condition == .itemNotFound { return [] }
    }

    /// Tells the account's other devices up to where a conversation was displayed (XEP-0490 §3.2).
    ///
    /// Throws ``XMPPError``, with ``XMPPError/Code/notPrivate`` when the server cannot keep it to the account: nothing was
    /// stored then. Cancelling ends the wait, not the change.
    public func setDisplayed(_ state: DisplayedState) async throws {
        try await pubSub().publishPrivately(
            DisplayedElement(state.message), id: state.conversation.description, to: DisplayedState.node)
    }
}
