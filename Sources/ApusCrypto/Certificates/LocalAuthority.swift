// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// Certificates that are made here, for machines that no public authority knows.
package enum LocalAuthority {
    /// A certificate and its key, as PEM.
    package struct Pair: Hashable, Sendable {
        package var certificate: String
        package var key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Days that an authority is good.
    package static let authorityDays = 3650
    /// Days that a server's certificate is good; browsers refuse more than 398.
    package static let serverDays = 397

    /// An authority that may sign certificates of servers and nothing else.
    package static func make(name: String) -> Pair? {
        guard let key = SigningKey.make() else { return nil }
        let certificate = sign(
            key, subject: name, issuer: nil, days: authorityDays,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ], signer: key)
        return certificate.map { Pair(certificate: $0, key: key.pem) }
    }

    /// A server's certificate for these names and addresses, signed by the authority.
    ///
    /// Nil when the authority cannot be read or a name is none.
    package static func makeServer(names: [String], addresses: [String], authority: Pair) -> Pair? {
        guard let signer = SigningKey(pem: authority.key), let issuer = read(authority.certificate),
            let key = SigningKey.make()
        else { return nil }
        defer { X509_free(issuer) }
        let isName = { (text: String) in
            !text.isEmpty
                && text.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
                        || "-.:*_".utf8.contains(byte)
                }
        }
        guard (names + addresses).allSatisfy(isName), let first = (names + addresses).first else { return nil }
        let alternatives = (names.map { "DNS:" + $0 } + addresses.map { "IP:" + $0 }).joined(separator: ",")
        let certificate = sign(
            key, subject: first, issuer: issuer, days: serverDays,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, alternatives),
                (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid"),
            ], signer: signer)
        return certificate.map { Pair(certificate: $0, key: key.pem) }
    }

    /// SHA-256 of a certificate in PEM, in hexadecimal digits; nil when it cannot be read.
    package static func fingerprint(_ pem: String) -> String? {
        guard let certificate = read(pem) else { return nil }
        defer { X509_free(certificate) }
        var bytes = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard X509_digest(certificate, EVP_sha256(), &bytes, &count) == 1 else { return nil }
        return hexadecimal(bytes)
    }

    /// Whether a certificate is good for so many days more, and for each of these names and addresses.
    package static func isGood(_ pem: String, days: Int, names: [String], addresses: [String]) -> Bool {
        guard let certificate = read(pem) else { return false }
        defer { X509_free(certificate) }
        var (left, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&left, &seconds, nil, X509_get0_notAfter(certificate)) == 1, Int(left) >= days else {
            return false
        }
        return names.allSatisfy { X509_check_host(certificate, $0, $0.utf8.count, 0, nil) == 1 }
            && addresses.allSatisfy { X509_check_ip_asc(certificate, $0, 0) == 1 }
    }

    private static func read(_ pem: String) -> OpaquePointer? {
        var text = Array(pem.utf8)
        return text.withUnsafeMutableBytes { buffer in
            guard let memory = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
            defer { BIO_free(memory) }
            return PEM_read_bio_X509(memory, nil, nil, nil)
        }
    }

    private static func sign(
        _ key: SigningKey, subject: String, issuer: OpaquePointer?, days: Int, extensions: [(Int32, String)],
        signer: SigningKey
    ) -> String? {
        guard let certificate = X509_new() else { return nil }
        defer { X509_free(certificate) }
        // Positive and unguessable (RFC 5280 §4.1.2.2).
        var serial = randomBytes(16)
        serial[0] = serial[0] & 0x7F | 0x40
        guard let number = BN_bin2bn(serial, Int32(serial.count), nil) else { return nil }
        defer { BN_free(number) }
        let name = X509_get_subject_name(certificate)
        guard X509_set_version(certificate, 2) == 1,
            BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            X509_time_adj_ex(X509_getm_notBefore(certificate), 0, -3600, nil) != nil,
            X509_time_adj_ex(X509_getm_notAfter(certificate), Int32(clamping: days), 0, nil) != nil,
            X509_set_pubkey(certificate, key.handle) == 1,
            X509_NAME_add_entry_by_NID(
                name, NID_commonName, MBSTRING_FLAG | 0, Array(subject.utf8), Int32(clamping: subject.utf8.count), -1, 0
            )
                == 1,
            X509_set_issuer_name(certificate, X509_get_subject_name(issuer ?? certificate)) == 1
        else { return nil }
        for (identifier, value) in extensions {
            var context = X509V3_CTX()
            X509V3_set_ctx(&context, issuer ?? certificate, certificate, nil, nil, 0)
            guard let added = X509V3_EXT_nconf_nid(nil, &context, identifier, value) else { return nil }
            defer { X509_EXTENSION_free(added) }
            guard X509_add_ext(certificate, added, -1) == 1 else { return nil }
        }
        guard X509_sign(certificate, signer.handle, EVP_sha256()) > 0 else { return nil }
        return written { PEM_write_bio_X509($0, certificate) }
    }
}
