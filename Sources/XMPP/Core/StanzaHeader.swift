// SPDX-License-Identifier: Apache-2.0

/// The attributes that every stanza has (RFC 6120 §8.1), decoded.
package struct StanzaHeader: Sendable {
    package var to: JID?
    package var from: JID?
    package var id: String?

    package init(to: JID? = nil, from: JID? = nil, id: String? = nil) {
        self.to = to
        self.from = from
        self.id = id
    }
}

extension XMLWriter {
    mutating func stanzaAttributes(to: JID?, from: JID?, id: String?, language: String?) throws(XMLError) {
        if let to {
            raw(" to=\"")
            try value(to.description)
            raw("\"")
        }
        if let from {
            raw(" from=\"")
            try value(from.description)
            raw("\"")
        }
        if let id {
            raw(" id=\"")
            try value(id)
            raw("\"")
        }
        if let language {
            raw(" xml:lang=\"")
            try value(language)
            raw("\"")
        }
    }
}

extension XMLWriter {
    /// Appends a number in decimal.
    mutating func decimal(_ number: UInt32) { raw(text: String(number)) }
}
