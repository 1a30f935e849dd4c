// SPDX-License-Identifier: Apache-2.0

extension XMLStreamParser {
    /// Passes the XML declaration and white space before the stream header; leaves `p` at the header's `<`.
    ///
    /// The declaration must be the first thing in a stream. Returns false when more bytes are needed.
    mutating func skipProlog(_ p: inout Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        while true {
            while XMLCharacters.isSpace(p.pointee) {
                p += 1
                prologIsOver = true
            }
            origin = p - buffer
            if p == end { return false }
            guard p.pointee == UInt8(ascii: "<") else {
                // UTF-16 begins with a byte-order mark, or has a zero in the first two bytes.
                if p.pointee >= 0xFE || p.pointee == 0 {
                    throw XMLError(.unsupportedEncoding, "a stream that is not UTF-8")
                }
                throw XMLStreamParser.malformed("something else than a stream header")
            }
            if p + 1 == end { return false }
            if p[1] == 0 { throw XMLError(.unsupportedEncoding, "a stream that is not UTF-8") }
            guard p[1] == UInt8(ascii: "?"), !prologIsOver else {
                try refuseDeclaration(p, end)
                if p[1] == UInt8(ascii: "!"), p + 2 == end { return false }
                return true
            }
            guard let length = try declarationLength(p, end) else { return false }
            p += length
            prologIsOver = true
        }
    }

    /// The length of the XML declaration at `p`, or nil when it is not complete.
    private func declarationLength(_ p: Pointer, _ end: Pointer) throws(XMLError) -> Int? {
        let available = end - p
        let opening: StaticString = "<?xml"
        for offset in 2..<6 {
            if offset == available { return nil }
            if offset == 5 {
                guard XMLCharacters.isSpace(p[5]) else { throw XMLError(.restricted, "a processing instruction") }
            } else if p[offset] != opening.utf8Start[offset] {
                throw XMLError(.restricted, "a processing instruction")
            }
        }
        var length = 6
        while true {
            if length > limits.nameBytes { throw XMLStreamParser.exceeded(.nameBytes) }
            if length >= available { return nil }
            if p[length] == UInt8(ascii: ">") { break }
            if p[length] == UInt8(ascii: "<") || p[length] >= 0x80
                || p[length] < 0x20 && !XMLCharacters.isSpace(p[length])
            {
                throw XMLStreamParser.malformed("an XML declaration without an end")
            }
            length += 1
        }
        guard p[length - 1] == UInt8(ascii: "?") else {
            throw XMLStreamParser.malformed("an XML declaration without an end")
        }
        try checkDeclaration(UnsafeBufferPointer(start: p + 5, count: length - 6))
        return length + 1
    }

    /// Production [23]: version, then encoding, then standalone.
    private func checkDeclaration(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) {
        var scanner = DeclarationScanner(bytes: bytes)
        guard let version = scanner.value(of: "version"), version.count >= 3,
            version.starts(with: "1.".utf8), version.dropFirst(2).allSatisfy({ (0x30...0x39).contains($0) })
        else { throw XMLStreamParser.malformed("an XML declaration without a version 1") }
        if let encoding = scanner.value(of: "encoding") {
            guard String(decoding: encoding, as: UTF8.self).lowercased() == "utf-8" else {
                throw XMLError(.unsupportedEncoding, "a stream that is not UTF-8")
            }
        }
        if let standalone = scanner.value(of: "standalone") {
            guard standalone.elementsEqual("yes".utf8) || standalone.elementsEqual("no".utf8) else {
                throw XMLStreamParser.malformed("an XML declaration with a wrong part")
            }
        }
        guard scanner.isAtEnd else { throw XMLStreamParser.malformed("an XML declaration with a wrong part") }
    }
}

/// Reads the parts of an XML declaration in order.
private struct DeclarationScanner {
    var bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    /// Whether only white space is left.
    var isAtEnd: Bool { bytes[position...].allSatisfy(XMLCharacters.isSpace) }

    /// The value of the next part when it has this name; otherwise nothing is read.
    mutating func value(of name: StaticString) -> Slice<UnsafeBufferPointer<UInt8>>? {
        var next = position
        func skipSpace() {
            while next < bytes.count, XMLCharacters.isSpace(bytes[next]) { next += 1 }
        }
        skipSpace()
        let count = name.utf8CodeUnitCount
        guard next > position, next + count < bytes.count,
            bytes[next..<next + count].elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: count))
        else { return nil }
        next += count
        skipSpace()
        guard next < bytes.count, bytes[next] == UInt8(ascii: "=") else { return nil }
        next += 1
        skipSpace()
        guard next < bytes.count, bytes[next] == UInt8(ascii: "'") || bytes[next] == UInt8(ascii: "\"") else {
            return nil
        }
        let quote = bytes[next]
        guard let end = bytes[(next + 1)...].firstIndex(of: quote) else { return nil }
        position = end + 1
        return bytes[(next + 1)..<end]
    }
}
