// SPDX-License-Identifier: Apache-2.0

extension XMLStreamParser {
    /// Whether the stream header declared this default namespace, a known one, for the stanzas.
    package func hasDefaultNamespace(_ namespace: String) -> Bool {
        XMLNameTable.known.number(ofNamespace: namespace) == streamDefault
    }
}
