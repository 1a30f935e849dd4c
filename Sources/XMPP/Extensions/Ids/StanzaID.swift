// SPDX-License-Identifier: Apache-2.0

/// An identifier that somebody on the way gave a message: unique for whoever gave it, and never changed (XEP-0359 §2.1).
public struct StanzaID: Sendable, Hashable {
    /// The identifier, opaque.
    public let id: String
    /// Who gave it: the account's bare address for one-to-one messages, the room for those of a room (§3).
    public let by: JID

    /// Makes an identifier.
    public init(id: String, by: JID) {
        self.id = id
        self.by = by
    }
}

extension StanzaID: StanzaPayload {
    package static let namespace = "urn:xmpp:sid:0"
    package static let name = XMLName("stanza-id", namespace)

    /// XEP-0359 §3: both attributes are there; content is forbidden, but harmless.
    package init?(_ element: Element) {
        guard let id = element.filled("id"), let by = element.address("by") else { return nil }
        self.init(id: id, by: by)
    }

    package var element: Element { Element(Self.name, attributes: ["id": id, "by": by.description]) }
}

/// The identifier that the sender's own program gave a message (XEP-0359 §2.2).
package struct OriginID: IdentifierPayload {
    package static let name = XMLName("origin-id", StanzaID.namespace)
    package var id: String

    package init(id: String) { self.id = id }
}
