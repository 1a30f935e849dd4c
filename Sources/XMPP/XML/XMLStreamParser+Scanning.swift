// SPDX-License-Identifier: Apache-2.0

extension XMLStreamParser {
    /// Scans text up to a `<`.
    ///
    /// Returns false when the bytes end before, with `p` where to go on.
    @inline(__always)
    mutating func scanText(_ p: inout Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        while true {
            p = XMLStreamParser.skipPlainText(p)
            let byte = p.pointee
            if byte == UInt8(ascii: "<") { return true }
            if byte == 0x0A || byte == 0x09 {
                p += 1
            } else if byte >= 0x80 {
                guard let next = try skipMultibyte(p, end) else {
                    p = suspended
                    return false
                }
                p = next
            } else if byte == UInt8(ascii: "&") {
                let length = try referenceLength(p, end)
                if length == 0 { return false }
                textEncoded = ElementRecord.encoded
                p += length
            } else if byte == UInt8(ascii: "]") {
                // `]]>` must not occur in text (XML 1.0 §2.4).
                if p + 1 == end { return false }
                if p[1] == byte {
                    if p + 2 == end { return false }
                    if p[2] == UInt8(ascii: ">") { throw XMLStreamParser.malformed("`]]>` in text") }
                }
                p += 1
            } else if byte == 0x0D {
                textEncoded = ElementRecord.encoded
                p += 1
            } else {
                if p == end { return false }
                throw XMLStreamParser.malformed("a control character")
            }
        }
    }

    /// Ends the run of text before `p`.
    @inline(__always)
    mutating func finishText(at p: Pointer, _ base: Pointer) {
        let length = (p - base) &- textStart
        if length == 0 { return }
        append(
            ElementRecord(
                word: ElementRecord.text | textEncoded, start: UInt32(truncatingIfNeeded: textStart),
                length: UInt32(truncatingIfNeeded: length), next: 0))
        textStart = p - base
        textEncoded = 0
    }

    /// Scans a value up to its closing quote.
    ///
    /// Returns false when the bytes end before, with `p` where to go on.
    @inline(__always)
    mutating func scanValue(_ p: inout Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        let quote = tag.quote
        while true {
            p = XMLStreamParser.skipPlainValue(p, quote)
            let byte = p.pointee
            if byte == quote { return true }
            if byte >= 0x80 {
                guard let next = try skipMultibyte(p, end) else {
                    p = suspended
                    return false
                }
                p = next
            } else if byte == UInt8(ascii: "&") {
                let length = try referenceLength(p, end)
                if length == 0 { return false }
                tag.valueEncoded = ElementRecord.encoded
                p += length
            } else if byte == 0x0A || byte == 0x09 || byte == 0x0D {
                // Becomes a space (XML 1.0 §3.3.3).
                tag.valueEncoded = ElementRecord.encoded
                p += 1
            } else if byte == UInt8(ascii: "<") {
                throw XMLStreamParser.malformed("`<` in an attribute value")
            } else {
                if p == end { return false }
                throw XMLStreamParser.malformed("a control character")
            }
        }
    }

    /// At `<!` or `<?` or nothing that can begin a tag: a CDATA section begins, or the bytes are refused.
    mutating func beginCharacterData(_ p: inout Pointer, _ base: Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        try refuseDeclaration(p, end)
        let opening: StaticString = "<![CDATA["
        var offset = 1
        while offset < opening.utf8CodeUnitCount {
            if p + offset == end { return false }
            guard p[offset] == opening.utf8Start[offset] else { throw XMLStreamParser.malformed("`<` without a tag") }
            offset += 1
        }
        p += opening.utf8CodeUnitCount
        textStart = p - base
        step = .characterData
        return true
    }

    /// Scans a CDATA section up to behind its `]]>`.
    mutating func scanCharacterData(_ p: inout Pointer, _ base: Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        while true {
            p = XMLStreamParser.skipPlainText(p)
            let byte = p.pointee
            if byte == UInt8(ascii: "]") {
                if p + 1 == end { return false }
                if p[1] == byte {
                    if p + 2 == end { return false }
                    if p[2] == UInt8(ascii: ">") {
                        textEncoded |= ElementRecord.characterData
                        finishText(at: p, base)
                        textEncoded = 0
                        p += 3
                        return true
                    }
                }
                p += 1
            } else if byte >= 0x80 {
                guard let next = try skipMultibyte(p, end) else {
                    p = suspended
                    return false
                }
                p = next
            } else if byte == 0x0D {
                textEncoded = ElementRecord.encoded
                p += 1
            } else if byte >= 0x20 || byte == 0x0A || byte == 0x09 {
                p += 1
            } else {
                if p == end { return false }
                throw XMLStreamParser.malformed("a control character")
            }
        }
    }

