// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// Called by the library in place of its own verification, which this calls unchanged: once per handshake, and once
/// more when somebody has decided about a certificate that was refused.
///
/// The chain is judged by the library alone: signatures, dates, purpose, authority flags, name constraints, key
/// strength. Only what it accepted is then compared with the wanted name and the pinned keys. A pin of the certificate
/// replaces all of that.
func verifyServerCertificate(_ store: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()).map { OpaquePointer($0) }
    guard let store, let ssl, let wire = TLSWire.of(ssl), let leaf = X509_STORE_CTX_get0_cert(store) else { return 0 }
    var refusal: TLSError
    switch wire.pointee.decision {
    case true?:
        wire.pointee.refusal = nil
        X509_STORE_CTX_set_error(store, X509_V_OK)
        return 1
    case false?:
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
        return 0
    case nil:
        guard let found = judge(Certificate(leaf), store, wire.pointee.configuration) else {
            X509_STORE_CTX_set_error(store, X509_V_OK)
            return 1
        }
        refusal = found
    }
    refusal.expectedName = wire.pointee.configuration.name
    wire.pointee.refusal = refusal
    if refusal.mayBePinned, wire.pointee.configuration.decider != nil {
        ERR_clear_error()
        return apus_verify_again_later(ssl)
    }
    return 0
}

/// Why the certificate is refused, nil when it is accepted; leaves the library's code for the alert in `store`.
private func judge(
    _ certificate: Certificate, _ store: OpaquePointer, _ configuration: TLSConfiguration
) -> TLSError? {
    let pins = configuration.trust.pinnedCertificates
    guard pins.isEmpty else {
        if pins.contains(certificate.fingerprint) { return nil }
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
        return .unpinned(certificate, configuration)
    }
    guard X509_verify_cert(store) == 1, X509_STORE_CTX_get_error(store) == X509_V_OK else {
        let reason = X509_STORE_CTX_get_error(store)
        let culprit = X509_STORE_CTX_get_current_cert(store).map(Certificate.init)
        if reason == X509_V_OK { X509_STORE_CTX_set_error(store, X509_V_ERR_UNSPECIFIED) }
        return .refused(certificate, reason: reason, culprit: culprit, configuration)
    }
    guard certificate.matches(configuration.identity, unicodeDomain: configuration.unicodeDomain) else {
        X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH)
        return .mismatched(certificate, configuration)
    }
    let keys = configuration.trust.pinnedKeys
    guard keys.isEmpty || holds(store, oneOf: keys) else {
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
        return .unexpectedKey(certificate, configuration)
    }
    return nil
}

/// Whether a certificate of the chain that was verified, from the server's to its root, has one of these keys.
private func holds(_ store: OpaquePointer, oneOf keys: Set<[UInt8]>) -> Bool {
    let chain = X509_STORE_CTX_get0_chain(store)
    return (0..<apus_certificates_count(chain)).contains { index in
        apus_certificates_at(chain, index).map { keys.contains(Certificate($0).keyFingerprint) } ?? false
    }
}

extension TLSError {
    fileprivate static func unpinned(_ certificate: Certificate, _ configuration: TLSConfiguration) -> TLSError {
        var error = TLSError(
            .notPinned,
            "certificate of \(configuration.name) is not the pinned one"
                + " (its SHA-256 is \(hexadecimal(certificate.fingerprint)))",
            peerCertificate: certificate.der)
        error.furtherProblems = problems(of: certificate, configuration)
        return error
    }

    fileprivate static func unexpectedKey(_ certificate: Certificate, _ configuration: TLSConfiguration) -> TLSError {
        TLSError(
            .keyNotPinned,
            "certificate of \(configuration.name) is valid, but has none of the keys that are pinned for this account"
                + " (the SHA-256 of its key is \(hexadecimal(certificate.keyFingerprint)))",
            peerCertificate: certificate.der)
    }

    fileprivate static func mismatched(_ certificate: Certificate, _ configuration: TLSConfiguration) -> TLSError {
        let names = certificate.presentedNames
        let shown = names.prefix(4).joined(separator: ", ")
        let more = names.count > 4 ? " and others" : ""
        let summary =
            names.isEmpty
            ? "certificate of \(configuration.name) names no host (its common name does not count)"
            : "certificate of \(configuration.name) names only \(shown)\(more)"
        return TLSError(.nameMismatch(presented: names), summary, peerCertificate: certificate.der)
    }

    /// What the library's verdict means for people.
    ///
    /// `culprit` is the certificate of the chain it is about.
    fileprivate static func refused(
        _ certificate: Certificate, reason: Int32, culprit: Certificate?, _ configuration: TLSConfiguration
    ) -> TLSError {
        let subject = "certificate of \(configuration.name)"
        if certificate.isMalformed {
            // The library then finds no issuer for it, which would be a misleading answer.
            return TLSError(
                .unsuitableCertificate, "\(subject) cannot be used: malformed extension",
                peerCertificate: certificate.der)
        }
        let culprit = culprit ?? certificate
        let isLeaf = culprit.handle == certificate.handle
        let whose = isLeaf ? "" : " was issued by \"\(culprit.subject)\", whose own certificate"
        let (code, rest): (Code, String) =
            switch reason {
            case X509_V_ERR_CERT_HAS_EXPIRED:
                (.expired, "\(whose) expired" + (culprit.end.map { " \($0.distance) ago (on \($0.day))" } ?? ""))
            case X509_V_ERR_CERT_NOT_YET_VALID:
                (
                    .notYetValid,
                    "\(whose) is not valid before " + (culprit.start.map { "\($0.day) (in \($0.distance))" } ?? "later")
                )
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
                (.selfSigned, " is self-signed")
            case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
                X509_V_ERR_CERT_UNTRUSTED:
                (.unknownAuthority, " was issued by unknown authority \"\(culprit.issuer)\"")
            case X509_V_ERR_CERT_REVOKED:
                (.revoked, "\(whose) was revoked")
            default:
                (
                    .unsuitableCertificate,
                    "\(whose) cannot be used: \(String(cString: X509_verify_cert_error_string(Int(reason))))"
                )
            }
        var error = TLSError(code, subject + rest, peerCertificate: certificate.der)
        error.furtherProblems = problems(of: certificate, configuration).filter { $0 != code }
        return error
    }

    /// What a look at the certificate itself shows, whatever the library stopped at.
    private static func problems(of certificate: Certificate, _ configuration: TLSConfiguration) -> [Code] {
        var codes: [Code] = []
        if let end = certificate.end, end.age > 0 { codes.append(.expired) }
        if let start = certificate.start, start.age < 0 { codes.append(.notYetValid) }
        if !certificate.matches(configuration.identity, unicodeDomain: configuration.unicodeDomain) {
            codes.append(.nameMismatch(presented: certificate.presentedNames))
        }
        return codes
    }
}
