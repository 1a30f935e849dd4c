// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Loads eight bytes, the first one lowest.
@inline(__always)
func xmlLoad(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
}

/// The first eight bytes of a name as an integer, padded with zeros; reads nothing behind the name.
@inline(__always)
func xmlKey(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
    if length >= 8 { return xmlLoad(bytes) }
    var key: UInt64 = 0
    var offset = 0
    while offset < length {
        key |= UInt64(bytes[offset]) &<< UInt64(truncatingIfNeeded: offset &* 8)
        offset &+= 1
    }
    return key
}

/// As `xmlKey`, where at least eight bytes can be read.
@inline(__always)
func xmlKeyPadded(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
    let word = xmlLoad(bytes)
    return length >= 8 ? word : word & ~(UInt64.max &<< UInt64(truncatingIfNeeded: length &* 8))
}

@inline(__always)
func xmlEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
}

/// Eight copies of a byte.
@inline(__always)
func xmlRepeat(_ byte: UInt8) -> UInt64 {
    UInt64(byte) &* 0x0101_0101_0101_0101
}

/// The high bit of the lowest byte that is zero (and possibly of some above it).
@inline(__always)
func xmlZeroBytes(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
}

/// The high bit of each byte that is a control character or not ASCII (exact for the lowest such byte).
@inline(__always)
func xmlSpecialBytes(_ word: UInt64) -> UInt64 {
    (((word &- 0x2020_2020_2020_2020) & ~word) | word) & 0x8080_8080_8080_8080
}

/// Classes of bytes and characters (XML 1.0, fifth edition).
enum XMLCharacters {
    static let nameStart: UInt8 = 1
    static let name: UInt8 = 2
    static let space: UInt8 = 4
    static let colon: UInt8 = 8
    static let multibyte: UInt8 = 16

    // 256 classes, written once here and never again.
    nonisolated(unsafe) static let classes: UnsafePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        table.initialize(repeating: 0, count: 128)
        (table + 128).initialize(repeating: multibyte, count: 128)
        for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { table[Int(byte)] = nameStart | name }
        for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { table[Int(byte)] = nameStart | name }
        for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { table[Int(byte)] = name }
        table[Int(UInt8(ascii: "_"))] = nameStart | name
        table[Int(UInt8(ascii: "-"))] = name
        table[Int(UInt8(ascii: "."))] = name
        table[Int(UInt8(ascii: ":"))] = colon
        for byte: UInt8 in [0x20, 0x09, 0x0A, 0x0D] { table[Int(byte)] = space }
        return UnsafePointer(table)
    }()

    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    /// Production [2], Char.
    static func isCharacter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Production [4], NameStartChar, without ASCII.
    static func isNameStart(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D,
            0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
            0x10000...0xEFFFF:
            true
        default: false
        }
    }

    /// Production [4a], NameChar, without ASCII.
    static func isName(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: isNameStart(scalar)
        }
    }

    /// The length of the character at `start` when it is not ASCII: 2 to 4, 0 when its last bytes are still missing,
    /// -1 when it is not UTF-8 or not a character that XML allows.
    static func length(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int {
        let first = start[0]
        let available = end - start
        if first < 0xC2 { return -1 }
        if available < 2 { return first < 0xF5 ? 0 : -1 }
        let second = start[1]
        if first < 0xE0 { return second & 0xC0 == 0x80 ? 2 : -1 }
        if first < 0xF0 {
            let lowest: UInt8 = first == 0xE0 ? 0xA0 : 0x80
            let highest: UInt8 = first == 0xED ? 0x9F : 0xBF
            guard second >= lowest, second <= highest else { return -1 }
            guard available > 2 else { return 0 }
            guard start[2] & 0xC0 == 0x80 else { return -1 }
            return first == 0xEF && second == 0xBF && start[2] >= 0xBE ? -1 : 3
        }
        guard first < 0xF5, second >= (first == 0xF0 ? 0x90 : 0x80), second <= (first == 0xF4 ? 0x8F : 0xBF)
        else { return -1 }
        guard available > 2 else { return 0 }
        guard start[2] & 0xC0 == 0x80 else { return -1 }
        guard available > 3 else { return 0 }
        return start[3] & 0xC0 == 0x80 ? 4 : -1
    }

    /// The scalar of a character that `length` found to be whole.
    static func scalar(_ start: UnsafePointer<UInt8>, _ length: Int) -> UInt32 {
        switch length {
        case 2: UInt32(start[0] & 0x1F) &<< 6 | UInt32(start[1] & 0x3F)
        case 3: UInt32(start[0] & 0x0F) &<< 12 | UInt32(start[1] & 0x3F) &<< 6 | UInt32(start[2] & 0x3F)
        default:
            UInt32(start[0] & 0x07) &<< 18 | UInt32(start[1] & 0x3F) &<< 12 | UInt32(start[2] & 0x3F) &<< 6
                | UInt32(start[3] & 0x3F)
        }
    }
}
