// SPDX-License-Identifier: Apache-2.0

/// An info/query stanza: a request, or the one reply to it (RFC 6120 §8.2.3).
public struct IQ: Sendable {
    /// What the stanza is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Asks for information.
        case get
        /// Asks for a change.
        case set
        /// The answer to a request that worked.
        case result
        /// The answer to a request that did not; ``IQ/error`` says why.
        case error
    }

    /// The address that it goes to; nil stands for one's own account, answered by the server.
    public var to: JID?
    /// The address that it came from; nil stands for one's own account.
    public var from: JID?
    /// The identifier that joins reply and request; the session fills it in when nil.
    public var id: String?
    /// What the stanza is.
    public var kind: Kind
    private var content: StanzaContent

    /// Makes a request with one payload.
    public init(_ kind: Kind, to: JID? = nil, id: String? = nil, payload: Element? = nil) {
        self.kind = kind
        self.to = to
        self.id = id
        content = StanzaContent(payload.map { [$0] } ?? [])
    }

    package init(received stanza: Element, header: StanzaHeader, kind: Kind) {
        to = header.to
        from = header.from
        id = header.id
        self.kind = kind
        content = StanzaContent(received: stanza)
    }

    /// The reply that says the request worked.
    public func result(_ payload: Element? = nil) -> IQ {
        IQ(.result, to: from, id: id, payload: payload)
    }

    /// The reply that says the request did not work.
    public func failure(_ error: StanzaError) -> IQ {
        IQ(.error, to: from, id: id, payload: error.element)
    }
}

extension IQ {
    /// The first child element that is no `<error/>`: the payload.
    public var payload: Element? {
        if let received = content.received { return received.children.first { !$0.matches(.error) } }
        return content.payloads.first { !$0.matches(.error) }
    }

    /// Why the request did not work; nil unless ``kind`` is ``Kind/error``.
    public var error: StanzaError? { kind == .error ? StanzaError(inChildrenOf: content) : nil }

    /// How many child elements there are; a request has exactly one (RFC 6120 §8.2.3).
    package var payloadCount: Int { content.payloads.count }

    /// The element this stanza was read from, nil when it was built in code.
    package var receivedElement: Element? { content.received }

    /// Appends the stanza to a writer; nothing stays there if a text holds a character that XML forbids.
    package func write(to writer: inout XMLWriter) throws(XMLError) {
        writer.raw("<iq")
        try writer.stanzaAttributes(to: to, from: from, id: id, language: nil)
        switch kind {
        case .get: writer.raw(" type=\"get\">")
        case .set: writer.raw(" type=\"set\">")
        case .result: writer.raw(" type=\"result\">")
        case .error: writer.raw(" type=\"error\">")
        }
        try content.write(to: &writer)
        writer.raw("</iq>")
    }
}
