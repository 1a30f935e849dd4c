// SPDX-License-Identifier: Apache-2.0

/// The two elements of XMPP over WebSocket that stand for the tags of a stream (RFC 7395 §3.3.2).
enum Framing {
    /// The name that both ends give their protocol (RFC 7395 §3.1).
    static let subprotocol = "xmpp"
    static let namespace = "urn:ietf:params:xml:ns:xmpp-framing"

    enum Received {
        /// The start tag of a stream with what `<open/>` said.
        case open([UInt8])
        /// The end; with it the server may name another WebSocket to go to (RFC 7395 §3.6.1).
        case close(seeOther: String?)
    }

    /// `<open/>` with the attributes of a stream's start tag.
    static func open(header: [UInt8]) -> [UInt8] {
        var parser = XMLStreamParser(limits: .beforeLogin)
        header.withUnsafeBytes { parser.append($0) }
        guard case .open(let element)? = try? parser.next() else { return [] }
        var writer = XMLWriter()
        writer.raw("<open xmlns=\"urn:ietf:params:xml:ns:xmpp-framing\"")
        write(attributes(element), to: &writer)
        writer.raw("/>")
        return Array(writer.bytes)
    }

    static func close() -> [UInt8] { Array("<close xmlns=\"\(namespace)\"/>".utf8) }

    /// Reads a whole message; nil when it is neither of the two.
    static func read(_ bytes: [UInt8]) -> Received? {
        var parser = XMLStreamParser(limits: .beforeLogin)
        bytes.withUnsafeBytes { parser.append($0) }
        guard case .open(let element)? = try? parser.next(), element.namespace == namespace,
            case .close? = try? parser.next(), parser.bufferedBytes == 0
        else { return nil }
        switch element.localName {
        case "open":
            var writer = XMLWriter()
            writer.raw("<stream:stream xmlns=\"jabber:client\" xmlns:stream=\"http://etherx.jabber.org/streams\"")
            write(attributes(element), to: &writer)
            writer.raw(">")
            return .open(Array(writer.bytes))
        case "close": return .close(seeOther: element["see-other-uri"])
        default: return nil
        }
    }

    /// What a stream of RFC 6120 says instead of `see-other-uri`; with a header where none came before.
    static func redirection(to uri: String, withHeader: Bool) -> [UInt8] {
        var writer = XMLWriter()
        if withHeader {
            writer.raw("<stream:stream xmlns=\"jabber:client\" xmlns:stream=\"http://etherx.jabber.org/streams\"")
            writer.raw(" id=\"-\" version=\"1.0\">")
        }
        _ = try? writer.element(StreamError(.seeOtherHost(uri)).element, inheriting: Namespace.client)
        writer.raw("</stream:stream>")
        return Array(writer.bytes)
    }

    private static func attributes(_ element: Element) -> [(StaticString, String?)] {
        [
            ("to", element["to"]), ("from", element["from"]), ("id", element["id"]), ("version", element["version"]),
            ("xml:lang", element.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace")),
        ]
    }

    /// Values that were read from XML can be written to it.
    private static func write(_ attributes: [(StaticString, String?)], to writer: inout XMLWriter) {
        for (name, value) in attributes { if let value { try? writer.attribute(name, value) } }
    }
}
