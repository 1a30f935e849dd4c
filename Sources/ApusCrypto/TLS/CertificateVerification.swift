// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// Called by the library once per handshake in place of its own verification, which this calls unchanged.
///
/// The chain is judged by the library alone: signatures, dates, purpose, authority flags, name constraints, key
/// strength. Only what it accepted is then compared with the wanted name. A pin replaces both.
func verifyServerCertificate(_ store: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
    guard let store, let wire = TLSWire.of(ssl.map { OpaquePointer($0) }), let leaf = X509_STORE_CTX_get0_cert(store)
    else { return 0 }
    let configuration = wire.pointee.configuration
    let certificate = Certificate(leaf)
    let pins = configuration.trust.pinnedCertificates
    guard pins.isEmpty else {
        if pins.contains(certificate.fingerprint) {
            X509_STORE_CTX_set_error(store, X509_V_OK)
            return 1
        }
        wire.pointee.refusal = .unpinned(certificate, configuration)
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
        return 0
    }
    guard X509_verify_cert(store) == 1, X509_STORE_CTX_get_error(store) == X509_V_OK else {
        let reason = X509_STORE_CTX_get_error(store)
        let culprit = X509_STORE_CTX_get_current_cert(store).map(Certificate.init)
        wire.pointee.refusal = .refused(certificate, reason: reason, culprit: culprit, configuration)
        if reason == X509_V_OK { X509_STORE_CTX_set_error(store, X509_V_ERR_UNSPECIFIED) }
        return 0
    }
    guard certificate.matches(configuration.identity, unicodeDomain: configuration.unicodeDomain) else {
        wire.pointee.refusal = .mismatched(certificate, configuration)
        X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH)
        return 0
    }
    return 1
}

extension TLSError {
    fileprivate static func unpinned(_ certificate: Certificate, _ configuration: TLSConfiguration) -> TLSError {
        TLSError(
            .notPinned,
            "certificate of \(configuration.name) is not the pinned one"
                + " (its SHA-256 is \(hexadecimal(certificate.fingerprint)))",
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
        return TLSError(code, subject + rest, peerCertificate: certificate.der)
    }
}
