// SPDX-License-Identifier: Apache-2.0

/// A server that makes connections in our place.
///
/// It sees which host is reached and nothing of what is said there: TLS begins behind it. The password never appears in
/// a description.
package struct Proxy: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package enum Kind: String, Sendable, Hashable {
        /// RFC 1928; host names go to the proxy as they are.
        case socks5
        /// The method CONNECT of HTTP (RFC 9110 §9.3.6).
        case http
    }

    package var kind: Kind
    /// A host name or an IP literal without brackets.
    package var host: String
    package var port: UInt16
    package var user: String?
    package var password: String?
    /// Whether the domain's services are looked up by the name servers of this machine.
    ///
    /// Without, they see nothing of where the connection leads; the standard ports of the domain are tried.
    package var asksNameServers: Bool

    package init(
        _ kind: Kind, host: String, port: UInt16, user: String? = nil, password: String? = nil,
        asksNameServers: Bool? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.asksNameServers = asksNameServers ?? (kind == .http)
    }

    /// Kind and address.
    package var description: String { "\(kind.rawValue)://\(Endpoint(host: host, port: port))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a proxy made no connection.
package enum ProxyFailure: Error, Sendable, Hashable {
    /// It wants a user and a password, or others.
    case credentials
    /// Its rules forbid this target.
    case forbidden
    /// It could not reach the target; in its words.
    case unreachable(String)
    /// What it said is no answer.
    case malformed(String)

    /// One clause in plain words, without the proxy's name.
    var summary: String {
        switch self {
        case .credentials: "does not accept the user and password for it"
        case .forbidden: "does not allow this connection"
        case .unreachable(let reason): "could not make the connection: \(reason)"
        case .malformed(let reason): "gave no valid answer: \(reason)"
        }
    }
}

/// What a proxy's state machine wants next.
package enum ProxyAction: Sendable, Hashable {
    /// More bytes.
    case wait
    case send([UInt8])
    /// From here on the bytes are those of the target.
    case connected
    case fail(ProxyFailure)
}
