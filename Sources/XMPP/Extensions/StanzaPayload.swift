// SPDX-License-Identifier: Apache-2.0

/// A payload of a stanza as a value: strict to read, exact to write.
///
/// One conforming type stands for one element; `init?` refuses what its specification forbids, so that nothing half
/// understood gets into the program.
package protocol StanzaPayload: Sendable, Hashable {
    /// The element that it is read from.
    static var name: XMLName { get }
    /// Reads the element, nil when it breaks the rules of its specification.
    init?(_ element: Element)
    /// The element as it is sent.
    var element: Element { get }
}

extension Message {
    /// The first payload of that type that can be read.
    package func payload<Payload: StanzaPayload>(_ type: Payload.Type) -> Payload? {
        guard let first = payload(type.name) else { return nil }
        return Payload(first) ?? payloads(type.name).lazy.compactMap { Payload($0) }.first
    }

    /// Puts one payload in the place of all of that type, or takes them out.
    package mutating func set<Payload: StanzaPayload>(_ type: Payload.Type, _ payload: Payload?) {
        setPayload(type.name, payload?.element)
    }
}

extension Element {
    /// The address in an attribute, by the rules for received addresses; nil when there is none or it is invalid.
    package func address(_ attribute: StaticString) -> JID? {
        withAttribute(attribute) { JID(wire: $0) } ?? nil
    }

    /// The value of an attribute, nil when it is missing or empty.
    package func filled(_ attribute: String) -> String? {
        guard let value = self[attribute], !value.isEmpty else { return nil }
        return value
    }

    /// The only child of that name, nil when there is none or more than one.
    package func onlyChild(_ name: XMLName) -> Element? {
        var found: Element?
        for child in children where child.matches(name) {
            guard found == nil else { return nil }
            found = child
        }
        return found
    }

    /// The text of the first child of that name without surrounding white space, nil when empty or not there.
    package func childText(_ name: XMLName) -> String? {
        guard let text = child(name)?.text.trimmingXMLSpace, !text.isEmpty else { return nil }
        return text
    }
}

/// A payload that is nothing but its name, as `<request xmlns='urn:xmpp:receipts'/>`.
package protocol EmptyPayload: StanzaPayload {
    init()
}

extension EmptyPayload {
    package init?(_ element: Element) {
        guard element.matches(Self.name) else { return nil }
        self.init()
    }

    package var element: Element { Element(Self.name) }
}

/// A payload that is a name and an identifier, as `<received xmlns='urn:xmpp:receipts' id='m1'/>`; without an identifier
/// it is none.
package protocol IdentifierPayload: StanzaPayload {
    init(id: String)
    var id: String { get }
}

extension IdentifierPayload {
    package init?(_ element: Element) {
        guard element.matches(Self.name), let id = element.filled("id") else { return nil }
        self.init(id: id)
    }

    package var element: Element { Element(Self.name, attributes: ["id": id]) }
}
