// SPDX-License-Identifier: Apache-2.0

/// A host and port to dial; who must answer there is decided by the domain, never by this.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A host name or an IP literal without brackets.
    package var host: String
    package var port: UInt16
    /// Whether TLS starts with the first byte (XEP-0368) instead of after STARTTLS.
    package var usesDirectTLS: Bool
    /// Where on the host a WebSocket is, nil for a stream over TCP; TLS then starts with the first byte.
    package var webSocketPath: String?

    package init(host: String, port: UInt16, usesDirectTLS: Bool = false) {
        self.host = host
        self.port = port
        self.usesDirectTLS = usesDirectTLS
    }

    /// `host:port`, an IPv6 literal in brackets; the URL of a WebSocket.
    package var description: String {
        guard let webSocketPath else { return authority }
        return "wss://\(authority)\(webSocketPath)"
    }

    /// `host:port`, an IPv6 literal in brackets.
    package var authority: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
