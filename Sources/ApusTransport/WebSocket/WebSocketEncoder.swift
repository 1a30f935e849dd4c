// SPDX-License-Identifier: Apache-2.0

/// Makes a client's frames (RFC 6455 §5.2 and §5.3): pure, the masking key comes from outside.
package enum WebSocketEncoder {
    package enum Kind: UInt8, Sendable {
        case text = 1, close = 8, ping = 9, pong = 10
    }

    /// The longest header of a frame.
    private static let headerBytes = 14

    /// Appends one whole frame; `key` are 4 random bytes that serve for no other frame.
    package static func append(
        _ kind: Kind, _ payload: UnsafeRawBufferPointer, key: (UInt8, UInt8, UInt8, UInt8), to output: inout [UInt8]
    ) {
        output.reserveCapacity(output.count + payload.count + headerBytes)
        output.append(0x80 | kind.rawValue)
        let count = payload.count
        if count < 126 {
            output.append(0x80 | UInt8(count))
        } else if count <= 0xffff {
            output += [0x80 | 126, UInt8(count >> 8), UInt8(count & 0xff)]
        } else {
            output.append(0x80 | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                output.append(UInt8(truncatingIfNeeded: UInt64(count) >> UInt64(shift)))
            }
        }
        let mask = [key.0, key.1, key.2, key.3]
        output += mask
        var index = 0
        for byte in payload {
            output.append(byte ^ mask[index & 3])
            index &+= 1
        }
    }

    /// The payload of a close frame.
    package static func closePayload(_ code: UInt16?) -> [UInt8] {
        code.map { [UInt8($0 >> 8), UInt8($0 & 0xff)] } ?? []
    }
}
