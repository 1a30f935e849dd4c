// SPDX-License-Identifier: Apache-2.0

/// Why bytes were refused as XML of a stream, or values refused as content of an element.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault; the stream error that answers it depends on it alone.
    package enum Kind: Sendable, Hashable {
        /// Not XML 1.0 (RFC 6120 §4.9.3.13).
        case notWellFormed
        /// A document type, comment, processing instruction or undeclared entity (RFC 6120 §11.1).
        case restricted
        /// Not UTF-8 (RFC 6120 §11.6).
        case unsupportedEncoding
        /// Not well-formed as to namespaces (RFC 6120 §11.3): undeclared, reserved or emptied prefix.
        case badNamespace
        /// One of `XMLLimits` was passed.
        case limit(XMLLimit)
        /// While writing: a character that XML forbids, `offset` UTF-8 bytes into the value.
        case forbiddenCharacter(offset: Int)
        /// While writing: an element that was built with something that is not an XML name, or with one attribute twice.
        case invalidName
    }

    /// The kind of fault.
    package let kind: Kind
    /// One phrase in plain words, free of the peer's bytes.
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    package var description: String { reason }
}

/// What `XMLStreamParser.next()` found.
package enum XMLStreamEvent: Sendable, Hashable {
    /// All complete parts were delivered; more bytes must be appended.
    case needsMoreBytes
    /// The stream header, as an element without children.
    case open(Element)
    /// A child of the stream, complete.
    case stanza(Element)
    /// The stream's end tag.
    case close
}
