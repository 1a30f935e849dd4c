// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Masking keys from the system's secure random source, drawn a few at a time (RFC 6455 §5.3).
struct MaskSource {
    private var pool: [UInt8] = []

    mutating func next() -> (UInt8, UInt8, UInt8, UInt8) {
        if pool.count < 4 { pool = randomBytes(256) }
        let key = pool.suffix(4)
        let start = key.startIndex
        defer { pool.removeLast(4) }
        return (key[start], key[start + 1], key[start + 2], key[start + 3])
    }
}
