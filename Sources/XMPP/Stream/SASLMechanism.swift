// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// A login mechanism that Apus speaks (RFC 6120 §6, RFC 5802, RFC 7677).
package struct SASLMechanism: Sendable, Hashable {
    package enum Family: Sendable, Hashable {
        case scram(HashAlgorithm)
        case plain
    }

    package let family: Family
    package let bindsChannel: Bool

    package var name: String {
        switch family {
        case .plain: "PLAIN"
        case .scram(.sha1): "SCRAM-SHA-1" + (bindsChannel ? "-PLUS" : "")
        case .scram(.sha512): "SCRAM-SHA-512" + (bindsChannel ? "-PLUS" : "")
        case .scram: "SCRAM-SHA-256" + (bindsChannel ? "-PLUS" : "")
        }
    }

    /// Strongest first: binding to the channel outweighs the hash.
    package static let byStrength: [SASLMechanism] =
        [HashAlgorithm.sha512, .sha256, .sha1].map { SASLMechanism(family: .scram($0), bindsChannel: true) }
        + [HashAlgorithm.sha512, .sha256, .sha1].map { SASLMechanism(family: .scram($0), bindsChannel: false) }
        + [SASLMechanism(family: .plain, bindsChannel: false)]
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
    }
}

/// The channel-binding part of a SCRAM login: the gs2 flag and the data it vouches for (RFC 5802 §6).
package enum GS2Binding: Sendable, Hashable {
    /// `n`: not used. -PLUS may be offered, but no type fits.
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

/// Which mechanism a login takes, or why none.
package struct MechanismChoice: Sendable, Hashable {
    package var mechanism: SASLMechanism
    package var binding: GS2Binding

    /// What an account permits and remembers.
    package struct Policy: Sendable, Hashable {
        /// PLAIN shows the password to the server: only by consent of the user.
        package var permitsPlain = false
        /// A login of this account was bound to its channel before: falling back is an alarm.
        package var requiresBinding = false
        /// The hash that stored keys are for, when there is no password.
        package var storedHash: HashAlgorithm?
        package var hasPassword = true
        /// Show the password even without TLS: a server on the same machine, named by hand.
        package var permitsInsecure = false

        package init() {}
    }

    /// Chooses by strength among the mechanisms that can really be used (T031 to T035).
    package static func choose(
        offered: [String], channelBindings announced: [String]?, available: ChannelBindings?, policy: Policy
    ) throws(XMPPError) -> MechanismChoice {
        let offersPlus = offered.contains { $0.hasPrefix("SCRAM-") && $0.hasSuffix("-PLUS") }
        let type = bindingType(announced: announced, available: available)
        if policy.requiresBinding, !offersPlus || type == nil {
            throw XMPPError(
                .downgraded,
                "this account always logged in bound to its TLS channel, and the server no longer offers that; "
                    + "somebody may sit in between. If the server was really changed, sign in anew")
        }
        for mechanism in SASLMechanism.byStrength where offered.contains(mechanism.name) {
            switch mechanism.family {
            case .plain:
                guard policy.permitsPlain, policy.hasPassword, !policy.requiresBinding,
                    available != nil || policy.permitsInsecure
                else { continue }
                return MechanismChoice(mechanism: mechanism, binding: .none)
            case .scram(let hash):
                guard policy.hasPassword || policy.storedHash == hash else { continue }
                if mechanism.bindsChannel {
                    guard let type, let data = available?.data[type] else { continue }
                    return MechanismChoice(mechanism: mechanism, binding: .bound(type, data))
                }
                guard !policy.requiresBinding else { continue }
                let flag: GS2Binding = offersPlus || available == nil ? .none : .unsupportedByServer
                return MechanismChoice(mechanism: mechanism, binding: flag)
            }
        }
        throw refusal(offered: offered, policy: policy)
    }

    /// The best type that both sides have.
    ///
    /// A server that offers -PLUS without the list of XEP-0440 is older than RFC 9266 and means tls-unique, which only
    /// TLS 1.2 has.
    private static func bindingType(announced: [String]?, available: ChannelBindings?) -> ChannelBindingType? {
        guard let available else { return nil }
        guard let announced else { return available.data[.unique] == nil ? nil : .unique }
        return ChannelBindingType.allCases.first { announced.contains($0.rawValue) && available.data[$0] != nil }
    }

    private static func refusal(offered: [String], policy: Policy) -> XMPPError {
        if offered.isEmpty {
            return XMPPError(.noUsableMechanism, "the server offers no way to log in")
        }
        if offered.contains("PLAIN"), policy.hasPassword, !policy.permitsPlain {
            return XMPPError(
                .noUsableMechanism,
                "the server can only be shown the password itself (PLAIN); permit that for this account if you trust it"
            )
        }
        if !policy.hasPassword {
            return XMPPError(
                .passwordNeeded,
                "the server asks for another kind of login than the stored keys are for; "
                    + "enter the password again")
        }
        return XMPPError(
            .noUsableMechanism,
            "the server offers no login that Apus speaks (it has \(offered.prefix(8).joined(separator: ", ")))")
    }
}
