// SPDX-License-Identifier: Apache-2.0

/// The base64 form of `bytes` with padding and without line breaks (RFC 4648 §4).
package func base64(_ bytes: [UInt8]) -> String {
    let count = (bytes.count + 2) / 3 * 4
    return String(unsafeUninitializedCapacity: count) { output in
        var written = 0
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let first = UInt32(bytes[index]) << 16
            let second = left > 1 ? UInt32(bytes[index + 1]) << 8 : 0
            let third = left > 2 ? UInt32(bytes[index + 2]) : 0
            let group = first | second | third
            output[written] = encoded(group >> 18)
            output[written + 1] = encoded(group >> 12)
            output[written + 2] = left > 1 ? encoded(group >> 6) : UInt8(ascii: "=")
            output[written + 3] = left > 2 ? encoded(group) : UInt8(ascii: "=")
            written += 4
            index += 3
        }
        return written
    }
}

/// The bytes that `text` stands for, or nil where it is not exactly what `base64(_:)` would write for them.
///
/// White space, missing or misplaced padding, characters of another alphabet and unused bits that are not zero are
/// refused (RFC 4648 §3).
package func decodeBase64(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decodeBase64($0) }
}

/// The bytes that ASCII base64 stands for; refuses the same as the form that takes a string.
package func decodeBase64(_ text: [UInt8]) -> [UInt8]? {
    text.withUnsafeBufferPointer { decodeBase64($0) }
}

/// The bytes that ASCII base64 in memory stands for; refuses the same as the form that takes a string.
package func decodeBase64(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    guard !text.isEmpty else { return [] }
    let padding =
        text[text.count - 1] != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var index = 0
    while index < text.count {
        let isLast = index + 4 == text.count
        let digits = isLast ? 4 - padding : 4
        var group: UInt32 = 0
        for offset in 0..<digits {
            guard let value = decoded(text[index + offset]) else { return nil }
            group |= UInt32(value) << UInt32(18 - 6 * offset)
        }
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        switch digits {
        case 4:
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
        case 3:
            guard group & 0xFF == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        default:
            guard group & 0xFFFF == 0 else { return nil }
        }
        index += 4
    }
    return bytes
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5).
package func base64url(_ bytes: [UInt8]) -> String {
    String(
        decoding: base64(bytes).utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }, as: UTF8.self)
}

/// The bytes that URL-safe base64 without padding stands for; padding is forgiven, and nothing else.
package func decodeBase64url(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
        case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "/"))
        case UInt8(ascii: "+"), UInt8(ascii: "/"): return nil
        default: bytes.append(byte)
        }
    }
    while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
    return decodeBase64(bytes)
}

private func encoded(_ value: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: value & 63)
    return switch value {
    case 0..<26: UInt8(ascii: "A") &+ value
    case 26..<52: UInt8(ascii: "a") &+ (value &- 26)
    case 52..<62: UInt8(ascii: "0") &+ (value &- 52)
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
}

private func decoded(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character &- UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character &- UInt8(ascii: "a") &+ 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character &- UInt8(ascii: "0") &+ 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
}
