// SPDX-License-Identifier: Apache-2.0

extension JID {
    /// Reads an address received from a server.
    ///
    /// Local part and domain follow the strict rules; a resource is any UTF-8 of at most 1023 bytes without control
    /// characters, kept as it came, so that an answer reaches the client that chose it. An address in canonical
    /// ASCII, which is nearly every one, takes one pass and no allocation but its text.
    /// - Returns: nil when the bytes are not an address.
    package init?(wire bytes: UnsafeBufferPointer<UInt8>) {
        if let jid = JID(canonicalASCII: bytes) {
            self = jid
            return
        }
        guard bytes.count <= JID.maximumBytes, let jid = try? JID.parse(bytes, .wire) else { return nil }
        self = jid
    }

    /// Reads an address received or stored before, by the rules for received addresses.
    package init?(wire text: String) {
        var text = text
        guard let jid = text.withUTF8({ JID(wire: $0) }) else { return nil }
        self = jid
    }

    /// Whether these raw bytes are this address in its canonical spelling.
    ///
    /// Allocates nothing. False does not mean another address: the bytes may spell this one differently. Parse them to know.
    package func isSpelled(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        withUTF8 { $0[...].elementsEqualBytes(bytes, wholly: true) }
    }

    /// Whether these raw bytes are this address without its resource, in canonical spelling, without allocating.
    package func isBareSpelled(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        withUTF8 { $0[..<Int(domainEnd)].elementsEqualBytes(bytes, wholly: true) }
    }

    /// Accepts an address that is ASCII and canonical already; nil means "look closer", not "invalid".
    init?(canonicalASCII bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.count
        guard count > 0, count <= JID.maximumBytes else { return nil }
        // An address without '@' fails the scan for a local part at the '/' or the end: then all of it is the domain.
        var at = 0
        while at < count, ASCIIClass.local.contains(bytes[at]) { at &+= 1 }
        var domainStart = 0
        if at < count, bytes[at] == UInt8(ascii: "@") {
            guard at > 0, at <= JID.maximumPartBytes else { return nil }
            domainStart = at &+ 1
        } else {
            at = 0
        }
        guard let domainEnd = DomainName.scanCanonicalASCII(bytes, from: domainStart) else { return nil }
        if domainEnd < count {
            let start = domainEnd &+ 1
            guard start < count, count &- start <= JID.maximumPartBytes else { return nil }
            var index = start
            while index < count {
                // Printable ASCII with the space: OpaqueString leaves it alone.
                guard bytes[index] &- 0x20 < 0x5F else { return nil }
                index &+= 1
            }
        }
        self.init(canonical: String(decoding: bytes, as: UTF8.self), localEnd: at, domainEnd: domainEnd)
    }
}

/// A set of ASCII characters as two words, tested without a table in memory.
struct ASCIIClass {
    let low: UInt64
    let high: UInt64

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        let word = byte < 0x40 ? low : high
        return (word &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// U+0021…U+007E less the capital letters and `"&'/:<>@`.
    static let local = ASCIIClass(low: 0xABFF_7F3A_0000_0000, high: 0x7FFF_FFFF_F800_0000)
    /// `a`–`z`, digits, hyphen, dot.
    static let domain = ASCIIClass(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_0000_0000)
}
