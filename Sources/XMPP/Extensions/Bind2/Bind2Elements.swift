// SPDX-License-Identifier: Apache-2.0

/// Binding an address inside the login, with features that start at the same moment (XEP-0386, `urn:xmpp:bind:0`).
package enum Bind2 {
    package static let namespace = "urn:xmpp:bind:0"
    package static let bind = XMLName("bind", namespace)
    package static let bound = XMLName("bound", namespace)

    /// §3.2: the tag becomes part of the resource, which others can see.
    package static func request(tag: String, features: [Element]) -> Element {
        Element(bind) { bind in
            bind.open(XMLName("tag", namespace))
            bind.text(tag)
            bind.close()
            for feature in features { bind.child(feature) }
        }
    }
}

/// A feature that a module switches on together with the new address (XEP-0386 §3.2), in one step with the login.
public struct InlineBinding: Sendable, Hashable {
    /// The name under which the server offers it.
    public var feature: String
    /// What asks for it.
    public var request: Element

    /// Makes a request.
    public init(feature: String, request: Element) {
        self.feature = feature
        self.request = request
    }
}
