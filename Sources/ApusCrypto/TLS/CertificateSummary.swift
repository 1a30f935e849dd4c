// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// What a certificate says, for people and for pins; nothing of it is verified by being here.
package struct CertificateSummary: Sendable, Hashable {
    /// The common name of its subject, or what comes closest.
    package var subject: String
    /// The same of its issuer.
    package var issuer: String
    /// The names and addresses that it is for, at most sixteen.
    package var names: [String]
    /// The first second of its validity since 1970.
    package var validFrom: Int64?
    /// The last second of its validity since 1970.
    package var validUntil: Int64?
    /// SHA-256 of the certificate.
    package var fingerprint: [UInt8]
    /// SHA-256 of its public key (SubjectPublicKeyInfo).
    package var keyFingerprint: [UInt8]

    package init(
        subject: String, issuer: String, names: [String], validFrom: Int64? = nil, validUntil: Int64? = nil,
        fingerprint: [UInt8], keyFingerprint: [UInt8]
    ) {
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.fingerprint = fingerprint
        self.keyFingerprint = keyFingerprint
    }

    /// Reads a certificate in DER form; nil when it is none.
    package init?(der: [UInt8]) {
        defer { ERR_clear_error() }
        let handle = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            return d2i_X509(nil, &position, bytes.count)
        }
        guard let handle else { return nil }
        defer { X509_free(handle) }
        let certificate = Certificate(handle)
        self.init(
            subject: certificate.subject, issuer: certificate.issuer, names: certificate.presentedNames,
            validFrom: X509_get0_notBefore(handle).flatMap(Self.seconds),
            validUntil: X509_get0_notAfter(handle).flatMap(Self.seconds), fingerprint: certificate.fingerprint,
            keyFingerprint: certificate.keyFingerprint)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>) -> Int64? {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86400 + Int64(seconds)
    }
}

extension TLSInformation {
    /// What the server's certificate says.
    package var certificate: CertificateSummary? { CertificateSummary(der: peerCertificate) }
}

extension TLSError {
    /// What the server's certificate says, where it sent one.
    package var certificate: CertificateSummary? { peerCertificate.flatMap { CertificateSummary(der: $0) } }
}
