// SPDX-License-Identifier: Apache-2.0

/// The name that a server's certificate must carry (RFC 6120 §13.7.1.2).
package enum TLSIdentity: Sendable, Hashable {
    /// A domain in its ASCII form (A-labels), compared with dNSName, SRV-ID and XmppAddr.
    case domain(String)
    /// An IP address without brackets, compared with iPAddress only.
    case address(String)
}

/// What makes a server's certificate acceptable.
package struct TLSTrust: Sendable, Hashable {
    /// Whether the authorities of the operating system are trusted.
    ///
    /// Defaults to true.
    package var usesSystemRoots: Bool
    /// Files of further trusted authorities in PEM form.
    ///
    /// A file that cannot be read is an error, not ignored.
    package var authorityFiles: [String]
    /// SHA-256 digests of whole certificates (DER).
    ///
    /// If there is one, exactly these certificates are accepted, whatever their names, dates and issuers, and no other
    /// certificate is.
    package var pinnedCertificates: Set<[UInt8]>
    /// SHA-256 digests of public keys (SubjectPublicKeyInfo).
    ///
    /// If there is one, the verified chain must hold at least one of these keys besides being valid. Keys that are not
    /// in use yet are backups for a rotation; none is ever learnt.
    package var pinnedKeys: Set<[UInt8]>

    package init(
        usesSystemRoots: Bool = true, authorityFiles: [String] = [], pinnedCertificates: Set<[UInt8]> = [],
        pinnedKeys: Set<[UInt8]> = []
    ) {
        self.usesSystemRoots = usesSystemRoots
        self.authorityFiles = authorityFiles
        self.pinnedCertificates = pinnedCertificates
        self.pinnedKeys = pinnedKeys
    }
}

/// A certificate of ours with its key, in PEM form without a pass phrase; shown to a verified server that asks for one.
package struct TLSClientCertificate: Sendable, Hashable {
    /// The certificate, and those of its issuers behind it.
    package var certificateFile: String
    package var keyFile: String

    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// Decides later about a certificate that verification refused: the handshake waits for the answer.
///
/// Equal only to itself.
package final class TLSTrustDecider: Sendable, Hashable {
    /// Called on the thread of the handshake, which it must not block; the answer is given once, from any thread.
    package let decide: @Sendable (_ refusal: TLSError, _ answer: @escaping @Sendable (_ accepts: Bool) -> Void) -> Void

    package init(
        _ decide: @escaping @Sendable (TLSError, @escaping @Sendable (Bool) -> Void) -> Void
    ) {
        self.decide = decide
    }

    package static func == (left: TLSTrustDecider, right: TLSTrustDecider) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What one TLS session is to do.
package struct TLSConfiguration: Sendable, Hashable {
    /// The name to find in the certificate; also the server name that is sent.
    package var identity: TLSIdentity
    /// The domain as people write it, if that differs from its ASCII form: an XmppAddr may have either.
    package var unicodeDomain: String?
    /// Whether the domain is sent as server name indication.
    ///
    /// An address never is (RFC 6066 §3). Defaults to true.
    package var sendsServerName: Bool
    /// Whom to trust.
    ///
    /// Defaults to the system's authorities.
    package var trust: TLSTrust
    /// Application protocols to offer, `xmpp-client` on direct TLS (XEP-0368 §3).
    ///
    /// Another answer than these ends the handshake; no answer is fine. Defaults to none.
    package var applicationProtocols: [String]
    /// What earlier sessions of the same account can be taken up with, nil to begin anew each time.
    package var tickets: TLSTickets?
    /// What to show to a server that asks who we are.
    ///
    /// Defaults to nothing.
    package var clientCertificate: TLSClientCertificate?
    /// Who may accept a certificate that was refused for its name, its dates, its issuer or a pin; nobody by default.
    package var decider: TLSTrustDecider?

    package init(
        identity: TLSIdentity, unicodeDomain: String? = nil, sendsServerName: Bool = true, trust: TLSTrust = TLSTrust(),
        applicationProtocols: [String] = [], clientCertificate: TLSClientCertificate? = nil,
        decider: TLSTrustDecider? = nil
    ) {
        self.identity = identity
        self.unicodeDomain = unicodeDomain
        self.sendsServerName = sendsServerName
        self.trust = trust
        self.applicationProtocols = applicationProtocols
        self.clientCertificate = clientCertificate
        self.decider = decider
    }
}
