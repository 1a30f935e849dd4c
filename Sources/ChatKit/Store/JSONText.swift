// SPDX-License-Identifier: Apache-2.0

/// Lists as one parameter of a statement, for `json_each`.
enum JSONText {
    static func array(_ numbers: [Int64]) -> String {
        if numbers.isEmpty { return "[]" }
        return "[" + numbers.lazy.map { String($0) }.joined(separator: ",") + "]"
    }

    static func array(_ texts: some Collection<String>) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for text in texts {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    bytes.append(UInt8(ascii: "\\"))
                    bytes.append(byte)
                case 0..<0x20:
                    bytes += Array("\\u00".utf8)
                    bytes += [byte >> 4, byte & 0xF].map {
                        $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") + $0 - 10
                    }
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "]"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
