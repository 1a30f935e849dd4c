// SPDX-License-Identifier: Apache-2.0

/// Which message another one answers (XEP-0461 §3).
public struct Reply: Sendable, Hashable {
    /// The message that is answered, by ``Message/replyID``.
    public let id: String
    /// Who wrote that, as the one who answers says; nil when it does not.
    public let author: JID?

    /// Makes a reference.
    public init(to id: String, author: JID? = nil) {
        self.id = id
        self.author = author
    }
}

extension Reply: StanzaPayload {
    package static let namespace = "urn:xmpp:reply:0"
    package static let name = XMLName("reply", namespace)

    package init?(_ element: Element) {
        guard element.matches(Self.name), let id = element.filled("id") else { return nil }
        self.init(to: id, author: element.address("to"))
    }

    package var element: Element {
        Element(Self.name, attributes: ["id": id, "to": author?.description])
    }
}

extension Message {
    /// Which message this one answers; nil when it does not say (XEP-0461 §3).
    public var reply: Reply? {
        get { kind == .error ? nil : payload(Reply.self) }
        set { set(Reply.self, newValue) }
    }

    /// The identifier by which a message is answered; nil for one that cannot be.
    ///
    /// In a room it is the one that the room gave, otherwise the sender's own (XEP-0461 §4.1).
    public var replyID: String? {
        if kind == .groupchat { return from.flatMap { stanzaID(by: $0.bare) } }
        return originID ?? id
    }

    /// Makes this message an answer to another, with its text in front for programs that know no answers (XEP-0461 §3.1).
    ///
    /// Set the body first. Throws nothing; a message that cannot be answered changes nothing and gives false.
    /// - Parameters:
    ///   - original: The message that is answered.
    ///   - quoting: Whether its text is put in front. Defaults to true.
    @discardableResult
    public mutating func setReply(to original: Message, quoting: Bool = true) -> Bool {
        guard let id = original.replyID else { return false }
        reply = Reply(to: id, author: original.from)
        guard quoting, let text = original.bodyWithoutFallback(for: [Reply.namespace]), !text.isEmpty, let body else {
            return true
        }
        let quote = text.split(separator: "\n", omittingEmptySubsequences: false).map { "> \($0)\n" }.joined()
        self.body = quote + body
        fallbacks.append(Fallback(for: Reply.namespace, body: [.init(0..<quote.unicodeScalars.count)]))
        return true
    }
}

/// Announces answers (XEP-0461 §2).
public struct RepliesModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:reply:0`.
    public var features: [String] { [Reply.namespace] }
}
