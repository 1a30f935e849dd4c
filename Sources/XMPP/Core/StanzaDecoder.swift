// SPDX-License-Identifier: Apache-2.0

/// Makes typed stanzas of received elements; keeps the last addresses, which mostly come again.
package struct StanzaDecoder: Sendable {
    /// A stanza that breaks RFC 6120 or RFC 7622; it is dropped, and still counts as handled.
    package struct Rejection: Error, Sendable, Hashable {
        package var reason: String
        /// Set for a request that must be answered all the same.
        package var answer: StanzaError?
    }

    private var lastFrom: JID?
    private var lastTo: JID?

    package init() {}

    package mutating func message(_ element: Element) throws(Rejection) -> Message {
        let header = try header(element)
        let kind = element.withAttribute("type") { bytes -> Message.Kind in
            if Self.spells(bytes, "chat") { return .chat }
            if Self.spells(bytes, "groupchat") { return .groupchat }
            if Self.spells(bytes, "error") { return .error }
            return Self.spells(bytes, "headline") ? .headline : .normal
        }
        return Message(received: element, header: header, kind: kind ?? .normal)
    }

    package mutating func presence(_ element: Element) throws(Rejection) -> Presence {
        let header = try header(element)
        guard let type = element["type"] else { return Presence(received: element, header: header, kind: .available) }
        // `available` is no value that may be sent, but reads only one way.
        guard let kind = Presence.Kind(rawValue: type) else {
            throw Rejection(reason: "a presence of unknown type")
        }
        return Presence(received: element, header: header, kind: kind)
    }

    package mutating func iq(_ element: Element) throws(Rejection) -> IQ {
        let header = try header(element)
        guard let kind = element["type"].flatMap(IQ.Kind.init(rawValue:)) else {
            throw Rejection(reason: "an iq without a type that exists")
        }
        guard let id = header.id, !id.isEmpty else { throw Rejection(reason: "an iq without id") }
        let iq = IQ(received: element, header: header, kind: kind)
        if kind == .get || kind == .set, iq.payloadCount != 1 {
            throw Rejection(
                reason: "a request without exactly one payload", answer: StanzaError(.badRequest))
        }
        return iq
    }

    private mutating func header(_ element: Element) throws(Rejection) -> StanzaHeader {
        var header = StanzaHeader()
        guard let from = Self.jid(element, "from", &lastFrom) else { throw Rejection(reason: "an invalid from") }
        guard let to = Self.jid(element, "to", &lastTo) else { throw Rejection(reason: "an invalid to") }
        header.from = from
        header.to = to
        header.id = element["id"]
        return header
    }

    @inline(__always)
    private static func spells(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        for index in 0..<bytes.count where bytes[index] != word.utf8Start[index] { return false }
        return true
    }

    /// The address in an attribute: nil when it is invalid, nil inside when there is none.
    private static func jid(_ element: Element, _ name: StaticString, _ last: inout JID?) -> JID?? {
        let found = element.withAttribute(name) { bytes -> JID? in
            if let last, last.isSpelled(bytes) { return last }
            last = JID(wire: bytes)
            return last
        }
        switch found {
        case nil: return .some(nil)
        case .some(nil): return nil
        case .some(let jid?): return .some(jid)
        }
    }
}
