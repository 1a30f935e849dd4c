// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Domains that are IP addresses (RFC 7622 §3.2).
enum IPLiteral {
    /// The canonical form of a version 6 address in brackets.
    static func canonicalVersion6(_ bytes: [UInt8]) throws(JIDError) -> [UInt8] {
        let inner = bytes.dropFirst().dropLast()
        // Longer than any address, zero bytes end a C string early, and a zone means something on one machine only.
        guard bytes.last == UInt8(ascii: "]"), inner.count < 46, !inner.contains(0) else { throw malformed }
        var address = in6_addr()
        let text = inner.map { CChar(truncatingIfNeeded: $0) } + [0]
        guard inet_pton(AF_INET6, text, &address) == 1 else { throw malformed }
        var output = [CChar](repeating: 0, count: 46)
        guard inet_ntop(AF_INET6, &address, &output, socklen_t(output.count)) != nil else { throw malformed }
        let canonical = output.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        return [UInt8(ascii: "[")] + canonical + [UInt8(ascii: "]")]
    }

    /// Whether the bytes are a version 4 address: four decimal numbers without leading zeros.
    static func isVersion4(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= 15, !bytes.contains(0) else { return false }
        var address = in_addr()
        return inet_pton(AF_INET, bytes.map { CChar(truncatingIfNeeded: $0) } + [0], &address) == 1
    }

    private static var malformed: JIDError {
        JIDError(.domain, .literal, "is not a valid IP address in brackets")
    }
}
