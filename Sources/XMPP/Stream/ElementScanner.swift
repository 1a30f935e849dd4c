// SPDX-License-Identifier: Apache-2.0

/// Finds where an element ends that begins at the first byte, in pieces as they come: tags, quotes and CDATA are told
/// apart, and nothing else is judged.
///
/// For what the parser accepts, both see the same borders: a `<` cannot stand inside an attribute value.
package struct ElementScanner: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        /// More bytes are needed.
        case open
        /// The element ended before this index of the piece.
        case ended(Int)
        /// No element, or one with what a stream must not hold.
        case wrong
    }

    private enum State: Hashable {
        case start, afterOpening
        case startTag, quoted(UInt8), endTag
        case content, markup
        case characterDataOpening(Int), characterData, done
    }

    private static let opening = Array("![CDATA[".utf8)

    private var state = State.start
    private var depth = 0
    private var isSlash = false
    private var brackets = 0

    package init() {}

    /// Looks at the next piece.
    package mutating func scan(_ bytes: some RandomAccessCollection<UInt8>) -> Outcome {
        var index = 0
        for byte in bytes {
            index &+= 1
            switch state {
            case .start:
                guard byte == UInt8(ascii: "<") else { return wrong() }
                state = .afterOpening
            case .afterOpening:
                guard ElementScanner.beginsName(byte) else { return wrong() }
                beginTag()
            case .startTag:
                if startTag(byte) { return .ended(index) }
            case .quoted(let quote):
                if byte == quote { state = .startTag }
            case .endTag:
                guard byte == UInt8(ascii: ">") else { break }
                depth &-= 1
                if depth == 0 {
                    state = .done
                    return .ended(index)
                }
                state = .content
            case .content:
                if byte == UInt8(ascii: "<") { state = .markup }
            case .markup:
                if byte == UInt8(ascii: "/") {
                    state = .endTag
                } else if byte == UInt8(ascii: "!") {
                    state = .characterDataOpening(1)
                } else if ElementScanner.beginsName(byte) {
                    beginTag()
                } else {
                    return wrong()
                }
            case .characterDataOpening(let count):
                guard byte == ElementScanner.opening[count] else { return wrong() }
                brackets = 0
                state = count + 1 == ElementScanner.opening.count ? .characterData : .characterDataOpening(count + 1)
            case .characterData:
                if byte == UInt8(ascii: "]") {
                    brackets = min(brackets + 1, 2)
                } else {
                    if byte == UInt8(ascii: ">"), brackets == 2 { state = .content }
                    brackets = 0
                }
            case .done: return wrong()
            }
        }
        return .open
    }

    private mutating func beginTag() {
        state = .startTag
        isSlash = false
    }

    /// Whether the whole element ended with this byte.
    private mutating func startTag(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): state = .quoted(byte)
        case UInt8(ascii: ">"):
            if isSlash, depth == 0 {
                state = .done
                return true
            }
            if !isSlash { depth &+= 1 }
            state = .content
        default: break
        }
        isSlash = byte == UInt8(ascii: "/")
        return false
    }

    private mutating func wrong() -> Outcome {
        state = .done
        return .wrong
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...0xff: true
        default: false
        }
    }
}
