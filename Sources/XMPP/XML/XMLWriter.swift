// SPDX-License-Identifier: Apache-2.0

/// Appends XML as UTF-8 to a buffer that it owns and that is used again for the next stanza.
///
/// Everything that is not `raw` is escaped. A value with a character that XML forbids is refused with its offset, and
/// nothing of it is left in the buffer; to give up a stanza whose beginning was written, go back to a remembered `count`.
package struct XMLWriter: Sendable {
    /// Written bytes up to `count`, room behind them.
    private var store: [UInt8] = []

    /// The number of bytes written.
    package private(set) var count = 0

    package init() {}

    /// What was written and not taken away.
    package var bytes: ArraySlice<UInt8> { store[..<count] }

    /// Removes everything behind the first `count` bytes.
    package mutating func truncate(to count: Int) {
        if count < self.count { self.count = count }
    }

    /// Removes everything and keeps the memory, unless it is a lot.
    package mutating func removeAll() {
        count = 0
        if store.count > 512 * 1024 { store = [] }
    }

    /// Appends markup that is right as it stands.
    @inline(__always)
    package mutating func raw(_ markup: StaticString) {
        append(markup.utf8Start, markup.utf8CodeUnitCount)
    }

    /// Appends bytes that are right as they stand, such as base64.
    @inline(__always)
    package mutating func raw(_ markup: UnsafeBufferPointer<UInt8>) {
        if let start = markup.baseAddress { append(start, markup.count) }
    }

    /// As above.
    package mutating func raw(_ markup: ArraySlice<UInt8>) {
        markup.withUnsafeBufferPointer { raw($0) }
    }

    /// Appends a text that is right as it stands.
    package mutating func raw(text: String) {
        var text = text
        text.withUTF8 { raw($0) }
    }

    /// Appends one byte that is right as it stands.
    @inline(__always)
    mutating func raw(byte: UInt8) {
        if count == store.count { grow(by: 1) }
        store[count] = byte
        count &+= 1
    }

    /// Appends again what was written before.
    mutating func rawCopy(of range: Range<Int>) {
        let length = range.count
        if count &+ length > store.count { grow(by: length) }
        let end = count
        store.withUnsafeMutableBufferPointer { store in
            guard let start = store.baseAddress else { return }
            (start + end).update(from: start + range.lowerBound, count: length)
        }
        count &+= length
    }

    @inline(__always)
    private mutating func append(_ source: UnsafePointer<UInt8>, _ length: Int) {
        if count &+ length > store.count { grow(by: length) }
        let end = count
        store.withUnsafeMutableBufferPointer { store in
            guard let start = store.baseAddress else { return }
            (start + end).update(from: source, count: length)
        }
        count &+= length
    }

    @inline(never)
    private mutating func grow(by length: Int) {
        let size = max(store.count * 2, count + length, 256)
        store.append(contentsOf: repeatElement(0, count: size - store.count))
    }

    /// Appends escaped text.
    package mutating func text(_ value: String) throws(XMLError) {
        try refuse(append(value, inAttribute: false))
    }

    /// Appends escaped text from bytes of valid UTF-8.
    package mutating func text(_ value: UnsafeBufferPointer<UInt8>) throws(XMLError) {
        try refuse(append(value, inAttribute: false))
    }

    /// Appends an escaped attribute value, without the quotes.
    package mutating func value(_ value: String) throws(XMLError) {
        try refuse(append(value, inAttribute: true))
    }

    /// Appends an escaped attribute value from bytes of valid UTF-8, without the quotes.
    package mutating func value(_ value: UnsafeBufferPointer<UInt8>) throws(XMLError) {
        try refuse(append(value, inAttribute: true))
    }

    /// Appends a space, a name that is right as it stands, and the escaped value in quotes.
    package mutating func attribute(_ name: StaticString, _ value: String) throws(XMLError) {
        let start = count
        openAttribute(name)
        let offset = append(value, inAttribute: true)
        if offset != nil { truncate(to: start) }
        try refuse(offset)
        raw(byte: UInt8(ascii: "'"))
    }

    /// As above, from bytes of valid UTF-8.
    package mutating func attribute(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) throws(XMLError) {
        let start = count
        openAttribute(name)
        let offset = append(value, inAttribute: true)
        if offset != nil { truncate(to: start) }
        try refuse(offset)
        raw(byte: UInt8(ascii: "'"))
    }

    @inline(__always)
    private mutating func openAttribute(_ name: StaticString) {
        raw(byte: UInt8(ascii: " "))
        raw(name)
        raw(byte: UInt8(ascii: "="))
        raw(byte: UInt8(ascii: "'"))
    }

    @inline(__always)
    private func refuse(_ offset: Int?) throws(XMLError) {
        guard let offset else { return }
        throw XMLError(.forbiddenCharacter(offset: offset), "a character that XML forbids")
    }
}

