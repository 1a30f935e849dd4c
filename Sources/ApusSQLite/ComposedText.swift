// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// A text whose letters are composed (NFC), with what is needed to find a place of it in the text as it was.
struct ComposedText {
    /// Where characters begin in both texts; the last one is the end.
    struct Places {
        fileprivate var composed: [Int32] = []
        fileprivate var given: [Int32] = []

        /// Where the character begins in the given text that holds a place of the composed one.
        func start(_ place: Int32) -> Int32 {
            let next = index(after: place)
            return next == 0 ? 0 : given[next - 1]
        }

        /// Where the character ends in the given text that ends at a place of the composed one, or holds it.
        func end(_ place: Int32) -> Int32 { given[min(index(after: place - 1), given.count - 1)] }

        /// The first character that begins behind a place.
        private func index(after place: Int32) -> Int {
            var (low, high) = (0, composed.count)
            while low < high {
                let middle = (low + high) / 2
                if composed[middle] <= place { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private(set) var bytes: [UInt8] = []
    private(set) var places = Places()

    /// Nil for a text that is composed already, or is no UTF-8.
    init?(_ text: UnsafeRawBufferPointer) {
        guard Self.mayBeOpen(text), let given = String(validating: text, as: UTF8.self) else { return nil }
        // Composing one character at a time comes to the same: none reaches into another one (UAX 29 §3, UAX 15 §9).
        guard !given.utf8.elementsEqual(given.precomposedStringWithCanonicalMapping.utf8) else { return nil }
        bytes.reserveCapacity(text.count)
        var place = 0
        for character in given {
            let piece = String(character)
            places.composed.append(Int32(bytes.count))
            places.given.append(Int32(place))
            bytes += piece.precomposedStringWithCanonicalMapping.utf8
            place += piece.utf8.count
        }
        places.composed.append(Int32(bytes.count))
        places.given.append(Int32(place))
    }

    /// Whether a text may not be composed: almost always that is ruled out by a look at its bytes.
    static func mayBeOpen(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        // Eight letters of ASCII at a time.
        while index + 8 <= text.count {
            guard text.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < text.count {
            let byte = text[index]
            // Below U+0300 nothing joins anything.
            guard byte >= 0xCC else {
                index += 1
                continue
            }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
            guard index + length <= text.count else { return true }
            var value = UInt32(byte) & (0x7F >> UInt32(length))
            for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
            if mayJoin(value) { return true }
            index += length
        }
        return false
    }

    /// Whether a character may join the one before it, or stands for others; false only where that is certain.
    private static func mayJoin(_ value: UInt32) -> Bool {
        switch value {
        case ..<0x0300: false
        case 0x0374, 0x037E, 0x0387: true
        case 0x0370...0x0482, 0x048A...0x0590: false  // Greek, Cyrillic, Armenian
        case 0x05D0...0x05EA, 0x0620...0x064A, 0x0660...0x066F, 0x0671...0x06D5: false  // Hebrew, Arabic
        case 0x0E01...0x0E37, 0x0E3F...0x0E47: false  // Thai
        case 0x1E00...0x1EFF: false  // Latin
        case 0x2002...0x20CF, 0x2100...0x2125, 0x212C...0x2328, 0x232B...0x2ADB: false  // signs
        case 0x3000...0x3029, 0x3030...0x3098, 0x309B...0xA48F, 0xAC00...0xD7A3: false  // East Asia
        case 0xE000...0xF8FF, 0xFE00...0xFE1F, 0xFE30...0xFFFF: false
        case 0x1F000...0x1FAFF, 0x20000...0x2F7FF, 0x2FA20...0x10FFFF: false
        default: true
        }
    }
}
