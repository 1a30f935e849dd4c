// SPDX-License-Identifier: Apache-2.0

/// Bytes written as `%20` in addresses (RFC 3986 §2.1).
package enum PercentCoding {
    /// What the text stands for; nil for a broken escape, for what is no UTF-8, and for control characters other than the
    /// end of a line.
    package static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { return nil }
        let isClean = decoded.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\r" || $0 == "\t"
        }
        return isClean ? decoded : nil
    }

    /// The text with all bytes escaped but the unreserved ones (RFC 3986 §2.3) and those given.
    static func encode(_ text: String, keeping allowed: String = "") -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) || allowed.utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
