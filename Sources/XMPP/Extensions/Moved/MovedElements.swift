// SPDX-License-Identifier: Apache-2.0

/// The names of XEP-0283.
enum Moved {
    static let namespace = "urn:xmpp:moved:1"
    static let newAddress = XMLName("new-jid", namespace)
    static let oldAddress = XMLName("old-jid", namespace)

    /// The bare address in a child.
    static func address(_ name: XMLName, in element: Element) -> JID? {
        guard let text = element.onlyChild(name)?.text.trimmingXMLSpace, let jid = try? JID(text), jid.isBare else {
            return nil
        }
        return jid
    }
}

/// What somebody publishes on an account that they have left (XEP-0283 §4.1).
package struct MovedStatement: StanzaPayload {
    package static let name = XMLName("moved", Moved.namespace)
    package var newAddress: JID

    package init(newAddress: JID) { self.newAddress = newAddress.bare }

    package init?(_ element: Element) {
        guard element.matches(Self.name), let jid = Moved.address(Moved.newAddress, in: element) else { return nil }
        newAddress = jid
    }

    package var element: Element {
        Element(Self.name, children: [Element(Moved.newAddress, text: newAddress.description)])
    }
}

/// What somebody says with a request from their new account (XEP-0283 §4.2).
package struct MovedNotice: StanzaPayload {
    package static let name = XMLName("moved", Moved.namespace)
    package var oldAddress: JID

    package init(oldAddress: JID) { self.oldAddress = oldAddress.bare }

    package init?(_ element: Element) {
        guard element.matches(Self.name), let jid = Moved.address(Moved.oldAddress, in: element) else { return nil }
        oldAddress = jid
    }

    package var element: Element {
        Element(Self.name, children: [Element(Moved.oldAddress, text: oldAddress.description)])
    }
}
