// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// A server that makes an account's connections in its place; the password is never shown in any description.
///
/// It learns which host is reached and nothing of what is said there: TLS begins behind it. Host names are resolved
/// by it, not here.
public struct ProxyServer: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The protocol that is spoken with it.
    public enum Kind: String, Sendable, Hashable {
        /// SOCKS version 5 (RFC 1928), with or without user and password (RFC 1929).
        case socks5
        /// The method CONNECT of HTTP (RFC 9110 §9.3.6), with or without user and password (RFC 7617).
        case http
    }

    /// What goes to the transport; its parts are ours.
    var proxy: Proxy

    /// The protocol that is spoken with it.
    public var kind: Kind {
        get { proxy.kind == .socks5 ? .socks5 : .http }
        set { proxy.kind = newValue.transport }
    }
    /// A host name or an IP address.
    public var host: String {
        get { proxy.host }
        set { proxy.host = newValue }
    }
    /// The TCP port.
    public var port: UInt16 {
        get { proxy.port }
        set { proxy.port = newValue }
    }
    /// The user to log in as, nil for none.
    public var user: String? {
        get { proxy.user }
        set { proxy.user = newValue }
    }
    /// The password of the user.
    public var password: String? {
        get { proxy.password }
        set { proxy.password = newValue }
    }
    /// Whether the name servers of this machine are asked for the services of the account's domain.
    ///
    /// Without, they learn nothing of the account; the domain's standard ports are tried. Defaults to true for HTTP,
    /// where it mostly takes a way out of a company, and to false for SOCKS5, where it may hide somebody.
    public var asksNameServers: Bool {
        get { proxy.asksNameServers }
        set { proxy.asksNameServers = newValue }
    }

    /// Makes a proxy; nil for `asksNameServers` means the default of the kind.
    public init(
        _ kind: Kind, host: String, port: UInt16, user: String? = nil, password: String? = nil,
        asksNameServers: Bool? = nil
    ) {
        proxy = Proxy(
            kind.transport, host: host, port: port, user: user, password: password, asksNameServers: asksNameServers)
    }

    /// Reads `socks5://[user[:password]@]host[:port]` or `http://…`; nil for anything else.
    ///
    /// The port defaults to 1080 and 8080. User and password may hold `%` escapes (RFC 3986 §2.1).
    public init?(_ url: String) {
        guard let border = url.firstRange(of: "://") else { return nil }
        let kind: Kind
        switch url[..<border.lowerBound].lowercased() {
        case "socks5", "socks5h": kind = .socks5
        case "http": kind = .http
        default: return nil
        }
        var rest = url[border.upperBound...]
        if rest.last == "/" { rest.removeLast() }
        var credentials: [String?] = [nil, nil]
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            credentials = [nil, nil]
            for (index, part) in parts.enumerated() {
                guard let decoded = ProxyServer.decoded(part) else { return nil }
                credentials[index] = decoded
            }
            guard credentials[0]?.isEmpty == false else { return nil }
            rest = rest[rest.index(after: at)...]
        }
        guard let (host, port) = Endpoint.authority(rest) else { return nil }
        self.init(
            kind, host: host, port: port ?? (kind == .socks5 ? 1080 : 8080), user: credentials[0],
            password: credentials[1])
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Kind and address, without user and password.
    public var description: String { proxy.description }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows nothing of user and password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ProxyServer.Kind {
    fileprivate var transport: Proxy.Kind { self == .socks5 ? .socks5 : .http }
}