    /// Throws for what RFC 6120 §11.1 forbids, as soon as it can be told; `p` stands at a `<`.
    func refuseDeclaration(_ p: Pointer, _ end: Pointer) throws(XMLError) {
        if p[1] == UInt8(ascii: "?"), p + 1 != end {
            throw XMLError(.restricted, "a processing instruction")
        }
        guard p[1] == UInt8(ascii: "!"), p + 1 != end, p + 2 != end else { return }
        switch p[2] {
        case UInt8(ascii: "-"): throw XMLError(.restricted, "a comment")
        case UInt8(ascii: "D"): throw XMLError(.restricted, "a document type")
        case UInt8(ascii: "["): return
        default: throw XMLStreamParser.malformed("an unknown declaration")
        }
    }

    /// Passes the characters at `start` that are not ASCII; nil when the last one is not complete.
    ///
    /// What is complete is not looked at again: `suspended` is where to go on.
    @inline(never)
    mutating func skipMultibyte(_ start: Pointer, _ end: Pointer) throws(XMLError) -> Pointer? {
        var p = start
        repeat {
            let length = XMLCharacters.length(p, end)
            if length <= 0 {
                suspended = p
                if length == 0 { return nil }
                throw XMLStreamParser.malformed("bytes that are not UTF-8, or a forbidden character")
            }
            p += length
        } while p.pointee >= 0x80
        return p
    }

    /// The length of the reference at `p`, or 0 when its bytes end before it does.
    @inline(never)
    func referenceLength(_ p: Pointer, _ end: Pointer) throws(XMLError) -> Int {
        var q = p + 1
        if q == end { return 0 }
        if q.pointee == UInt8(ascii: "#") { return try characterReferenceLength(p, end) }
        let start = q
        guard try scanName(&q, end) else { return 0 }
        guard q.pointee == UInt8(ascii: ";") else { throw XMLStreamParser.malformed("`&` without a reference") }
        let name = UnsafeBufferPointer(start: start, count: q - start)
        for predefined: StaticString in ["amp", "lt", "gt", "quot", "apos"]
        where name.elementsEqual(UnsafeBufferPointer(start: predefined.utf8Start, count: predefined.utf8CodeUnitCount))
        {
            return (q - p) + 1
        }
        throw XMLError(.restricted, "an entity that is not predefined")
    }

    private func characterReferenceLength(_ p: Pointer, _ end: Pointer) throws(XMLError) -> Int {
        var q = p + 2
        var radix: UInt32 = 10
        if q != end, q.pointee == UInt8(ascii: "x") {
            radix = 16
            q += 1
        }
        let digits = q
        var value: UInt32 = 0
        while let digit = XMLDecoding.digit(q.pointee), digit < radix {
            value = min(value &* radix &+ UInt32(digit), 0x110000)
            q += 1
        }
        if q - p > limits.nameBytes { throw XMLStreamParser.exceeded(.nameBytes) }
        if q == end { return 0 }
        guard q != digits, q.pointee == UInt8(ascii: ";"), XMLCharacters.isCharacter(value) else {
            throw XMLStreamParser.malformed("a reference to no character")
        }
        return (q - p) + 1
    }

    /// The first byte from `start` on that text may not simply pass: `<`, `&`, `]`, controls, not ASCII, the end.
    @inline(__always)
    static func skipPlainText(_ start: Pointer) -> Pointer {
        var p = start
        while true {
            let word = xmlLoad(p)
            let found =
                xmlSpecialBytes(word) | xmlZeroBytes(word ^ xmlRepeat(UInt8(ascii: "<")))
                | xmlZeroBytes(word ^ xmlRepeat(UInt8(ascii: "&")))
                | xmlZeroBytes(word ^ xmlRepeat(UInt8(ascii: "]")))
            if found != 0 { return p + (found.trailingZeroBitCount &>> 3) }
            p += 8
        }
    }

    /// The same for a value: the quote, `<`, `&`, controls, not ASCII, the end.
    @inline(__always)
    static func skipPlainValue(_ start: Pointer, _ quote: UInt8) -> Pointer {
        // Either quote differs from the ampersand in one bit: with it set, one comparison finds both.
        let bit = xmlRepeat(quote ^ UInt8(ascii: "&"))
        let both = xmlRepeat(quote | UInt8(ascii: "&"))
        var p = start
        while true {
            let word = xmlLoad(p)
            let found =
                xmlSpecialBytes(word) | xmlZeroBytes((word | bit) ^ both)
                | xmlZeroBytes(word ^ xmlRepeat(UInt8(ascii: "<")))
            if found != 0 { return p + (found.trailingZeroBitCount &>> 3) }
            p += 8
        }
    }
}
