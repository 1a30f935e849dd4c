// SPDX-License-Identifier: Apache-2.0

/// Where a server asks to be looked for: `host` or `host:port`, an IPv6 address in brackets (RFC 6120 §4.9.3.19), or the
/// `wss` URL of a WebSocket (RFC 7395 §3.6.1).
package struct ServerLocation: Sendable, Hashable, CustomStringConvertible {
    /// An ASCII name, or an IP address without brackets.
    package let host: String
    /// nil when the server names none.
    package let port: UInt16?
    /// Where on the host a WebSocket is, nil for a stream over TCP.
    package let webSocketPath: String?

    /// A place inside a WebSocket.
    ///
    /// Whoever answers there proves to be its host, not the domain, so only who was found that way may send there.
    init(host: String, port: UInt16, webSocketPath: String) {
        (self.host, self.port, self.webSocketPath) = (host, port, webSocketPath)
    }

    /// Reads what a server sent; nil when it is anything else than a host and a port.
    package init?(_ text: String) {
        guard text.utf8.count <= 1024 else { return nil }
        webSocketPath = nil
        var name = Substring(text.trimmingXMLSpace)
        var digits: Substring?
        // The colons inside brackets belong to the address.
        let tail = name.last == "]" ? nil : name.lastIndex(of: ":")
        if let tail {
            digits = name[name.index(after: tail)...]
            name = name[..<tail]
        }
        // The domain of an address has the same form and the same rules.
        guard let jid = try? JID(String(name)), jid.local == nil, jid.resource == nil else { return nil }
        host = jid.addressLiteral ?? jid.asciiDomain
        guard let digits else {
            port = nil
            return
        }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits), number > 0 else {
            return nil
        }
        port = number
    }

    package var description: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let authority = port.map { "\(name):\($0)" } ?? name
        return webSocketPath.map { "wss://\(authority)\($0)" } ?? authority
    }
}
