// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

extension Certificate {
    /// Whether the certificate is for `identity` (RFC 6120 §13.7.1.2, RFC 6125).
    ///
    /// A domain matches a dNSName, an SRV-ID of the client service (RFC 4985) or an XmppAddr; an address matches an
    /// iPAddress only. The common name is never looked at.
    func matches(_ identity: TLSIdentity, unicodeDomain: String? = nil) -> Bool {
        defer { ERR_clear_error() }
        switch identity {
        case .address(let address):
            return X509_check_ip_asc(handle, address, 0) == 1
        case .domain(let domain):
            if X509_check_host(handle, domain, domain.utf8.count, UInt32(Self.nameCheckFlags), nil) == 1 {
                return true
            }
            let service = "_xmpp-client." + domain
            return otherNames.contains { name in
                switch name {
                case .service(let value): equalsIgnoringCase(value, service)
                case .xmppAddress(let value):
                    equalsIgnoringCase(value, domain) || unicodeDomain.map { value.elementsEqual($0.utf8) } ?? false
                }
            }
        }
    }

    /// The names that the certificate is for, fit to show, at most sixteen.
    var presentedNames: [String] {
        var names: [String] = []
        forEachAlternativeName { name in
            guard names.count < 16 else { return }
            if let other = OtherName(name) {
                names.append(printable(String(decoding: other.value, as: UTF8.self)))
            } else if let value = apus_general_name_string(name) {
                let bytes = contents(of: value)
                names.append(
                    name.pointee.type == GEN_IPADD
                        ? addressText(bytes) : printable(String(decoding: bytes, as: UTF8.self)))
            }
        }
        return names.filter { !$0.isEmpty }
    }

    private var otherNames: [OtherName] {
        var names: [OtherName] = []
        forEachAlternativeName { name in
            if let other = OtherName(name) { names.append(other) }
        }
        return names
    }

    /// Goes through subjectAltName; a malformed or repeated extension counts as absent.
    private func forEachAlternativeName(_ body: (UnsafePointer<GENERAL_NAME>) -> Void) {
        guard let extensionValue = X509_get_ext_d2i(handle, NID_subject_alt_name, nil, nil) else {
            ERR_clear_error()
            return
        }
        let names = OpaquePointer(extensionValue)
        defer { apus_general_names_free(names) }
        for index in 0..<apus_general_names_count(names) {
            if let name = apus_general_names_at(names, index) { body(name) }
        }
    }
}

/// The two kinds of otherName that name an XMPP service.
private enum OtherName {
    case service([UInt8])
    case xmppAddress([UInt8])

    var value: [UInt8] {
        switch self {
        case .service(let value), .xmppAddress(let value): value
        }
    }

    /// Nil for another kind and for a value of the wrong type.
    init?(_ name: UnsafePointer<GENERAL_NAME>) {
        var identifier: OpaquePointer?
        if let value = apus_other_name_string(name, V_ASN1_IA5STRING, &identifier),
            isObject(identifier, "1.3.6.1.5.5.7.8.7")
        {
            self = .service(contents(of: value))
        } else if let value = apus_other_name_string(name, V_ASN1_UTF8STRING, &identifier),
            isObject(identifier, "1.3.6.1.5.5.7.8.5")
        {
            self = .xmppAddress(contents(of: value))
        } else {
            return nil
        }
    }
}

private func isObject(_ identifier: OpaquePointer?, _ number: String) -> Bool {
    guard let identifier, let wanted = OBJ_txt2obj(number, 1) else { return false }
    defer { ASN1_OBJECT_free(wanted) }
    return OBJ_cmp(identifier, wanted) == 0
}

private func contents(of string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: max(0, Int(ASN1_STRING_length(string)))))
}

private func equalsIgnoringCase(_ bytes: [UInt8], _ text: String) -> Bool {
    bytes.elementsEqual(text.utf8) { lowered($0) == lowered($1) }
}

private func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

private func addressText(_ bytes: [UInt8]) -> String {
    switch bytes.count {
    case 4:
        return bytes.map(String.init).joined(separator: ".")
    case 16:
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    default:
        return "a malformed address"
    }
}
