// SPDX-License-Identifier: Apache-2.0
package import Glibc

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]
    /// The interface of a link-local IPv6 address, else 0.
    package let scope: UInt32

    package var isIPv6: Bool { bytes.count == 16 }

    init(bytes: [UInt8], scope: UInt32 = 0) {
        self.bytes = bytes
        self.scope = scope
    }

    /// Reads a literal without a zone; IPv6 with or without the brackets of RFC 7622 §3.2.
    package init?(_ text: String) {
        var literal = text[...]
        let isBracketed = literal.first == "["
        if isBracketed {
            guard literal.last == "]" else { return nil }
            literal = literal.dropFirst().dropLast()
        }
        let string = String(literal)
        var storage = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, string, &storage) == 1 {
            self.init(bytes: storage)
        } else if !isBracketed, inet_pton(AF_INET, string, &storage) == 1 {
            self.init(bytes: Array(storage.prefix(4)))
        } else {
            return nil
        }
    }

    /// The literal without brackets.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Calls `body` with the socket address for `port`.
    package func withSocketAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
        -> Result
    {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return withUnsafeBytes(of: &address) { callWithAddress($0, body) }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
        return withUnsafeBytes(of: &address) { callWithAddress($0, body) }
    }

    private func callWithAddress<Result>(
        _ raw: UnsafeRawBufferPointer, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        raw.withMemoryRebound(to: sockaddr.self) { rebound in
            guard let base = rebound.baseAddress else {
                // The buffer is a whole variable: it has an address.
                preconditionFailure("a socket address is never empty")
            }
            return body(base, socklen_t(raw.count))
        }
    }
}
