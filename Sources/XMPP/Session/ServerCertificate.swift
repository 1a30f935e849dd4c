// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto
import ApusTransport

/// What a server's certificate says.
///
/// Texts in it come from the other side; control characters are replaced.
public struct ServerCertificate: Sendable, Hashable {
    /// The common name of the subject, or what comes closest.
    public let subject: String
    /// The same of the issuer.
    public let issuer: String
    /// The names and addresses that it is for, at most sixteen.
    public let names: [String]
    /// The begin of its validity.
    public let validFrom: DateTime?
    /// The end of its validity.
    public let validUntil: DateTime?
    /// The SHA-256 digest of the certificate: what ``Trust/pinnedCertificates`` holds.
    public let fingerprint: [UInt8]
    /// The SHA-256 digest of its public key: what ``Trust/pinnedKeys`` holds.
    public let keyFingerprint: [UInt8]

    package init(_ summary: CertificateSummary) {
        subject = summary.subject
        issuer = summary.issuer
        names = summary.names
        validFrom = summary.validFrom.map { DateTime(seconds: $0) }
        validUntil = summary.validUntil.map { DateTime(seconds: $0) }
        fingerprint = summary.fingerprint
        keyFingerprint = summary.keyFingerprint
    }
}

/// A certificate that was refused, and everything that is wrong with it.
public struct CertificateRefusal: Sendable, Hashable {
    /// What is wrong with a certificate.
    public enum Problem: Sendable, Hashable {
        /// It was valid until a time in the past.
        case expired
        /// It will be valid from a time in the future.
        case notYetValid
        /// It is its own issuer.
        case selfSigned
        /// No trusted authority vouches for it.
        case unknownAuthority
        /// It is for other names.
        case wrongName
        /// The account is pinned to another certificate.
        case notPinned
        /// The account is pinned to other keys.
        case keyNotPinned
        /// Its issuer took it back.
        case revoked
        /// It breaks a rule: purpose, authority flag, name constraints, key strength.
        case unsuitable
    }

    /// The domain that the certificate had to be for.
    public let domain: String
    /// What it says.
    public let certificate: ServerCertificate
    /// All that is wrong, the decisive problem first.
    public let problems: [Problem]
    /// The decisive problem in one line, fit to show.
    public let explanation: String
    /// Whether a user may accept it all the same, by a pin of exactly this one.
    public let mayBePinned: Bool

    package init?(_ error: TLSError) {
        guard let summary = error.certificate, let first = Problem(error.code) else { return nil }
        domain = error.expectedName
        certificate = ServerCertificate(summary)
        problems = [first] + error.furtherProblems.compactMap { Problem($0) }
        explanation = error.summary
        mayBePinned = error.mayBePinned
    }
}

extension CertificateRefusal.Problem {
    init?(_ code: TLSError.Code) {
        switch code {
        case .expired: self = .expired
        case .notYetValid: self = .notYetValid
        case .selfSigned: self = .selfSigned
        case .unknownAuthority: self = .unknownAuthority
        case .nameMismatch: self = .wrongName
        case .notPinned: self = .notPinned
        case .keyNotPinned: self = .keyNotPinned
        case .revoked: self = .revoked
        case .unsuitableCertificate: self = .unsuitable
        default: return nil
        }
    }
}

extension XMPPError {
    /// The certificate that was refused, where that is what went wrong.
    public var certificateRefusal: CertificateRefusal? {
        guard let cause = underlying as? TransportError, case .tls(let error) = cause.code else { return nil }
        return CertificateRefusal(error)
    }
}
