// SPDX-License-Identifier: Apache-2.0

/// One contact of an account with the presence that is known of it.
package struct ContactSummary: Hashable, Codable, Sendable {
    /// RFC 6121 §2.1.2.5: who receives whose presence, seen from us.
    package enum Subscription: String, Hashable, Codable, Sendable {
        case none, to, from, both
    }

    package var account: String
    package var address: String
    package var name: String?
    package var groups: [String]
    package var subscription: Subscription
    /// We asked for the contact's presence and have no answer yet.
    package var isAsked: Bool
    package var presence: PresenceSummary
    /// The name of the picture, for `picture`.
    package var picture: String?

    package init(
        account: String, address: String, name: String? = nil, groups: [String] = [],
        subscription: Subscription = .none, isAsked: Bool = false, presence: PresenceSummary = .init(),
        picture: String? = nil
    ) {
        self.account = account
        self.address = address
        self.name = name
        self.groups = groups
        self.subscription = subscription
        self.isAsked = isAsked
        self.picture = picture
        self.presence = presence
    }

    private enum CodingKeys: String, CodingKey {
        case account, address, name, groups, subscription
        case isAsked = "asked"
        case presence, picture
    }
}

/// What is known of a contact's presence: the best of its resources.
package struct PresenceSummary: Hashable, Codable, Sendable {
    /// From most to least reachable; `unknown` before the account was online.
    package enum Availability: String, Hashable, Codable, Sendable {
        case chat, online, away, xa, dnd, offline, unknown
    }

    package var availability: Availability
    package var status: String?
    /// The resources that are online, best first.
    package var resources: [String]

    package init(_ availability: Availability = .unknown, status: String? = nil, resources: [String] = []) {
        self.availability = availability
        self.status = status
        self.resources = resources
    }
}

/// Adds or removes a contact.
package struct ContactRequest: Hashable, Codable, Sendable {
    /// The account whose list is meant; nil takes the only one.
    package var account: String?
    package var address: String
    package var name: String?
    package var groups: [String]
    /// Asks the contact to share its presence.
    package var subscribes: Bool
    /// The token of an invitation that this answers.
    package var token: String?

    package init(
        account: String? = nil, address: String, name: String? = nil, groups: [String] = [], subscribes: Bool = true,
        token: String? = nil
    ) {
        self.token = token
        self.account = account
        self.address = address
        self.name = name
        self.groups = groups
        self.subscribes = subscribes
    }
}

/// Somebody who asks to see our presence, or asks us to come into a room.
package struct RequestSummary: Hashable, Codable, Sendable {
    package enum Kind: String, Hashable, Codable, Sendable {
        /// Somebody wants to see our presence.
        case contact
        /// Somebody wants us to come into a room.
        case room
    }

    package var account: String
    /// What an answer names: who asks, or the room.
    package var address: String
    package var kind: Kind
    /// The address again, of a room.
    package var room: String?
    /// Who asks us to come into the room.
    package var inviter: String?
    /// What the asking side wrote.
    package var text: String?
    package var receivedAt: Timestamp?

    package init(
        account: String, address: String, kind: Kind = .contact, inviter: String? = nil, text: String? = nil,
        receivedAt: Timestamp? = nil
    ) {
        self.account = account
        self.address = address
        self.kind = kind
        room = kind == .room ? address : nil
        self.inviter = inviter
        self.text = text
        self.receivedAt = receivedAt
    }

    private enum CodingKeys: String, CodingKey {
        case account, address, kind, room, inviter, text
        case receivedAt = "received_at"
    }
}

/// The answer to a request.
package struct AnswerRequest: Hashable, Codable, Sendable {
    package var account: String?
    package var address: String
    package var accepts: Bool
    /// On accepting, also asks for the other side's presence and adds it to the contacts.
    package var addsBack: Bool

    package init(account: String? = nil, address: String, accepts: Bool, addsBack: Bool = true) {
        self.account = account
        self.address = address
        self.accepts = accepts
        self.addsBack = addsBack
    }
}
