// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// The two lists of an offer that a SCRAM login vouches for (XEP-0474).
package struct SASLOffer: Sendable, Hashable {
    /// The mechanisms of the profile that is used.
    package var mechanisms: [String]
    /// The channel-binding types by XEP-0440; nil when there was no such list.
    package var channelBindings: [String]?

    package init(mechanisms: [String], channelBindings: [String]?) {
        self.mechanisms = mechanisms
        self.channelBindings = channelBindings
    }

    /// XEP-0474 §5.1: what the server's `h` has to be if nobody changed the lists on the way.
    package func protectionHash(_ hash: HashAlgorithm) -> [UInt8] {
        var text = Self.joined(mechanisms)
        if let channelBindings { text += [0x1F] + Self.joined(channelBindings) }
        return digest(hash, text)
    }

    private static func joined(_ names: [String]) -> [UInt8] {
        let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        return Array(sorted.joined(separator: [0x1E]))
    }
}
