// SPDX-License-Identifier: Apache-2.0

/// FNV-1a: the same in every process and version, for hashes that are stored.
///
/// It keeps nobody from making two texts with the same hash: whoever finds something by it looks at the text too.
struct StableHash {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(byte) }
        mix(0xFF as UInt8)
    }

    mutating func mix(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
    }

    private mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
}
