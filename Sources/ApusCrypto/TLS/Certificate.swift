// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// A view of a certificate that the library holds.
///
/// Valid for as long as the library keeps it.
struct Certificate {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    /// All flags of the library's name check, none left to its defaults: the subject's common name never counts, and
    /// a wildcard is a whole left-most label that stands for exactly one label.
    static let nameCheckFlags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS

    var der: [UInt8] {
        let count = Int(i2d_X509(handle, nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            var position = output.baseAddress
            filled = max(0, Int(i2d_X509(handle, &position)))
        }
    }

    var fingerprint: [UInt8] {
        var value = [UInt8](repeating: 0, count: 32)
        return X509_digest(handle, EVP_sha256(), &value, nil) == 1 ? value : []
    }

    /// SHA-256 of the public key with its algorithm (SubjectPublicKeyInfo, RFC 7469 §2.4).
    var keyFingerprint: [UInt8] {
        guard let key = X509_get_X509_PUBKEY(handle) else { return [] }
        let count = Int(i2d_X509_PUBKEY(key, nil))
        guard count > 0 else { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            var position = output.baseAddress
            filled = max(0, Int(i2d_X509_PUBKEY(key, &position)))
        }
        return digest(.sha256, bytes)
    }

    var subject: String { displayName(X509_get_subject_name(handle)) }
    var issuer: String { displayName(X509_get_issuer_name(handle)) }

    /// Whether an extension that matters for verification does not follow its syntax.
    var isMalformed: Bool { X509_get_extension_flags(handle) & UInt32(EXFLAG_INVALID) != 0 }

    /// The last moment of validity.
    var end: CertificateTime? { X509_get0_notAfter(handle).flatMap(CertificateTime.init) }
    /// The first moment of validity.
    var start: CertificateTime? { X509_get0_notBefore(handle).flatMap(CertificateTime.init) }

    /// The common name, else the organisation, else the whole name on one line.
    private func displayName(_ name: OpaquePointer?) -> String {
        for part in [NID_commonName, NID_organizationalUnitName, NID_organizationName] {
            let index = X509_NAME_get_index_by_NID(name, part, -1)
            guard index >= 0, let entry = X509_NAME_get_entry(name, index),
                let value = X509_NAME_ENTRY_get_data(entry), let text = utf8(value), !text.isEmpty
            else { continue }
            return printable(text)
        }
        guard let line = X509_NAME_oneline(name, nil, 0) else { return "" }
        defer { CRYPTO_free(line, #fileID, #line) }
        return printable(String(cString: line))
    }

    private func utf8(_ value: UnsafePointer<ASN1_STRING>) -> String? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&bytes, value)
        guard count >= 0, let bytes else {
            ERR_clear_error()
            return nil
        }
        defer { CRYPTO_free(bytes, #fileID, #line) }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }
}

/// One end of a certificate's validity.
struct CertificateTime {
    /// The day as `2026-11-28`, in UTC.
    let day: String
    /// Whole seconds from that time until now; negative while it is in the future.
    let age: Int

    init?(_ time: UnsafePointer<ASN1_TIME>) {
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, time, nil) == 1,
            let general = ASN1_TIME_to_generalizedtime(time, nil)
        else {
            ERR_clear_error()
            return nil
        }
        defer { ASN1_GENERALIZEDTIME_free(general) }
        age = Int(days) * 86400 + Int(seconds)
        let digits = String(
            decoding: UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(general), count: Int(ASN1_STRING_length(general))), as: UTF8.self)
        day = "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.dropFirst(6).prefix(2))"
    }

    /// The distance in words, such as `2 days`.
    var distance: String {
        let seconds = abs(age)
        let (count, unit) =
            switch seconds {
            case 172_800...: (seconds / 86400, "days")
            case 7200...: (seconds / 3600, "hours")
            case 120...: (seconds / 60, "minutes")
            default: (seconds, seconds == 1 ? "second" : "seconds")
            }
        return "\(count) \(unit)"
    }
}

/// Text of the other side made fit to show: one line, no control or invisible characters, no more than 120 characters.
func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(120) {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            result.append("\u{FFFD}")
        default:
            result.append(scalar)
        }
    }
    if text.unicodeScalars.count > 120 { result.append("…") }
    return String(result)
}
