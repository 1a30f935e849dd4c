// SPDX-License-Identifier: Apache-2.0

/// Turns the bytes of a checked value into the characters that they stand for.
enum XMLDecoding {
    /// The text of a value whose record has the flags `word`.
    static func string(_ bytes: UnsafeBufferPointer<UInt8>, word: UInt32) -> String {
        guard word & ElementRecord.encoded != 0 else { return String(decoding: bytes, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: bytes.count) { decode(bytes, word: word, into: $0) }
    }

    /// Gives the decoded bytes of a value, without a copy when they stand there as they are.
    @inline(__always)
    static func withBytes<Result>(
        _ bytes: UnsafeBufferPointer<UInt8>, word: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        guard word & ElementRecord.encoded != 0 else { return body(bytes) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { decoded in
            let count = decode(bytes, word: word, into: decoded)
            return body(UnsafeBufferPointer(rebasing: decoded[..<count]))
        }
    }

    /// Appends the decoded bytes of a value.
    static func append(_ bytes: UnsafeBufferPointer<UInt8>, word: UInt32, to output: inout [UInt8]) {
        withBytes(bytes, word: word) { output.append(contentsOf: $0) }
    }

    /// Decodes into a buffer that has room for as many bytes as are given; returns how many were written.
    ///
    /// Line ends become LF (XML 1.0 §2.11), in attributes a space (§3.3.3); references are resolved except in CDATA.
    static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, word: UInt32, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        let isText = word & ElementRecord.kindMask == ElementRecord.text
        let resolves = !(isText && word & ElementRecord.characterData != 0)
        let lineEnd: UInt8 = isText ? 0x0A : 0x20
        var read = 0
        var written = 0
        while read < bytes.count {
            let byte = bytes[read]
            switch byte {
            case 0x0D:
                output[written] = lineEnd
                written += 1
                if read + 1 < bytes.count, bytes[read + 1] == 0x0A { read += 1 }
                read += 1
            case 0x09, 0x0A:
                output[written] = isText ? byte : 0x20
                written += 1
                read += 1
            case UInt8(ascii: "&") where resolves:
                let (scalar, length) = reference(bytes, at: read)
                written += write(scalar, into: output, at: written)
                read += length
            default:
                output[written] = byte
                written += 1
                read += 1
            }
        }
        return written
    }

    /// The character of the reference at `start`, which the parser has checked, and the length of the reference.
    private static func reference(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> (UInt32, Int) {
        var end = start + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: ";") { end += 1 }
        let length = min(end + 1, bytes.count) - start
        guard start + 1 < end else { return (0xFFFD, max(length, 1)) }
        if bytes[start + 1] != UInt8(ascii: "#") {
            switch (bytes[start + 1], length) {
            case (UInt8(ascii: "a"), 5): return (0x26, length)
            case (UInt8(ascii: "a"), _): return (0x27, length)
            case (UInt8(ascii: "l"), _): return (0x3C, length)
            case (UInt8(ascii: "g"), _): return (0x3E, length)
            default: return (0x22, length)
            }
        }
        let isHex = start + 2 < end && bytes[start + 2] == UInt8(ascii: "x")
        var value: UInt32 = 0
        for byte in bytes[(start + (isHex ? 3 : 2))..<end] {
            value = value &* (isHex ? 16 : 10) &+ UInt32(XMLDecoding.digit(byte) ?? 0)
        }
        return (value, length)
    }

    /// The value of a digit, hexadecimal ones included.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func write(_ scalar: UInt32, into output: UnsafeMutableBufferPointer<UInt8>, at index: Int) -> Int {
        let encoded = UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
        var count = 0
        for byte in encoded where index + count < output.count {
            output[index + count] = byte
            count += 1
        }
        return count
    }
}
