// SPDX-License-Identifier: Apache-2.0

/// An address of something outside of XMPP (XEP-0066 §3).
///
/// Nothing is fetched unasked.
public struct OutOfBandLink: Sendable, Hashable {
    /// The address.
    public let url: String
    /// What is there, in words for people.
    public let explanation: String?

    /// Makes a link.
    public init(url: String, explanation: String? = nil) {
        self.url = url
        self.explanation = explanation
    }
}

extension OutOfBandLink: StanzaPayload {
    package static let namespace = "jabber:x:oob"
    package static let name = XMLName("x", namespace)
    private static let urlName = XMLName("url", namespace)
    private static let explanationName = XMLName("desc", namespace)

    package init?(_ element: Element) {
        guard element.matches(Self.name), let url = element.childText(Self.urlName) else { return nil }
        self.init(url: url, explanation: element.childText(Self.explanationName))
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.child(Self.urlName, text: url)
            if let explanation { builder.child(Self.explanationName, text: explanation) }
        }
    }
}

extension Message {
    /// Addresses of things outside of XMPP (XEP-0066 §3).
    public var links: [OutOfBandLink] {
        get { payloads(OutOfBandLink.name).compactMap { OutOfBandLink($0) } }
        set {
            setPayload(OutOfBandLink.name, nil)
            for link in newValue { append(link.element) }
        }
    }

    /// The address of a file that the message stands for: its body is the same address and nothing else.
    ///
    /// That is how most programs send a file that they uploaded (XEP-0363).
    public var attachmentURL: String? {
        guard let body = body?.trimmingXMLSpace else { return nil }
        return links.first { $0.url == body }?.url
    }
}
