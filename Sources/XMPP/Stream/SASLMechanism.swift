// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// A login mechanism that Apus speaks (RFC 6120 §6, RFC 5802, RFC 7677).
package struct SASLMechanism: Sendable, Hashable {
    package enum Family: Sendable, Hashable {
        /// The client certificate of the TLS handshake.
        case external
        case scram(HashAlgorithm)
        case plain
        /// No account: the server gives an address.
        case anonymous
    }

    package let family: Family
    package let bindsChannel: Bool

    package var name: String {
        switch family {
        case .external: "EXTERNAL"
        case .plain: "PLAIN"
        case .anonymous: "ANONYMOUS"
        case .scram(.sha1): "SCRAM-SHA-1" + (bindsChannel ? "-PLUS" : "")
        case .scram(.sha512): "SCRAM-SHA-512" + (bindsChannel ? "-PLUS" : "")
        case .scram: "SCRAM-SHA-256" + (bindsChannel ? "-PLUS" : "")
        }
    }

    /// Strongest first: binding to the channel outweighs the hash.
    package static let byStrength: [SASLMechanism] =
        [SASLMechanism(family: .external, bindsChannel: false)]
        + [HashAlgorithm.sha512, .sha256, .sha1].map { SASLMechanism(family: .scram($0), bindsChannel: true) }
        + [HashAlgorithm.sha512, .sha256, .sha1].map { SASLMechanism(family: .scram($0), bindsChannel: false) }
        + [SASLMechanism(family: .plain, bindsChannel: false)]

    package static let anonymous = SASLMechanism(family: .anonymous, bindsChannel: false)

    /// The mechanism of that name that an account can have; nil for another.
    package init?(name: String) {
        guard let known = Self.byStrength.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    private init(family: Family, bindsChannel: Bool) {
        self.family = family
        self.bindsChannel = bindsChannel
    }

    /// How good it is, binding aside; more is stronger.
    var strength: Int {
        switch family {
        case .external: 5
        case .scram(.sha512): 4
        case .scram(.sha1): 2
        case .scram: 3
        case .plain: 1
        case .anonymous: 0
        }
    }

    /// Whether this is weaker than what was used before.
    package func isWeaker(than other: SASLMechanism?) -> Bool { other.map { strength < $0.strength } ?? false }
}

/// The ways to tie a login to its TLS channel (RFC 5929, RFC 9266), best first.
package enum ChannelBindingType: String, Sendable, Hashable, CaseIterable {
    case exporter = "tls-exporter"
    case serverEndPoint = "tls-server-end-point"
    case unique = "tls-unique"
}

/// What the TLS layer can offer for binding a login to its channel.
package struct ChannelBindings: Sendable, Hashable {
    package var isTLS13: Bool
    package var data: [ChannelBindingType: [UInt8]]
    /// SHA-256 of the server's certificate.
    package var certificate: [UInt8]?
    /// The stream is inside a WebSocket (RFC 7395).
    ///
    /// Its TLS often ends at a web server before the XMPP server, which then knows nothing of the channel; there is no
    /// telling, so nothing is bound to it.
    package var isWebSocket = false

    package init(isTLS13: Bool, data: [ChannelBindingType: [UInt8]]) {
        self.isTLS13 = isTLS13
        self.data = data
        // The Finished message is no binding on TLS 1.3 (RFC 9266 §3), whatever a server says.
        if isTLS13 { self.data[.unique] = nil }
    }

    package init(_ information: TLSInformation) {
        var data: [ChannelBindingType: [UInt8]] = [:]
        data[.exporter] = information.exporter
        data[.serverEndPoint] = information.serverEndPoint
        data[.unique] = information.unique
        self.init(isTLS13: information.isTLS13, data: data)
        certificate = information.peerFingerprint
    }

    /// What the TLS of a WebSocket can offer: its certificate, and no binding.
    package init(webSocket information: TLSInformation) {
        self.init(isTLS13: information.isTLS13, data: [:])
        certificate = information.peerFingerprint
        isWebSocket = true
    }
}

/// The channel-binding part of a SCRAM login: the gs2 flag and the data it vouches for (RFC 5802 §6).
package enum GS2Binding: Sendable, Hashable {
    /// `n`: not used. -PLUS may be offered, but no type fits; or the stream is inside a WebSocket.
    case none
    /// `y`: we could, the server offers no -PLUS; a server that does offers it notices that somebody took it away.
    case unsupportedByServer
    /// `p=`: bound by this type.
    case bound(ChannelBindingType, [UInt8])

    package var header: String {
        switch self {
        case .none: "n,,"
        case .unsupportedByServer: "y,,"
        case .bound(let type, _): "p=\(type.rawValue),,"
        }
    }

    package var data: [UInt8] {
        if case .bound(_, let data) = self { data } else { [] }
    }
}
