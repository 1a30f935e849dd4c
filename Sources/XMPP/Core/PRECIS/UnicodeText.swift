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

    /// Full-width and half-width characters become the ones they stand for (RFC 8264 §5.2.1).
    static func widthMapped(_ text: [UInt32]) -> [UInt32] {
        text.map { value in
            guard value == 0x3000 || (0xFF01...0xFFEF).contains(value) else { return value }
            var tag: Int32 = 0
            var parts = [UInt32](repeating: 0, count: Int(UC_DECOMPOSITION_MAX_LENGTH))
            let count = uc_decomposition(value, &tag, &parts)
            let isWidth = tag == Int32(UC_DECOMP_WIDE) || tag == Int32(UC_DECOMP_NARROW)
            return count == 1 && isWidth ? parts[0] : value
        }
    }

    static func utf8(_ text: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for value in text { bytes += UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter }
        return bytes
    }

    private typealias Mapping = (UnsafePointer<UInt32>?, Int, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt32>?

    private static func mapped(_ text: [UInt32], _ mapping: Mapping) -> [UInt32] {
        if text.isEmpty { return text }
        var count = 0
        // Fails only when memory is out, or on surrogates, which no decoded text holds.
        guard let result = mapping(text, text.count, &count) else { return text }
        defer { free(result) }
        return Array(UnsafeBufferPointer(start: result, count: count))
    }
}
