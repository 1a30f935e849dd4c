// SPDX-License-Identifier: Apache-2.0

/// Changes a room, or the user's nickname there; nil leaves it as it is.
package struct RoomChangeRequest: Hashable, Codable, Sendable {
    package var account: String?
    package var room: String
    /// Empty takes it away.
    package var topic: String?
    package var name: String?
    package var description: String?
    package var nick: String?

    package init(
        account: String? = nil, room: String, topic: String? = nil, name: String? = nil, description: String? = nil,
        nick: String? = nil
    ) {
        self.account = account
        self.room = room
        self.topic = topic
        self.name = name
        self.description = description
        self.nick = nick
    }
}

/// Changes what somebody is to a room, or may do there.
package struct MemberChangeRequest: Hashable, Codable, Sendable {
    package enum Change: String, Hashable, Codable, Sendable, CaseIterable {
        /// Puts somebody out who may come back.
        case kick
        /// Puts somebody out for good.
        case ban
        /// Takes away whatever the account is to the room, a ban as well.
        case none
        case member, admin, owner
        /// What somebody may do as long as they are there.
        case visitor, participant, moderator
    }

    package var account: String?
    package var room: String
    /// A nickname of somebody who is there, or an address.
    package var nick: String?
    package var address: String?
    package var change: Change
    package var reason: String?

    package init(
        account: String? = nil, room: String, nick: String? = nil, address: String? = nil, change: Change,
        reason: String? = nil
    ) {
        self.account = account
        self.room = room
        self.nick = nick
        self.address = address
        self.change = change
        self.reason = reason
    }
}

/// Takes a message of somebody out of its room.
package struct ModerateRequest: Hashable, Codable, Sendable {
    package var message: String
    package var reason: String?

    package init(message: String, reason: String? = nil) {
        self.message = message
        self.reason = reason
    }
}

/// Asks a place for its public rooms.
package struct FindRoomsRequest: Hashable, Codable, Sendable {
    package var account: String?
    /// nil asks the account's own server for its place.
    package var service: String?

    package init(account: String? = nil, service: String? = nil) {
        self.account = account
        self.service = service
    }
}

/// A room as its place lists it.
package struct RoomListing: Hashable, Codable, Sendable {
    package var room: String
    package var name: String?

    package init(room: String, name: String? = nil) {
        self.room = room
        self.name = name
    }
}
