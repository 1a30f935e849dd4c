// SPDX-License-Identifier: Apache-2.0
package import ApusTransport

/// Who logs in, where, and what is trusted.
public struct Account: Sendable, Hashable {
    /// The address; a domain alone logs in without an account (RFC 4505), and the server gives an address.
    ///
    /// A resource in it is a wish that the server may change.
    public var jid: JID
    /// What proves that the account is ours.
    public var credentials: Credentials
    /// Which certificates are accepted.
    ///
    /// Defaults to the roots of the system.
    public var trust: Trust
    /// Where to connect, nil to find out by DNS (RFC 6120 §3.2).
    ///
    /// The certificate must name the domain all the same.
    public var server: ServerAddress?
    /// A server that makes the connection in our place, nil to connect directly.
    public var proxy: ProxyServer?
    /// Whether the password itself may be shown to the server, inside TLS (SASL PLAIN).
    ///
    /// Defaults to false.
    public var permitsPlain: Bool
    /// Whether a login that is not bound to its TLS channel is refused, also where none can be, as inside a WebSocket.
    ///
    /// Defaults to false: ``memory`` knows whether earlier logins were bound, and falling back is refused then
    /// (RFC 5802 §6).
    public var requiresChannelBinding: Bool
    /// What earlier logins taught: keep ``XMPPSession/loginMemory`` with the account and give it back here.
    ///
    /// It makes logins faster and safer; it holds a secret.
    public var memory = LoginMemory()

    /// What is shown to a server that asks who connects, before any login (SASL EXTERNAL, XEP-0178).
    ///
    /// Defaults to nothing.
    public var clientCertificate: ClientCertificate?

    /// Makes an account.
    public init(
        jid: JID, credentials: Credentials, trust: Trust = Trust(), server: ServerAddress? = nil,
        proxy: ProxyServer? = nil, permitsPlain: Bool = false, requiresChannelBinding: Bool = false,
        clientCertificate: ClientCertificate? = nil
    ) {
        self.jid = jid
        self.credentials = credentials
        self.trust = trust
        self.server = server
        self.proxy = proxy
        self.permitsPlain = permitsPlain
        self.requiresChannelBinding = requiresChannelBinding
        self.clientCertificate = clientCertificate
    }

    /// Makes an account with a password; throws `JIDError` when the address is not valid.
    public init(_ address: String, password: String, trust: Trust = Trust(), server: ServerAddress? = nil)
        throws(JIDError)
    {
        self.init(jid: try JID(address), credentials: .password(password), trust: trust, server: server)
    }
}

/// What proves that an account is ours; never shown in any description.
public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The password, where it is known.
    public var password: String?
    /// Keys of an earlier login, used instead of the password where salt and iterations still fit.
    public var keys: SCRAMKeys?

    /// Makes credentials.
    public init(password: String?, keys: SCRAMKeys? = nil) {
        self.password = password
        self.keys = keys
    }

    /// No secret: for a client certificate (SASL EXTERNAL), or for no account at all (SASL ANONYMOUS).
    public static let none = Credentials(password: nil)

    /// A password.
    public static func password(_ password: String) -> Credentials { Credentials(password: password) }

    /// Says which kinds there are.
    public var description: String {
        switch (password, keys) {
        case (nil, nil): "no credentials"
        case (nil, _): "stored keys"
        case (_, nil): "a password"
        default: "a password and stored keys"
        }
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Which server certificates are accepted for an account.
public struct Trust: Sendable, Hashable {
    /// Whether the certificate authorities of the system count.
    ///
    /// Defaults to true.
    public var usesSystemRoots: Bool
    /// Further authorities, as paths of PEM files.
    public var authorityFiles: [String]
    /// SHA-256 digests of certificates that are accepted as they are, whoever issued them, whatever they name.
    ///
    /// If there is one, no other certificate is accepted. This is the only way to accept one that is self-signed or
    /// names another host.
    public var pinnedCertificates: Set<[UInt8]>
    /// SHA-256 digests of public keys (SubjectPublicKeyInfo): a certificate that is valid is accepted only when it, or
    /// one of those that it was issued by, has one of these keys.
    ///
    /// Give the key in use and at least one that is kept for later, so that a renewal does not lock the account out.
    /// None is learnt by itself. Defaults to none, which accepts any key.
    public var pinnedKeys: Set<[UInt8]>

    /// Makes a trust setting.
    public init(
        usesSystemRoots: Bool = true, authorityFiles: [String] = [], pinnedCertificates: Set<[UInt8]> = [],
        pinnedKeys: Set<[UInt8]> = []
    ) {
        self.pinnedKeys = pinnedKeys
        self.usesSystemRoots = usesSystemRoots
        self.authorityFiles = authorityFiles
        self.pinnedCertificates = pinnedCertificates
    }
}

/// A host and a port given by hand.
public struct ServerAddress: Sendable, Hashable {
    /// How TLS begins.
    public enum Security: Sendable, Hashable {
        /// By negotiation in the stream (RFC 6120 §5).
        case startTLS
        /// With the first byte (XEP-0368).
        case directTLS
        /// With the first byte, and a WebSocket at that path inside it (RFC 7395); the certificate must name the host of
        /// this address instead of the domain.
        case webSocket(path: String)
        /// Not at all: for a server on the same machine in tests and benchmarks; a password is then refused unless
        /// ``Account/permitsPlain`` is set.
        case none
    }

    /// A host name or an IP address.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// How TLS begins.
    ///
    /// Defaults to STARTTLS.
    public var security: Security

    /// Makes an address.
    public init(host: String, port: UInt16 = 5222, security: Security = .startTLS) {
        self.host = host
        self.port = port
        self.security = security
    }

    /// The WebSocket at a URL like `wss://chat.example.org/xmpp-websocket`; nil for any other kind of URL.
    public init?(webSocket url: String) {
        guard let endpoint = Endpoint(webSocketURL: url), let path = endpoint.webSocketPath else { return nil }
        self.init(host: endpoint.host, port: endpoint.port, security: .webSocket(path: path))
    }

    package var endpoint: Endpoint {
        if case .webSocket(let path) = security { return Endpoint(host: host, port: port, webSocketPath: path) }
        return Endpoint(host: host, port: port, usesDirectTLS: security == .directTLS)
    }
}
