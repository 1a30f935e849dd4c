// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The elements of a stream of bytes inside the stream of XML (XEP-0047).
enum InBand {
    static let namespace = "http://jabber.org/protocol/ibb"
    /// §2.1: no block is larger.
    static let largestBlock = 65_535
    /// The block that is offered: as text it still fits into the smallest limits that servers have.
    static let usualBlock = 16_384
    /// No smaller block is tried.
    static let smallestBlock = 1024

    /// §2.1: the identifier, of one kind of characters and not without end.
    static func sid(_ element: Element) -> String? {
        guard let sid = element.filled("sid"), sid.utf8.count <= 256 else { return nil }
        return sid
    }
}

/// Opens a stream of bytes (XEP-0047 §2.1).
struct InBandOpen: StanzaPayload {
    static let name = XMLName("open", InBand.namespace)

    var sid: String
    var blockSize: Int
    /// The data come in messages, which nobody acknowledges.
    var usesMessages = false

    init(sid: String, blockSize: Int, usesMessages: Bool = false) {
        self.sid = sid
        self.blockSize = blockSize
        self.usesMessages = usesMessages
    }

    init?(_ element: Element) {
        guard element.matches(Self.name), let sid = InBand.sid(element),
            let size = element["block-size"].flatMap({ Int($0) }), (1...InBand.largestBlock).contains(size)
        else { return nil }
        switch element["stanza"] {
        case nil, "iq": self.init(sid: sid, blockSize: size)
        case "message": self.init(sid: sid, blockSize: size, usesMessages: true)
        default: return nil
        }
    }

    var element: Element {
        Element(
            Self.name,
            attributes: ["block-size": String(blockSize), "sid": sid, "stanza": usesMessages ? "message" : "iq"])
    }
}

/// A block of a stream of bytes (XEP-0047 §2.2).
struct InBandData: StanzaPayload {
    static let name = XMLName("data", InBand.namespace)

    var sid: String
    var sequence: UInt16
    var bytes: [UInt8]

    init(sid: String, sequence: UInt16, bytes: [UInt8]) {
        self.sid = sid
        self.sequence = sequence
        self.bytes = bytes
    }

    init?(_ element: Element) {
        guard element.matches(Self.name), let sid = InBand.sid(element),
            let sequence = element["seq"].flatMap({ UInt16($0) }), let bytes = Self.decode(element.text)
        else { return nil }
        self.init(sid: sid, sequence: sequence, bytes: bytes)
    }

    /// Base64, in lines or not.
    private static func decode(_ text: String) -> [UInt8]? {
        decodeBase64(text.utf8.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 })
    }

    var element: Element {
        Element(Self.name, attributes: ["seq": String(sequence), "sid": sid], text: base64(bytes))
    }
}

/// Closes a stream of bytes (XEP-0047 §2.3).
struct InBandClose: StanzaPayload {
    static let name = XMLName("close", InBand.namespace)

    var sid: String

    init(sid: String) { self.sid = sid }

    init?(_ element: Element) {
        guard element.matches(Self.name), let sid = InBand.sid(element) else { return nil }
        self.sid = sid
    }

    var element: Element { Element(Self.name, attributes: ["sid": sid]) }
}
