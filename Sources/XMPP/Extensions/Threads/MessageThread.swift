// SPDX-License-Identifier: Apache-2.0

/// The thread that a message belongs to (XEP-0201 §3, RFC 6121 §5.2.5).
public struct MessageThread: Sendable, Hashable {
    /// The identifier, opaque.
    public let id: String
    /// The thread that this one came out of.
    public let parent: String?

    /// Makes a thread.
    public init(id: String, parent: String? = nil) {
        self.id = id
        self.parent = parent
    }
}

extension MessageThread: StanzaPayload {
    package static let name = XMLName.thread

    package init?(_ element: Element) {
        let id = element.text.trimmingXMLSpace
        guard element.matches(Self.name), !id.isEmpty else { return nil }
        self.init(id: id, parent: element.filled("parent"))
    }

    package var element: Element { Element(Self.name, attributes: ["parent": parent], text: id) }
}

extension Message {
    /// The thread with its parent; ``thread`` is the identifier alone.
    public var conversationThread: MessageThread? {
        get { payload(MessageThread.self) }
        set { set(MessageThread.self, newValue) }
    }
}
