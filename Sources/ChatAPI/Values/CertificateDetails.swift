// SPDX-License-Identifier: Apache-2.0

/// What a server's certificate says, and what is wrong with it when it was refused.
package struct CertificateDetails: Hashable, Codable, Sendable {
    /// The name that it had to carry.
    package var domain: String
    package var subject: String
    package var issuer: String
    /// The names and addresses that it is for.
    package var names: [String]
    package var validFrom: Timestamp?
    package var validUntil: Timestamp?
    /// SHA-256 of the certificate, in hexadecimal digits: what a pin of the certificate holds.
    package var fingerprint: String
    /// SHA-256 of its public key, in hexadecimal digits: what a pin of the key holds.
    package var keyFingerprint: String
    /// All that is wrong, the decisive problem first; empty when it was accepted.
    package var problems: [Problem]
    /// A user may accept it all the same, by a pin of exactly this one.
    package var mayBePinned: Bool

    package init(
        domain: String, subject: String, issuer: String, names: [String], validFrom: Timestamp? = nil,
        validUntil: Timestamp? = nil, fingerprint: String, keyFingerprint: String, problems: [Problem] = [],
        mayBePinned: Bool = false
    ) {
        self.domain = domain
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.fingerprint = fingerprint
        self.keyFingerprint = keyFingerprint
        self.problems = problems
        self.mayBePinned = mayBePinned
    }

    private enum CodingKeys: String, CodingKey {
        case domain, subject, issuer, names, problems
        case validFrom = "valid_from"
        case validUntil = "valid_until"
        case fingerprint = "sha256"
        case keyFingerprint = "key_sha256"
        case mayBePinned = "may_be_pinned"
    }

    /// What is wrong with a certificate; an open set, written as its name.
    package struct Problem: RawRepresentable, Hashable, Codable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let expired = Problem(rawValue: "expired")
        package static let notYetValid = Problem(rawValue: "not-yet-valid")
        package static let selfSigned = Problem(rawValue: "self-signed")
        package static let unknownAuthority = Problem(rawValue: "unknown-authority")
        package static let wrongName = Problem(rawValue: "wrong-name")
        package static let notPinned = Problem(rawValue: "not-pinned")
        package static let keyNotPinned = Problem(rawValue: "key-not-pinned")
        package static let revoked = Problem(rawValue: "revoked")
        package static let unsuitable = Problem(rawValue: "unsuitable")
    }
}

/// Which certificates an account accepts.
package struct TrustSettings: Hashable, Codable, Sendable {
    /// The authorities of the system count.
    package var usesSystemRoots: Bool
    /// PEM files of further authorities.
    package var authorityFiles: [String]
    /// SHA-256 digests of certificates that are accepted as they are, and no others then; hexadecimal.
    package var pinnedCertificates: [String]
    /// SHA-256 digests of public keys of which a valid certificate must have one; hexadecimal.
    package var pinnedKeys: [String]

    package init(
        usesSystemRoots: Bool = true, authorityFiles: [String] = [], pinnedCertificates: [String] = [],
        pinnedKeys: [String] = []
    ) {
        self.usesSystemRoots = usesSystemRoots
        self.authorityFiles = authorityFiles
        self.pinnedCertificates = pinnedCertificates
        self.pinnedKeys = pinnedKeys
    }

    private enum CodingKeys: String, CodingKey {
        case usesSystemRoots = "system_roots"
        case authorityFiles = "authority_files"
        case pinnedCertificates = "pinned_certificates"
        case pinnedKeys = "pinned_keys"
    }
}

/// Asks for an account's trust settings, or replaces them.
package struct TrustRequest: Hashable, Codable, Sendable {
    package var address: String
    /// nil changes nothing.
    package var settings: TrustSettings?
    /// The next login may be weaker than those before, once; nil is no.
    package var permitsWeakerLogin: Bool?

    package init(address: String, settings: TrustSettings? = nil, permitsWeakerLogin: Bool? = nil) {
        self.address = address
        self.settings = settings
        self.permitsWeakerLogin = permitsWeakerLogin
    }
}