// MARK: Escaping

extension XMLWriter {
    /// Appends the escaped value; returns the offset of the first forbidden character, and then appends nothing.
    mutating func append(_ value: String, inAttribute: Bool) -> Int? {
        if let offset = value.utf8.withContiguousStorageIfAvailable({ append($0, inAttribute: inAttribute) }) {
            return offset
        }
        var value = value
        return value.withUTF8 { append($0, inAttribute: inAttribute) }
    }

    mutating func append(_ value: UnsafeBufferPointer<UInt8>, inAttribute: Bool) -> Int? {
        guard let source = value.baseAddress else { return nil }
        let start = self.count
        let length = value.count
        var copied = 0
        var position = 0
        while true {
            position = XMLWriter.skipClean(source, position, length)
            guard position < length else { break }
            let byte = source[position]
            let replacement: StaticString
            switch byte {
            case UInt8(ascii: "&"): replacement = "&amp;"
            case UInt8(ascii: "<"): replacement = "&lt;"
            case UInt8(ascii: ">"): replacement = "&gt;"
            case UInt8(ascii: "'") where inAttribute: replacement = "&apos;"
            case UInt8(ascii: "\"") where inAttribute: replacement = "&quot;"
            // As they stand, a parser would turn these into a space, and a CR into LF also in text.
            case 0x09 where inAttribute: replacement = "&#9;"
            case 0x0A where inAttribute: replacement = "&#10;"
            case 0x0D: replacement = "&#13;"
            default:
                if XMLWriter.isForbidden(source, position, length) {
                    truncate(to: start)
                    return position
                }
                position &+= 1
                continue
            }
            append(source + copied, position &- copied)
            raw(replacement)
            position &+= 1
            copied = position
        }
        append(source + copied, length &- copied)
        return nil
    }

    /// The first byte that may need escaping or be part of a forbidden character, or `count`.
    @inline(__always)
    static func skipClean(_ source: UnsafePointer<UInt8>, _ start: Int, _ count: Int) -> Int {
        var position = start
        while position &+ 8 <= count {
            let word = xmlLoad(source + position)
            // Apostrophe differs from ampersand in the lowest bit, `<` from `>` in the next.
            let found =
                ((word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080)
                | xmlZeroBytes((word | xmlRepeat(1)) ^ xmlRepeat(UInt8(ascii: "'")))
                | xmlZeroBytes((word | xmlRepeat(2)) ^ xmlRepeat(UInt8(ascii: ">")))
                | xmlZeroBytes(word ^ xmlRepeat(UInt8(ascii: "\""))) | xmlZeroBytes(word ^ xmlRepeat(0xEF))
            if found != 0 { return position &+ (found.trailingZeroBitCount &>> 3) }
            position &+= 8
        }
        while position < count {
            switch source[position] {
            case 0..<0x20, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "'"),
                UInt8(ascii: "\""), 0xEF:
                return position
            default: position &+= 1
            }
        }
        return position
    }

    /// Whether the character at `position` of valid UTF-8 is outside production [2] of XML 1.0.
    static func isForbidden(_ source: UnsafePointer<UInt8>, _ position: Int, _ count: Int) -> Bool {
        let byte = source[position]
        if byte < 0x20 { return byte != 0x09 && byte != 0x0A && byte != 0x0D }
        guard byte == 0xEF, position &+ 2 < count else { return false }
        return source[position &+ 1] == 0xBF && source[position &+ 2] >= 0xBE
    }
}
