// SPDX-License-Identifier: Apache-2.0

/// What a server can do inside one SASL2 login (XEP-0388 §2.1).
///
/// All lists are sorted: servers give them in any order.
package struct SASL2Offer: Sendable, Hashable, Codable {
    package var mechanisms: [String] = []
    /// The stream of before can be taken up inside the login (XEP-0198 §9.2).
    package var resumes = false
    /// What can be switched on together with the new address (XEP-0386 §3.1), nil without Bind 2.
    package var bindFeatures: [String]?
    /// The mechanisms that take a token (XEP-0484 §3.1), nil without FAST.
    package var tokenMechanisms: [String]?
    /// The upgrades of the stored password (XEP-0480 §3.2).
    package var upgrades: [String] = []

    package init() {}

    package init(_ element: Element) {
        mechanisms = Self.list(element, .sasl2Mechanism) { $0.text }
        upgrades = Self.list(element, SASLUpgrade.feature) { $0.text }
        guard let inline = element.child(.sasl2Inline) else { return }
        resumes = inline.child(.managementFeature) != nil
        if let bind = inline.child(Bind2.bind) {
            bindFeatures = bind.child(XMLName("inline", Bind2.namespace)).map {
                Self.list($0, XMLName("feature", Bind2.namespace)) { $0["var"] ?? "" }
            }
            if bindFeatures == nil { bindFeatures = [] }
        }
        if let fast = inline.child(FAST.feature) {
            tokenMechanisms = Self.list(fast, XMLName("mechanism", FAST.namespace)) { $0.text }
        }
    }

    /// At most 64 different texts, sorted by their bytes.
    private static func list(_ element: Element, _ name: XMLName, _ text: (Element) -> String) -> [String] {
        var texts: [String] = []
        for child in element.children where child.matches(name) {
            let value = text(child).trimmingXMLSpace
            if texts.count < 64, !value.isEmpty, !texts.contains(value) { texts.append(value) }
        }
        return texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
