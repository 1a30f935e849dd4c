// SPDX-License-Identifier: Apache-2.0

/// A presence stanza: whether an address can be reached, or a step of the subscription to know it (RFC 6121 §3, §4).
public struct Presence: Sendable {
    /// What the stanza says (RFC 6121 §4.7.1); no value at all on the wire is ``available``.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The resource can be reached.
        case available
        /// The resource can no longer be reached.
        case unavailable
        /// Asks to see the presence of the other side.
        case subscribe
        /// Grants that.
        case subscribed
        /// Gives up seeing the presence of the other side.
        case unsubscribe
        /// Refuses, or takes back the grant.
        case unsubscribed
        /// Asks for the current presence; sent by servers.
        case probe
        /// A presence of ours came back. ``Presence/error`` says why.
        case error
    }

    /// How reachable an available resource is (RFC 6121 §4.7.2.1).
    public enum Show: String, Sendable, Hashable, CaseIterable {
        /// Interested in chatting.
        case chat
        /// Away for a short time.
        case away
        /// Away for a long time ("extended away").
        case extendedAway = "xa"
        /// Busy: do not disturb.
        case doNotDisturb = "dnd"
    }

    /// The address that it goes to; nil broadcasts it to all who subscribed.
    public var to: JID?
    /// The address that it came from.
    public var from: JID?
    /// The identifier that the sender gave it.
    public var id: String?
    /// What the stanza says.
    public var kind: Kind
    /// The language of the status.
    public var language: String?
    private var content: StanzaContent

    /// Makes a presence to send.
    ///
    /// `show` and `priority` are left out unless the kind is ``Kind/available`` (RFC 6121 §4.5.1).
    public init(
        _ kind: Kind = .available, to: JID? = nil, show: Show? = nil, status: String? = nil, priority: Int8 = 0,
        payloads: [Element] = []
    ) {
        self.kind = kind
        self.to = to
        var children: [Element] = []
        if kind == .available, let show { children.append(Element(.show, text: show.rawValue)) }
        if let status { children.append(Element(.status, text: status)) }
        if kind == .available, priority != 0 { children.append(Element(.priority, text: String(priority))) }
        content = StanzaContent(children + payloads)
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

extension Presence {
    /// How reachable the resource is; an unknown or empty value reads as plainly available (RFC 6121 §4.7.2.1).
    public var show: Show? {
        guard kind == .available, let text = payload(.show)?.text else { return nil }
        return Show(rawValue: text.trimmingXMLSpace)
    }

    /// A text that explains the availability.
    public var status: String? { payload(.status)?.text }

    /// The priority of the resource, -128 to 127; a value that is no such number reads as 0 (RFC 6121 §4.7.2.3).
    public var priority: Int8 {
        guard kind == .available, let text = payload(.priority)?.text else { return 0 }
        return Int8(text.trimmingXMLSpace) ?? 0
    }

    /// Why the presence came back; nil unless ``kind`` is ``Kind/error``.
    public var error: StanzaError? { kind == .error ? StanzaError(inChildrenOf: content) : nil }

    /// The child elements, in order: the escape hatch for extensions of your own.
    public var payloads: [Element] {
        get { content.payloads }
        set { content.payloads = newValue }
    }

    /// The first child element of that name.
    public func payload(_ name: XMLName) -> Element? { content.first(name) }

    /// Adds a child element at the end.
    public mutating func append(_ payload: Element) { content.append(payload) }

    /// Puts one child element in the place of all of that name, or takes them out.
    public mutating func setPayload(_ name: XMLName, _ payload: Element?) { content.set(name, to: payload) }

    /// The element this presence was read from, nil when it was built or changed in code.
    package var receivedElement: Element? { content.received }

    /// Appends the stanza to a writer; nothing stays there if a text holds a character that XML forbids.
    package func write(to writer: inout XMLWriter) throws(XMLError) {
        writer.raw("<presence")
        try writer.stanzaAttributes(to: to, from: from, id: id, language: language)
        if kind != .available {
            writer.raw(" type=\"")
            try writer.value(kind.rawValue)
            writer.raw("\"")
        }
        writer.raw(">")
        try content.write(to: &writer)
        writer.raw("</presence>")
    }
}

extension String {
    /// The text without white space as XML defines it at both ends.
    package var trimmingXMLSpace: String {
        let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        var bytes = utf8[...]
        while let first = bytes.first, space.contains(first) { bytes.removeFirst() }
        while let last = bytes.last, space.contains(last) { bytes.removeLast() }
        return String(bytes) ?? self
    }
}
