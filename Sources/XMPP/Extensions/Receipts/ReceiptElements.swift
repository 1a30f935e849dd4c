// SPDX-License-Identifier: Apache-2.0

/// Asks for a receipt (XEP-0184 §7).
package struct ReceiptRequest: EmptyPayload {
    package static let namespace = "urn:xmpp:receipts"
    package static let name = XMLName("request", namespace)
    package init() {}
}

/// The receipt: the message of that id has arrived (XEP-0184 §7).
///
/// One without `id`, as in versions before 1.0, does not say what it is for.
package struct Receipt: IdentifierPayload {
    package static let name = XMLName("received", ReceiptRequest.namespace)
    package var id: String

    package init(id: String) { self.id = id }
}
