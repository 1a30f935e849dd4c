// SPDX-License-Identifier: Apache-2.0

/// Checks UTF-8 (RFC 3629) that comes in pieces.
struct UTF8Validator: Sendable, Hashable {
    /// Continuation bytes that are still to come.
    private var missing = 0
    /// What the next one may be.
    private var range: ClosedRange<UInt8> = 0x80...0xbf

    /// Whether no character is half read.
    var isComplete: Bool { missing == 0 }

    /// Takes the next piece; false when it cannot be UTF-8.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes {
            if missing > 0 {
                guard range.contains(byte) else { return false }
                missing -= 1
                range = 0x80...0xbf
                continue
            }
            if byte < 0x80 { continue }
            // No overlong forms, no surrogates, nothing above U+10FFFF.
            switch byte {
            case 0xc2...0xdf: missing = 1
            case 0xe0: (missing, range) = (2, 0xa0...0xbf)
            case 0xed: (missing, range) = (2, 0x80...0x9f)
            case 0xe1...0xef: missing = 2
            case 0xf0: (missing, range) = (3, 0x90...0xbf)
            case 0xf4: (missing, range) = (3, 0x80...0x8f)
            case 0xf1...0xf3: missing = 3
            default: return false
            }
        }
        return true
    }
}
