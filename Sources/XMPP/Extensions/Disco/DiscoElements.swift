// SPDX-License-Identifier: Apache-2.0

/// The names of XEP-0030.
package enum Disco {
    package static let infoNamespace = "http://jabber.org/protocol/disco#info"
    package static let itemsNamespace = "http://jabber.org/protocol/disco#items"
    static let info = XMLName("query", infoNamespace)
    static let items = XMLName("query", itemsNamespace)
    static let feature = XMLName("feature", infoNamespace)
}

extension DiscoIdentity: StanzaPayload {
    package static let name = XMLName("identity", Disco.infoNamespace)

    /// XEP-0030 §3.1: category and type are required.
    package init?(_ element: Element) {
        guard let category = element.filled("category"), let type = element.filled("type") else { return nil }
        self.init(
            category: category, type: type, name: element.filled("name"),
            language: element.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace"))
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("category", category)
            builder.attribute("type", type)
            builder.attribute("name", name)
            builder.attribute("xml:lang", language)
        }
    }
}

extension DiscoInfo: StanzaPayload {
    package static let name = Disco.info

    /// Identities and features that cannot be read are left out.
    package init?(_ element: Element) {
        guard element.matches(Disco.info) else { return nil }
        self.init(
            node: element.filled("node"),
            identities: element.children(DiscoIdentity.name).compactMap { DiscoIdentity($0) },
            features: Set(element.children(Disco.feature).compactMap { $0.filled("var") }),
            forms: element.children(DataForm.name).compactMap { DataForm($0) })
    }

    package var element: Element {
        Element(Disco.info) { builder in
            builder.attribute("node", node)
            for identity in identities { builder.child(identity.element) }
            for feature in features.sorted() { builder.child(Element(Disco.feature, attributes: ["var": feature])) }
            for form in forms { builder.child(form.element) }
        }
    }
}

extension DiscoItem: StanzaPayload {
    package static let name = XMLName("item", Disco.itemsNamespace)

    package init?(_ element: Element) {
        guard let jid = element.address("jid") else { return nil }
        self.init(jid: jid, node: element.filled("node"), name: element.filled("name"))
    }

    package var element: Element {
        Element(Self.name, attributes: ["jid": jid.description, "node": node, "name": name])
    }
}
