// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// A proxy that an account connects through; user and password are never shown in any description.
///
/// They are kept in the profile, which only its owner can read.
public struct ProxySettings: Hashable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// `socks5://host[:port]` or `http://host[:port]`.
    public var url: String
    /// The user to log in as, nil for none.
    public var user: String?
    /// The password of the user.
    public var password: String?

    /// Makes settings.
    public init(url: String, user: String? = nil, password: String? = nil) {
        self.url = url
        self.user = user
        self.password = password
    }

    /// The URL, without what may stand before an `@`.
    public var description: String { (try? server().description) ?? "an unreadable proxy" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows nothing of user and password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    func server() throws(XMPPError) -> ProxyServer {
        guard var server = ProxyServer(url) else {
            throw XMPPError(
                .invalidArgument, "the proxy cannot be read; write it as socks5://host:port or http://host:port")
        }
        if let user {
            server.user = user
            server.password = password
        }
        return server
    }
}
