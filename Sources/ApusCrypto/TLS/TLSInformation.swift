// SPDX-License-Identifier: Apache-2.0

/// What was agreed on in a finished handshake.
package struct TLSInformation: Sendable, Hashable {
    /// The protocol's name, such as `TLSv1.3`.
    package var protocolVersion: String
    /// Whether the protocol is TLS 1.3 or later.
    package var isTLS13: Bool
    /// The cipher suite's name.
    package var cipher: String
    /// The application protocol that the server chose.
    package var applicationProtocol: String?
    /// The server's certificate in DER form.
    package var peerCertificate: [UInt8]
    /// The certificate's subject, for people.
    package var subject: String
    /// Channel binding `tls-exporter` (RFC 9266): TLS 1.3, or TLS 1.2 with extended master secret; else nil.
    package var exporter: [UInt8]?
    /// Channel binding `tls-server-end-point` (RFC 5929 §4): nil where the certificate's signature has no hash
    /// function of its own.
    package var serverEndPoint: [UInt8]?
    /// Channel binding `tls-unique` (RFC 5929 §3): TLS 1.2 with extended master secret only; else nil.
    package var unique: [UInt8]?
    /// The session of an earlier connection was taken up: the certificate is the one that was checked then.
    package var isResumed = false

    package init(
        protocolVersion: String, isTLS13: Bool, cipher: String, applicationProtocol: String? = nil,
        peerCertificate: [UInt8], subject: String, exporter: [UInt8]? = nil, serverEndPoint: [UInt8]? = nil,
        unique: [UInt8]? = nil
    ) {
        self.protocolVersion = protocolVersion
        self.isTLS13 = isTLS13
        self.cipher = cipher
        self.applicationProtocol = applicationProtocol
        self.peerCertificate = peerCertificate
        self.subject = subject
        self.exporter = exporter
        self.serverEndPoint = serverEndPoint
        self.unique = unique
    }

    /// SHA-256 of the server's certificate: what a pin holds.
    package var peerFingerprint: [UInt8] { digest(.sha256, peerCertificate) }
}
