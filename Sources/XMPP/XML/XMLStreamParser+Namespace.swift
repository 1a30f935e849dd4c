// SPDX-License-Identifier: Apache-2.0

extension XMLStreamParser {
    /// Whether the stream header declared this default namespace, a known one, for the stanzas.
    package func hasDefaultNamespace(_ namespace: String) -> Bool {
        XMLNameTable.known.number(ofNamespace: namespace) == streamDefault
    }

    /// From now on a namespace that is not known is read as another one that is, as long as the parser exists.
    package mutating func read(_ namespace: String, as known: String) {
        let number = XMLNameTable.known.number(ofNamespace: known)
        alias = number == XMLNameTable.notFound ? nil : (Array(namespace.utf8), number)
    }
}
