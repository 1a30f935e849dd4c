// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// A mechanism for tokens: one message each way, HMAC-SHA-256, tied to the channel or not
/// (`draft-schmaus-kitten-sasl-ht`).
package struct HTMechanism: Sendable, Hashable {
    /// The channel binding, nil for -NONE.
    package let binding: ChannelBindingType?

    package var name: String {
        switch binding {
        case .exporter: "HT-SHA-256-EXPR"
        case .serverEndPoint: "HT-SHA-256-ENDP"
        case .unique: "HT-SHA-256-UNIQ"
        case nil: "HT-SHA-256-NONE"
        }
    }

    private init(_ binding: ChannelBindingType?) { self.binding = binding }

    /// The mechanism of that name; nil for one that is not used.
    package init?(name: String) {
        guard let known = Self.byStrength.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    private static let byStrength = [HTMechanism(.exporter), HTMechanism(.serverEndPoint), HTMechanism(nil)]

    /// The mechanism to ask a token for: the best that both sides have.
    ///
    /// One without a binding can be replayed by whoever sits in between, so it is taken only where the server has none
    /// with a binding at all, and never for an account that was bound before.
    package static func best(
        offered: [String], available: ChannelBindings?, requiresBinding: Bool
    ) -> HTMechanism? {
        if let bound = byStrength.first(where: { $0.binding != nil && offered.contains($0.name) && $0.fits(available) })
        {
            return bound
        }
        let offersBound = offered.contains { $0.hasPrefix("HT-") && !$0.hasSuffix("-NONE") }
        let plain = HTMechanism(nil)
        return offered.contains(plain.name) && !offersBound && !requiresBinding ? plain : nil
    }

    /// Whether the channel has what the mechanism ties to.
    package func fits(_ available: ChannelBindings?) -> Bool {
        guard let available else { return false }
        return binding.map { available.data[$0] != nil } ?? true
    }

    /// The only message of the client.
    package func initial(user: String, token: String, _ available: ChannelBindings?) -> [UInt8] {
        Array(user.utf8) + [0] + proof("Initiator", token, available)
    }

    /// What the server proves itself with.
    package func answer(token: String, _ available: ChannelBindings?) -> [UInt8] {
        proof("Responder", token, available)
    }

    private func proof(_ role: String, _ token: String, _ available: ChannelBindings?) -> [UInt8] {
        let data = binding.flatMap { available?.data[$0] } ?? []
        return hmac(.sha256, key: Array(token.utf8), Array(role.utf8) + data)
    }
}
