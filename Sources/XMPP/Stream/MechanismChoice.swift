// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// Which mechanism a login takes, or why none.
package struct MechanismChoice: Sendable, Hashable {
    package var mechanism: SASLMechanism
    package var binding: GS2Binding
    /// The server has to vouch for its offer before it gets a proof (XEP-0474).
    package var requiresProtection = false

    /// What an account permits and remembers.
    package struct Policy: Sendable, Hashable {
        /// PLAIN shows the password to the server: only by consent of the user.
        package var permitsPlain = false
        /// A login of this account was bound to its channel before: falling back is an alarm.
        package var requiresBinding = false
        /// The strongest mechanism that this account logged in with.
        package var strongest: SASLMechanism?
        /// The hash that stored keys are for, when there is no password.
        package var storedHash: HashAlgorithm?
        package var hasPassword = true
        /// A client certificate was given to TLS.
        package var hasCertificate = false
        /// There is no account: the server gives an address of its own choice (RFC 4505).
        package var isAnonymous = false
        /// Show the password even without TLS: a server on the same machine, named by hand.
        package var permitsInsecure = false

        package init() {}
    }

    /// The offer of a stream: mechanisms and channel-binding types, and whose list it is.
    package struct Offer: Sendable, Hashable {
        package var mechanisms: [String]
        /// By XEP-0440; nil when the server does not say.
        package var channelBindings: [String]?
        /// SASL2 obliges the server to say (XEP-0388 §2.1, XEP-0440 §3).
        package var isSASL2: Bool

        package init(mechanisms: [String], channelBindings: [String]?, isSASL2: Bool = false) {
            self.mechanisms = mechanisms
            self.channelBindings = channelBindings
            self.isSASL2 = isSASL2
        }

        var hasBinding: Bool { mechanisms.contains { $0.hasPrefix("SCRAM-") && $0.hasSuffix("-PLUS") } }
    }

    /// Chooses by strength among the mechanisms that can really be used (T031 to T035).
    package static func choose(
        offered: [String], channelBindings announced: [String]?, available: ChannelBindings?, policy: Policy
    ) throws(XMPPError) -> MechanismChoice {
        try choose(Offer(mechanisms: offered, channelBindings: announced), available: available, policy: policy)
    }

    /// Chooses by strength among the mechanisms that can really be used (T031 to T035).
    package static func choose(
        _ offer: Offer, available: ChannelBindings?, policy: Policy
    ) throws(XMPPError) -> MechanismChoice {
        guard !policy.isAnonymous else {
            guard offer.mechanisms.contains(SASLMechanism.anonymous.name) else {
                throw XMPPError(.noUsableMechanism, "the server lets nobody in without an account")
            }
            return MechanismChoice(mechanism: .anonymous, binding: .none)
        }
        let strongest = policy.hasCertificate || policy.strongest?.family != .external ? policy.strongest : nil
        let type = bindingType(announced: offer.channelBindings, available: available)
        for mechanism in SASLMechanism.byStrength where offer.mechanisms.contains(mechanism.name) {
            switch mechanism.family {
            case .external:
                guard policy.hasCertificate, available != nil else { continue }
                return MechanismChoice(mechanism: mechanism, binding: .none)
            case .plain:
                guard policy.permitsPlain, policy.hasPassword, available != nil || policy.permitsInsecure else {
                    continue
                }
                if policy.requiresBinding { throw unbound(available) }
                if mechanism.isWeaker(than: strongest) { throw weaker(mechanism, than: strongest) }
                return MechanismChoice(mechanism: mechanism, binding: .none)
            case .scram(let hash):
                guard policy.hasPassword || policy.storedHash == hash else { continue }
                if mechanism.bindsChannel {
                    guard let type, let data = available?.data[type] else { continue }
                    try checkConsistency(offer, available)
                    return MechanismChoice(
                        mechanism: mechanism, binding: .bound(type, data),
                        requiresProtection: mechanism.isWeaker(than: strongest))
                }
                if policy.requiresBinding { throw unbound(available) }
                try checkConsistency(offer, available)
                let couldBind = available.map { !$0.isWebSocket } ?? false
                let flag: GS2Binding = offer.hasBinding || !couldBind ? .none : .unsupportedByServer
                return MechanismChoice(
                    mechanism: mechanism, binding: flag,
                    requiresProtection: mechanism.isWeaker(than: strongest)
                        || couldBind && hidesBinding(offer, type))
            case .anonymous: continue
            }
        }
        if policy.requiresBinding, !offer.hasBinding || type == nil { throw unbound(available) }
        throw refusal(offered: offer.mechanisms, policy: policy)
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

    /// XEP-0440 §3: with SASL2 the list of types and the mechanisms that need one come together, or somebody took one
    /// of them away.
    private static func checkConsistency(_ offer: Offer, _ available: ChannelBindings?) throws(XMPPError) {
        guard offer.isSASL2, available != nil else { return }
        let hasTypes = offer.channelBindings?.isEmpty == false
        guard hasTypes != offer.hasBinding else { return }
        throw XMPPError(
            .downgraded,
            "the server's offer contradicts itself: "
                + (hasTypes
                    ? "it can bind a login to the TLS channel, and has no mechanism for that"
                    : "it has mechanisms that bind a login to the TLS channel, and no way to do so")
                + "; somebody may sit in between, or the server is broken")
    }

    /// XEP-0440 §3 with XEP-0474 §6: a list of types that lacks the one that every server has is believed only when the
    /// server vouches for it (T034).
    private static func hidesBinding(_ offer: Offer, _ type: ChannelBindingType?) -> Bool {
        guard offer.isSASL2, offer.hasBinding, type == nil, let announced = offer.channelBindings else { return false }
        return !announced.contains(ChannelBindingType.serverEndPoint.rawValue)
    }

    private static func unbound(_ available: ChannelBindings?) -> XMPPError {
        guard available?.isWebSocket != true else {
            return XMPPError(
                .downgraded,
                "this account always logged in bound to its TLS channel, which cannot be done inside a WebSocket; "
                    + "somebody may block the other ways to the server. Connect without a WebSocket, or permit the "
                    + "weaker login once")
        }
        return XMPPError(
            .downgraded,
            "this account always logged in bound to its TLS channel, and the server no longer offers that; "
                + "somebody may sit in between. If the server was really changed, permit the weaker login once")
    }

    private static func weaker(_ mechanism: SASLMechanism, than strongest: SASLMechanism?) -> XMPPError {
        XMPPError(
            .downgraded,
            "this account logged in with \(strongest?.name ?? "a stronger mechanism") before, and the server now wants "
                + "\(mechanism.name), which is weaker; somebody may sit in between. If the server was really changed, "
                + "permit the weaker login once")
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
