// SPDX-License-Identifier: Apache-2.0
public import XMPP

/// What is known of a contact's presence: all resources that are online, the best first.
///
/// Presence belongs to one session: after a disconnect, and when the program starts, nothing is known. It is kept when
/// a stream is resumed (XEP-0198 §5).
public struct ContactPresence: Hashable, Sendable {
    /// How reachable a contact is.
    public enum Availability: String, Hashable, Sendable, CaseIterable {
        /// Online and interested in chatting.
        case chat
        /// Online.
        case online
        /// Away for a short time.
        case away
        /// Away for a long time.
        case extendedAway
        /// Busy.
        case doNotDisturb
        /// Not online.
        case offline
        /// The account is not online, so nothing can be known.
        case unknown
    }

    /// One device of a contact.
    public struct Resource: Hashable, Sendable {
        /// The resource part of its address; empty for a contact that has none.
        public let name: String
        /// How reachable it is.
        public let show: Presence.Show?
        /// What it says about itself.
        public let status: String?
        /// -128 to 127; a negative one takes no messages that are for the bare address.
        public let priority: Int8
    }

    /// The resources that are online, the best first: by priority, then by how reachable, then the newest.
    public let resources: [Resource]
    /// Whether the account's session is online, so that no resource means offline.
    public let isKnown: Bool

    /// The best resource.
    public var best: Resource? { resources.first }

    /// How reachable the best resource is.
    public var availability: Availability {
        guard let best else { return isKnown ? .offline : .unknown }
        return switch best.show {
        case .chat: .chat
        case .away: .away
        case .extendedAway: .extendedAway
        case .doNotDisturb: .doNotDisturb
        case nil: .online
        }
    }

    /// What the best resource says about itself.
    public var status: String? { best?.status }

    package init(resources: [Resource] = [], isKnown: Bool = false) {
        self.resources = resources
        self.isKnown = isKnown
    }
}
