// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

extension TLSConfiguration {
    /// The name for messages; an IPv6 address in brackets.
    var name: String {
        switch identity {
        case .domain(let name): name
        case .address(let address): address.contains(":") ? "[\(address)]" : address
        }
    }

    /// The protocol names as the library wants them, each behind its length (RFC 7301 §3.1).
    var encodedProtocols: [UInt8] {
        applicationProtocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
    }

    /// The same with an address in its place, or an error where no certificate could ever match.
    ///
    /// The library gives a name that starts with a full stop the meaning "any name below", and ends names at a zero
    /// byte; neither is a domain.
    func validated() throws(TLSError) -> TLSConfiguration {
        var valid = self
        switch identity {
        case .address(let address):
            guard isAddress(address) else { throw invalid(address, "is not an IP address") }
        case .domain(let domain):
            if isAddress(domain) { valid.identity = .address(domain) }
            guard !domain.isEmpty, domain.utf8.first != UInt8(ascii: "."), domain.utf8.count <= 255,
                domain.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") })
            else { throw invalid(domain, "is not a domain that a certificate can carry") }
        }
        guard applicationProtocols.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
            throw TLSError(.invalidIdentity, "the name of an application protocol has 1 to 255 bytes")
        }
        return valid
    }

    private func invalid(_ name: String, _ reason: String) -> TLSError {
        TLSError(.invalidIdentity, "\"\(printable(name))\" \(reason)")
    }
}

/// Whether `text` is an IPv4 or IPv6 address as the library reads it.
func isAddress(_ text: String) -> Bool {
    guard !text.utf8.contains(0), let octets = a2i_IPADDRESS(text) else {
        ERR_clear_error()
        return false
    }
    ASN1_OCTET_STRING_free(octets)
    return true
}
