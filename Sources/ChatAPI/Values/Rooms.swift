// SPDX-License-Identifier: Apache-2.0

/// Makes a room on the account's own server.
package struct CreateRoomRequest: Hashable, Codable, Sendable {
    package enum Kind: String, Hashable, Codable, Sendable {
        /// For people who know each other: members only, everybody's address is known, in no list.
        case group
        /// For everybody.
        case channel
    }

    package var account: String?
    package var kind: Kind
    package var name: String
    package var invite: [String]

    package init(account: String? = nil, kind: Kind, name: String, invite: [String] = []) {
        self.account = account
        self.kind = kind
        self.name = name
        self.invite = invite
    }
}

/// Goes into a room; also accepts an invitation into it.
package struct JoinRoomRequest: Hashable, Codable, Sendable {
    package var account: String?
    /// A name without `@` means a room on the account's own server.
    package var room: String
    /// nil takes the one of before, or the account's name.
    package var nick: String?
    package var password: String?

    package init(account: String? = nil, room: String, nick: String? = nil, password: String? = nil) {
        self.account = account
        self.room = room
        self.nick = nick
        self.password = password
    }
}

/// Names a room.
package struct RoomRequest: Hashable, Codable, Sendable {
    package var account: String?
    package var room: String

    package init(account: String? = nil, room: String) {
        self.account = account
        self.room = room
    }
}

/// Asks people to come into a room.
package struct InviteRequest: Hashable, Codable, Sendable {
    package var account: String?
    package var room: String
    package var addresses: [String]
    package var text: String?

    package init(account: String? = nil, room: String, addresses: [String], text: String? = nil) {
        self.account = account
        self.room = room
        self.addresses = addresses
        self.text = text
    }
}

/// A room as it is now.
package struct RoomSummary: Hashable, Codable, Sendable {
    /// Somebody in the room, or who may come in.
    package struct Member: Hashable, Codable, Sendable {
        package var address: String?
        package var nick: String?
        /// `owner`, `admin`, `member`, `none` or `outcast`.
        package var affiliation: String
        /// `moderator`, `participant`, `visitor` or `none`; nil for somebody who is not there.
        package var role: String?
        package var isOnline: Bool

        package init(address: String?, nick: String?, affiliation: String, role: String?, isOnline: Bool) {
            self.address = address
            self.nick = nick
            self.affiliation = affiliation
            self.role = role
            self.isOnline = isOnline
        }

        private enum CodingKeys: String, CodingKey {
            case address, nick, affiliation, role
            case isOnline = "online"
        }
    }

    package var account: String
    package var room: String
    package var kind: CreateRoomRequest.Kind
    package var name: String?
    package var description: String?
    package var topic: String?
    /// Our nickname, while we are in it.
    package var nick: String?
    package var isJoined: Bool
    package var members: [Member]

    package init(
        account: String, room: String, kind: CreateRoomRequest.Kind = .group, name: String? = nil,
        description: String? = nil, topic: String? = nil, nick: String? = nil, members: [Member] = []
    ) {
        self.account = account
        self.room = room
        self.kind = kind
        self.name = name
        self.description = description
        self.topic = topic
        self.nick = nick
        isJoined = nick != nil
        self.members = members
    }

    private enum CodingKeys: String, CodingKey {
        case account, room, kind, name, description, topic, nick, members
        case isJoined = "joined"
    }
}

/// Where the user stands with a room in the list of conversations.
package struct RoomStatus: Hashable, Codable, Sendable {
    package enum State: String, Hashable, Codable, Sendable {
        case outside, joining, joined, interrupted
        /// Out, and not going in again without the user's word; `reason` says why.
        case out
    }

    package var state: State
    /// `kicked`, `banned`, `members-only`, `destroyed`, `password`, `nickname`, `unreachable`, `refused`.
    package var reason: String?
    package var text: String?
    /// The user wants to be in it.
    package var isWanted: Bool
    package var nick: String?
    package var topic: String?
    /// nil as long as the room was not asked.
    package var kind: CreateRoomRequest.Kind?

    package init(
        state: State, reason: String? = nil, text: String? = nil, isWanted: Bool = true, nick: String? = nil,
        topic: String? = nil, kind: CreateRoomRequest.Kind? = nil
    ) {
        self.state = state
        self.reason = reason
        self.text = text
        self.isWanted = isWanted
        self.nick = nick
        self.topic = topic
        self.kind = kind
    }

    private enum CodingKeys: String, CodingKey {
        case state, reason, text, nick, topic, kind
        case isWanted = "wanted"
    }
}
