// SPDX-License-Identifier: Apache-2.0

/// A host and port to dial; who must answer there is decided by the domain, never by this.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A host name or an IP literal without brackets.
    package var host: String
    package var port: UInt16
    /// Whether TLS starts with the first byte (XEP-0368) instead of after STARTTLS.
    package var usesDirectTLS: Bool

    package init(host: String, port: UInt16, usesDirectTLS: Bool = false) {
        self.host = host
        self.port = port
        self.usesDirectTLS = usesDirectTLS
    }

    /// `host:port`, an IPv6 literal in brackets.
    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
