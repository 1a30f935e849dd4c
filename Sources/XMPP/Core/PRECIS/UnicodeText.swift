// SPDX-License-Identifier: Apache-2.0
import ApusCUnistring
import Glibc

/// Texts as arrays of code points, and what libunistring does to them.
///
/// Used for the rare text that is not canonical ASCII; nothing here is on a hot path.
enum UnicodeText {
    static func nfc(_ text: [UInt32]) -> [UInt32] { mapped(text, apus_u32_nfc) }

    static func nfkc(_ text: [UInt32]) -> [UInt32] { mapped(text, apus_u32_nfkc) }

    /// The complete lower-case mapping of Unicode, with the rule for a final sigma and without any language.
    static func lowercased(_ text: [UInt32]) -> [UInt32] { mapped(text, apus_u32_tolower) }

    /// Full-width and half-width characters become the single ones they stand for (RFC 8264 §5.2.1).
    ///
    /// The decomposition is the complete one, so that half-width Hangul letters become letters that join.
    static func widthMapped(_ text: [UInt32]) -> [UInt32] {
        text.map { value in
            guard value == 0x3000 || (0xFF01...0xFFEF).contains(value) else { return value }
            let decomposed = nfkc([value])
            return decomposed.count == 1 ? decomposed[0] : value
        }
    }

    static func utf8(_ text: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for value in text { bytes += UTF8.encode(scalar(value)) ?? UTF8.encodedReplacementCharacter }
        return bytes
    }

    /// The scalar with this value; U+FFFD for a surrogate, which no decoded text holds.
    static func scalar(_ value: UInt32) -> Unicode.Scalar { Unicode.Scalar(value) ?? "\u{FFFD}" }

    private static func mapped(
        _ text: [UInt32],
        _ mapping: (UnsafePointer<UInt32>?, Int, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt32>?
    ) -> [UInt32] {
        if text.isEmpty { return text }
        var count = 0
        // Fails only when memory is out, or on surrogates, which no decoded text holds.
        guard let result = mapping(text, text.count, &count) else { return text }
        defer { free(result) }
        return Array(UnsafeBufferPointer(start: result, count: count))
    }
}
