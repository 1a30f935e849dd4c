// SPDX-License-Identifier: Apache-2.0

extension IPAddress {
    /// Whether the address can be that of a host on the public Internet: not this machine, not a private network, no
    /// link-local, multicast, test or reserved range (RFC 6890), whichever way it is written.
    package var isPublic: Bool {
        isIPv6 ? IPAddress.isPublic6(bytes) : IPAddress.isPublic4(bytes[...])
    }

    private static func isPublic4(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count == 4, let first = bytes.first else { return false }
        let second = bytes[bytes.startIndex + 1]
        let third = bytes[bytes.startIndex + 2]
        switch (first, second, third) {
        case (0, _, _), (10, _, _), (127, _, _), (224...255, _, _): return false
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): return false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): return false
        default: return true
        }
    }

    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        // Ways to write an IPv4 address: mapped, translated (RFC 6052), 6to4 (RFC 3056).
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF { return isPublic4(bytes[12...]) }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return isPublic4(bytes[12...]) }
        if bytes.starts(with: [0x20, 0x02]) { return isPublic4(bytes[2..<6]) }
        // Global unicast is 2000::/3; of it neither Teredo, ORCHID, benchmarks and documentation (2001::/23, 2001:db8::/32)
        // nor 3fff::/20.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes[0] == 0x20, bytes[1] == 0x01, bytes[2] & 0xFE == 0 { return false }
        if bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8]) { return false }
        return !(bytes[0] == 0x3F && bytes[1] == 0xFF && bytes[2] & 0xF0 == 0)
    }
}
