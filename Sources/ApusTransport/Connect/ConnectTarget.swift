// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// Which domain to reach, and what may be done to get there.
package struct ConnectTarget: Sendable {
    /// How TLS may begin.
    package enum Security: Sendable, Hashable {
        /// Direct TLS and STARTTLS, in the order that the domain's SRV records give.
        case any
        /// Only targets with direct TLS (XEP-0368); port 5223 where no record says otherwise.
        case directTLS
        /// Only targets with STARTTLS.
        case startTLS
    }

    /// The domain of the JID: an ASCII name (A-labels) or an IP literal, IPv6 with or without brackets.
    package var domain: String
    /// Dial this instead of looking the domain up.
    ///
    /// The identity to prove stays the domain's.
    package var override: Endpoint?
    package var security: Security
    /// Makes all connections, and then knows their hosts.
    package var proxy: Proxy?
    /// How to use WebSocket endpoints; nil where none is used.
    package var webSocket: WebSocketOptions?
    /// How the server proves that it is `domain`.
    package var tls: TLSConfiguration
    /// Hears how the attempt goes, on the loop's thread.
    package var observer: (@Sendable (ConnectEvent) -> Void)?

    /// The identity is taken from `domain` alone (RFC 6120 §13.7.1.2): a DNS name, or an address for an IP literal,
    /// which is also not sent as server name (RFC 6066 §3).
    package init(
        domain: String, trust: TLSTrust = TLSTrust(), override: Endpoint? = nil, security: Security = .any
    ) {
        self.domain = domain
        self.override = override
        self.security = security
        tls = ConnectTarget.configuration(domain, trust)
    }

    /// The domain's address when it is an IP literal.
    package var address: IPAddress? { IPAddress(domain) }

    private static func configuration(_ domain: String, _ trust: TLSTrust) -> TLSConfiguration {
        if let address = IPAddress(domain) {
            return TLSConfiguration(
                identity: .address(address.description), sendsServerName: false, trust: trust,
                applicationProtocols: [])
        }
        return TLSConfiguration(
            identity: .domain(domain), sendsServerName: true, trust: trust, applicationProtocols: [])
    }

    /// For TLS from the first byte: the same identity, and ALPN says what is spoken (XEP-0368 §4).
    ///
    /// A WebSocket's URL comes from the account or from the domain itself, which delegates to its host that way: that
    /// host is who must answer (XEP-0156 §2).
    func tlsConfiguration(for endpoint: Endpoint) -> TLSConfiguration {
        var configuration = tls
        guard endpoint.webSocketPath != nil else {
            configuration.applicationProtocols = ["xmpp-client"]
            return configuration
        }
        let host = ConnectTarget.configuration(endpoint.host, tls.trust)
        configuration.identity = host.identity
        configuration.sendsServerName = host.sendsServerName
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }
}
