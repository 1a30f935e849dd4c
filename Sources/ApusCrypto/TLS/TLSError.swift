// SPDX-License-Identifier: Apache-2.0

/// Why a TLS connection did not come about or could not go on.
package struct TLSError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kinds of failure.
    package enum Code: Sendable, Hashable {
        /// The certificate, or one of its issuers, was valid until a time in the past.
        case expired
        /// The certificate, or one of its issuers, will be valid from a time in the future.
        case notYetValid
        /// The certificate is its own issuer and is not trusted.
        case selfSigned
        /// No trusted authority vouches for the certificate.
        case unknownAuthority
        /// The certificate is valid for other names, which are given.
        case nameMismatch(presented: [String])
        /// The issuer took the certificate back.
        case revoked
        /// The certificate or its chain breaks a rule: purpose, authority flag, name constraints, key strength.
        case unsuitableCertificate
        /// The account is pinned to another certificate.
        case notPinned
        /// The certificate is valid, but neither its key nor one of its issuers' is among the keys of the account.
        case keyNotPinned
        /// No common protocol version: both sides need TLS 1.2 or later.
        case protocolVersion
        /// The server ended the handshake or the connection with this alert (RFC 8446 §6), such as `handshake failure`.
        case alert(String)
        /// The server chose an application protocol that was not offered.
        case applicationProtocol
        /// What answered does not speak TLS.
        case notTLS
        /// The handshake broke a rule of the protocol, or no parameters were shared.
        case handshake(String)
        /// The server ended the connection before the handshake was finished.
        case closedInHandshake
        /// Bytes after the handshake broke a rule of the protocol or did not decrypt.
        case brokenRecord(String)
        /// The connection ended without the closing alert: what was received may be cut short.
        case closedUncleanly
        /// The server made work without sending data: key updates, renegotiation requests, empty records.
        case flood
        /// A file of trusted authorities could not be read.
        case unreadableAuthority(String)
        /// Our own certificate or its key could not be read, or do not belong together.
        case unreadableClientCertificate(String)
        /// The domain or address cannot be checked against a certificate.
        case invalidIdentity
        /// The session is not in a state for what was asked of it.
        case notEstablished
    }

    package var code: Code
    /// One clause in plain words that names the server and the cause.
    package var summary: String
    /// The certificate of the server in DER form, where it sent one.
    package var peerCertificate: [UInt8]?
    /// What else is wrong with the certificate; a user who decides about it has to know all of it.
    package var furtherProblems: [Code] = []
    /// The name that the certificate had to carry.
    package var expectedName = ""

    package init(_ code: Code, _ summary: String, peerCertificate: [UInt8]? = nil) {
        self.code = code
        self.summary = summary
        self.peerCertificate = peerCertificate
    }

    /// SHA-256 of the server's certificate: what a pin would hold.
    package var peerFingerprint: [UInt8]? { peerCertificate.map { digest(.sha256, $0) } }

    /// Whether a user may accept the certificate all the same, by a pin of exactly this one.
    ///
    /// What is broken in itself stays refused: a certificate that was revoked or that breaks a rule, and one whose key
    /// is not among those that the account was told to expect.
    package var mayBePinned: Bool {
        guard peerCertificate != nil else { return false }
        switch code {
        case .expired, .notYetValid, .selfSigned, .unknownAuthority, .nameMismatch, .notPinned: return true
        default: return false
        }
    }

    /// Whether another attempt may work without a change of ours: what the server shows may be repaired, or was shown by
    /// another network that is left again.
    package var isRetryable: Bool {
        switch code {
        case .unreadableAuthority, .unreadableClientCertificate, .invalidIdentity, .notEstablished: false
        default: true
        }
    }

    package var description: String { summary }

    package var debugDescription: String {
        guard let peerFingerprint else { return "\(code): \(summary)" }
        return "\(code): \(summary) [certificate SHA-256 \(hexadecimal(peerFingerprint))]"
    }
}

/// Bytes as lower-case hexadecimal digits.
package func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: bytes.count * 2) { output in
        for (index, byte) in bytes.enumerated() {
            output[2 * index] = digits[Int(byte >> 4)]
            output[2 * index + 1] = digits[Int(byte & 15)]
        }
        return bytes.count * 2
    }
}
