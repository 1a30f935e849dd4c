// SPDX-License-Identifier: Apache-2.0

extension JID {
    /// The domain as DNS, SNI and certificates spell it: international labels in their `xn--` form.
    ///
    /// An IP address is returned as in ``domain``, version 6 in brackets.
    public var asciiDomain: String { DomainName.ascii(domain) }

    /// Whether the domain is an IP address instead of a name.
    public var isIPLiteral: Bool { addressLiteral != nil }

    /// The domain's IP address without brackets; nil when the domain is a name.
    package var addressLiteral: String? {
        withUTF8 { bytes in
            let domain = bytes[domainStart..<Int(domainEnd)]
            if domain.first == UInt8(ascii: "[") {
                return String(decoding: domain.dropFirst().dropLast(), as: UTF8.self)
            }
            // A canonical name that ends in a digit's label is an address: the parser takes no other.
            guard domain.last.map({ $0 < 0x3A }) == true, domain.allSatisfy({ $0 < 0x3A }) else { return nil }
            guard IPLiteral.isVersion4(Array(domain)) else { return nil }
            return String(decoding: domain, as: UTF8.self)
        }
    }
}
