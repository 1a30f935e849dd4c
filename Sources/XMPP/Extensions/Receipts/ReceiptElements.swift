// SPDX-License-Identifier: Apache-2.0

/// Asks for a receipt (XEP-0184 §7).
package struct ReceiptRequest: StanzaPayload {
    package static let namespace = "urn:xmpp:receipts"
    package static let name = XMLName("request", namespace)
    package init() {}
    package init?(_ element: Element) {}
    package var element: Element { Element(Self.name) }
}

/// The receipt: the message of that id has arrived (XEP-0184 §7).
package struct Receipt: StanzaPayload {
    package static let name = XMLName("received", ReceiptRequest.namespace)
    package var id: String

    package init(id: String) { self.id = id }

    /// One without `id`, as in versions before 1.0, does not say what it is for.
    package init?(_ element: Element) {
        guard let id = element.filled("id") else { return nil }
        self.init(id: id)
    }

    package var element: Element { Element(Self.name, attributes: ["id": id]) }
}
