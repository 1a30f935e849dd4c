// SPDX-License-Identifier: Apache-2.0

/// Why somebody is blocked, for the people who run the server (XEP-0377 §4).
public struct AbuseReport: Sendable, Hashable {
    /// What it is about; the set is open.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// The name of the reason.
        public let rawValue: String
        /// Makes a reason.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Messages that nobody wants.
        public static let spam = Reason(rawValue: "urn:xmpp:reporting:spam")
        /// Anything else that people should not do to each other.
        public static let abuse = Reason(rawValue: "urn:xmpp:reporting:abuse")
    }

    /// What it is about.
    public var reason: Reason
    /// Words for people, nil without.
    public var text: String?
    /// The language of the words.
    public var language: String?
    /// The messages that it is about, by the identifiers of one's own archive.
    public var messages: [StanzaID]
    /// Whether the server may tell the server of the other side.
    public var permitsOrigin: Bool
    /// Whether the server may tell others, as services that collect such reports.
    public var permitsThirdParties: Bool

    /// Makes a report; nobody else is told unless that is permitted.
    public init(
        _ reason: Reason, text: String? = nil, language: String? = nil, messages: [StanzaID] = [],
        permitsOrigin: Bool = false, permitsThirdParties: Bool = false
    ) {
        self.reason = reason
        self.text = text
        self.language = language
        self.messages = messages
        self.permitsOrigin = permitsOrigin
        self.permitsThirdParties = permitsThirdParties
    }
}

extension AbuseReport: StanzaPayload {
    package static let namespace = "urn:xmpp:reporting:1"
    package static let name = XMLName("report", namespace)
    private static let textName = XMLName("text", namespace)
    private static let origin = XMLName("report-origin", namespace)
    private static let thirdParty = XMLName("third-party", namespace)

    /// XEP-0377 §4: the reason is required.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let reason = element.filled("reason") else { return nil }
        let text = element.children(Self.textName).first { !$0.text.trimmingXMLSpace.isEmpty }
        self.init(
            Reason(rawValue: reason), text: text?.text.trimmingXMLSpace,
            language: text?.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace"),
            messages: element.children(StanzaID.name).compactMap { StanzaID($0) },
            permitsOrigin: element.child(Self.origin) != nil,
            permitsThirdParties: element.child(Self.thirdParty) != nil)
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("reason", reason.rawValue)
            for message in messages { builder.child(message.element) }
            if let text {
                builder.open(Self.textName)
                builder.attribute("xml:lang", language)
                builder.text(text)
                builder.close()
            }
            if permitsOrigin { builder.child(Element(Self.origin)) }
            if permitsThirdParties { builder.child(Element(Self.thirdParty)) }
        }
    }
}
