// SPDX-License-Identifier: Apache-2.0

/// What the other side does in a conversation (XEP-0085 §2).
public enum ChatState: String, Sendable, Hashable, CaseIterable {
    /// Pays attention to it.
    case active
    /// Writes.
    case composing
    /// Began to write and stopped for now.
    case paused
    /// Has not looked at it for a while.
    case inactive
    /// Has closed it.
    case gone
}

extension ChatState: StanzaPayload {
    package static let namespace = "http://jabber.org/protocol/chatstates"
    /// The name that stands for all five.
    package static let name = XMLName("active", namespace)
    private static let names = allCases.map { (XMLName($0.rawValue, namespace), $0) }

    package init?(_ element: Element) {
        guard let state = Self.names.first(where: { element.matches($0.0) })?.1 else { return nil }
        self = state
    }

    package var element: Element { Element(XMLName(rawValue, Self.namespace)) }

    /// All states that stand in a message; more than one is against XEP-0085 §5.6.
    fileprivate static func all(in message: Message) -> [ChatState] {
        names.compactMap { message.payload($0.0) == nil ? nil : $0.1 }
    }

    fileprivate static func remove(from message: inout Message) {
        for (name, _) in names where message.payload(name) != nil { message.setPayload(name, nil) }
    }
}

extension Message {
    /// What the sender does now (XEP-0085); nil when the message does not say, says two things, or bounced.
    ///
    /// It is nil for a message that was held back, too: what somebody did hours ago is no news. The body counts all the
    /// same. A message that carries nothing but a state is no reason to open a conversation.
    public var chatState: ChatState? {
        get {
            let found = ChatState.all(in: self)
            guard found.count == 1, kind != .error, delay == nil else { return nil }
            return found[0]
        }
        set {
            ChatState.remove(from: &self)
            if let newValue { append(newValue.element) }
        }
    }

    /// A message that carries a state and nothing else (XEP-0085 §5.1).
    ///
    /// Send it only to somebody who asked for states by sending one, or whose program announces them (§5.1).
    public static func chatState(_ state: ChatState, to address: JID, thread: String? = nil) -> Message {
        var message = Message(to: address, kind: .chat, payloads: [state.element])
        message.thread = thread
        return message
    }
}

/// Announces chat states (XEP-0085 §4).
public struct ChatStatesModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `http://jabber.org/protocol/chatstates`.
    public var features: [String] { [ChatState.namespace] }
}
