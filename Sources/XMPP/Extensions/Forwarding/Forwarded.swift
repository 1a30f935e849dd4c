// SPDX-License-Identifier: Apache-2.0

/// A message inside another one, and when it was sent (XEP-0297 §3).
package struct Forwarded: Sendable {
    package static let namespace = "urn:xmpp:forward:0"
    package static let name = XMLName("forwarded", namespace)
    package var message: Message
    package var delay: Delay?

    package init(message: Message, delay: Delay? = nil) {
        self.message = message
        self.delay = delay
    }

    /// Reads the element; nil unless it holds exactly one message of the client namespace with valid addresses.
    package init?(_ element: Element) {
        var decoder = StanzaDecoder()
        self.init(element, &decoder, repairing: false)
    }

    /// Reads the element with a decoder that knows the last addresses.
    ///
    /// Some servers let a message inherit the namespace of the wrap (B140): `repairing` takes it for the one that it
    /// should have.
    package init?(_ element: Element, _ decoder: inout StanzaDecoder, repairing: Bool) {
        guard element.matches(Self.name) else { return nil }
        if let inner = element.onlyChild(.message) {
            guard let message = try? decoder.message(inner) else { return nil }
            self.message = message
        } else {
            guard repairing, let inner = element.onlyChild(XMLName("message", Self.namespace)),
                let message = try? decoder.message(inner.moved(from: Self.namespace, to: Namespace.client))
            else { return nil }
            self.message = message
        }
        delay = element.child(Delay.name).flatMap { Delay($0) }
    }
}

extension Element {
    /// A copy in which every element of one namespace is in another.
    fileprivate func moved(from old: String, to new: String) -> Element {
        Element(name.namespace == old ? XMLName(localName, new) : name) { builder in
            for (name, value) in attributes { builder.attribute(name.local, namespace: name.namespace, value) }
            for part in content {
                switch part {
                case .text(let text): builder.text(text)
                case .element(let child): builder.child(child.moved(from: old, to: new))
                }
            }
        }
    }
}
