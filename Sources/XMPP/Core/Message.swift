// SPDX-License-Identifier: Apache-2.0

/// A message stanza: something pushed from one address to another (RFC 6121 §5).
///
/// A message knows the parts that RFC 6121 defines. What extensions add is read and written by the typed
/// properties that each extension declares in its own folder; ``payloads`` is the way in for extensions of your own.
public struct Message: Sendable {
    /// What a message is for (RFC 6121 §5.2.2).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Part of a conversation between two people.
        case chat
        /// A single message outside of a conversation; also what an unknown or absent type is read as.
        case normal
        /// An alert that nobody is expected to answer.
        case headline
        /// A message of a room.
        case groupchat
        /// A message of ours that came back. ``Message/error`` says why.
        case error
    }

    /// The address that the message goes to; nil stands for one's own account.
    public var to: JID?
    /// The address that the message came from, as the server stamped it; nil stands for one's own account.
    public var from: JID?
    /// The identifier that the sender gave it.
    public var id: String?
    /// What the message is for.
    public var kind: Kind
    /// The language of its texts (`xml:lang`, RFC 6120 §8.1.5).
    public var language: String?

    /// The body of a message that is built here: written straight to the wire, never an element.
    private var builtBody: String?
    private var content: StanzaContent

    /// Makes a message to send.
    public init(to: JID?, kind: Kind = .normal, id: String? = nil, body: String? = nil, payloads: [Element] = []) {
        self.to = to
        self.kind = kind
        self.id = id
        builtBody = body
        content = StanzaContent(payloads)
    }

    /// Makes a chat message with a text.
    public static func chat(to: JID?, _ body: String, id: String? = nil) -> Message {
        Message(to: to, kind: .chat, id: id, body: body)
    }

    package init(received stanza: Element, header: StanzaHeader, kind: Kind) {
        to = header.to
        from = header.from
        id = header.id
        language = stanza.language
        self.kind = kind
        content = StanzaContent(received: stanza)
    }
}

extension Message {
    /// The text of the message: the body without a language of its own if there is one, else the first.
    ///
    /// It is nil for a message of kind ``Kind/error``: a message that bounced is no text from anybody (RFC 6121 §5.2.2);
    /// see ``bouncedBody``.
    public var body: String? {
        get { kind == .error ? nil : text(.body, in: nil) }
        set { setBody(newValue) }
    }

    /// The text that was in a message of ours which came back as an error, where the other side repeated it.
    public var bouncedBody: String? { kind == .error ? text(.body, in: nil) : nil }

    /// The text in a language, by the prefix rule of RFC 4647 §3.3.1; falls back to ``body`` (RFC 6121 §5.2.3).
    public func body(in language: String) -> String? { kind == .error ? nil : text(.body, in: language) }

    /// The subject of the message (RFC 6121 §5.2.4).
    public var subject: String? {
        get { text(.subject, in: nil) }
        set { setPayload(.subject, newValue.map { Element(.subject, text: $0) }) }
    }

    /// The identifier of the conversation thread (RFC 6121 §5.2.5, XEP-0201).
    public var thread: String? {
        get { payload(.thread)?.text }
        set { setPayload(.thread, newValue.map { Element(.thread, text: $0) }) }
    }

    /// Why the message came back; nil unless ``kind`` is ``Kind/error``.
    public var error: StanzaError? { kind == .error ? StanzaError(inChildrenOf: content) : nil }

    /// The child elements, in order: the escape hatch for extensions of your own.
    public var payloads: [Element] {
        get {
            guard let builtBody else { return content.payloads }
            return [Element(.body, text: builtBody)] + content.payloads
        }
        set {
            builtBody = nil
            content.payloads = newValue
        }
    }

    /// The first child element of that name.
    public func payload(_ name: XMLName) -> Element? {
        if let builtBody, name == .body { return Element(.body, text: builtBody) }
        return content.first(name)
    }

    /// All child elements of that name.
    public func payloads(_ name: XMLName) -> [Element] {
        if let builtBody, name == .body { return [Element(.body, text: builtBody)] }
        return content.all(name)
    }

    /// Adds a child element at the end.
    public mutating func append(_ payload: Element) { content.append(payload) }

    /// Puts one child element in the place of all of that name, or takes them out.
    public mutating func setPayload(_ name: XMLName, _ payload: Element?) {
        if name == .body { builtBody = nil }
        content.set(name, to: payload)
    }

    /// An attribute of the stanza that no specification knows; its name is fixed in the code and no part of any input.
    package func foreignAttribute(_ name: String) -> String? { content.foreignAttribute(name) }

    package mutating func setForeignAttribute(_ name: String, _ value: String?) {
        content.setForeignAttribute(name, value)
    }

    /// The element this message was read from, nil when it was built or changed in code.
    package var receivedElement: Element? { builtBody == nil ? content.received : nil }

    private mutating func setBody(_ text: String?) {
        if content.first(.body) != nil { content.set(.body, to: nil) }
        builtBody = text
    }

    private func text(_ name: XMLName, in wanted: String?) -> String? {
        if let builtBody, name == .body { return builtBody }
        guard let first = content.first(name) else { return nil }
        // Nearly every message has one body, without a language: that one needs no list.
        if wanted == nil, Message.ownLanguage(of: first) == nil { return first.text }
        var own: Element?
        for candidate in content.all(name) {
            let its = Message.ownLanguage(of: candidate)
            if let wanted, let tag = its ?? language, Message.matches(tag, wanted) { return candidate.text }
            if own == nil, its == nil || its == language { own = candidate }
        }
        return (own ?? first).text
    }

    /// The language that an element declares itself.
    private static func ownLanguage(of element: Element) -> String? {
        element.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace")
    }

    /// Basic filtering of language tags, RFC 4647 §3.3.1.
    private static func matches(_ tag: String, _ range: String) -> Bool {
        let tag = tag.lowercased()
        let range = range.lowercased()
        return tag == range || tag.hasPrefix(range + "-")
    }
}

extension Message {
    /// Appends the stanza to a writer; nothing stays there if a text holds a character that XML forbids.
    package func write(to writer: inout XMLWriter) throws(XMLError) {
        writer.raw("<message")
        try writer.stanzaAttributes(to: to, from: from, id: id, language: language)
        switch kind {
        case .chat: writer.raw(" type=\"chat\"")
        case .normal: break
        case .headline: writer.raw(" type=\"headline\"")
        case .groupchat: writer.raw(" type=\"groupchat\"")
        case .error: writer.raw(" type=\"error\"")
        }
        try content.writeForeignAttributes(to: &writer)
        writer.raw(">")
        if let builtBody {
            writer.raw("<body>")
            try writer.text(builtBody)
            writer.raw("</body>")
        }
        try content.write(to: &writer)
        writer.raw("</message>")
    }
}
