// SPDX-License-Identifier: Apache-2.0
public import XMPP

/// What kind of room is made.
public enum RoomKind: String, Hashable, Sendable, CaseIterable {
    /// For people who know each other: members only, everybody's address is known, in no list.
    case group
    /// For everybody: in the list of the server, addresses for moderators only.
    case channel
}

/// A room as it is now.
public struct RoomDetails: Hashable, Sendable {
    /// Somebody in the room, or who may come in.
    public struct Member: Hashable, Sendable {
        /// The account, where it is known.
        public let address: JID?
        /// The nickname, of somebody who is there.
        public let nickname: String?
        /// What the account is to the room.
        public let affiliation: RoomAffiliation
        /// What the occupant may do; nil for somebody who is not there.
        public let role: RoomRole?

        /// Makes a member.
        public init(address: JID?, nickname: String?, affiliation: RoomAffiliation, role: RoomRole?) {
            self.address = address
            self.nickname = nickname
            self.affiliation = affiliation
            self.role = role
        }
    }

    /// The address of the room.
    public let room: JID
    /// The room's name for itself.
    public let name: String?
    /// What the room is for.
    public let description: String?
    /// What is talked about.
    public let topic: String?
    /// Our nickname in it, while we are there.
    public let nickname: String?
    /// Members only, as a private group is.
    public let isMembersOnly: Bool
    /// Occupants by nickname, then members who are not there.
    public let members: [Member]

    package init(
        room: JID, name: String?, description: String? = nil, topic: String?, nickname: String?, isMembersOnly: Bool,
        members: [Member]
    ) {
        self.room = room
        self.name = name
        self.description = description
        self.topic = topic
        self.nickname = nickname
        self.isMembersOnly = isMembersOnly
        self.members = members
    }

    /// Whether we are in it.
    public var isJoined: Bool { nickname != nil }
}

/// A room as a service lists it.
public struct RoomListing: Hashable, Sendable {
    /// So many rooms of one place are listed.
    public static let maximum = 500

    /// The address of the room.
    public let room: JID
    /// Its name.
    public let name: String?

    package init(room: JID, name: String?) {
        self.room = room
        self.name = name
    }
}

/// What is changed of a room; nil leaves it as it is.
public struct RoomChange: Hashable, Sendable {
    /// What is talked about; empty takes it away.
    public var topic: String?
    /// The room's name; for owners.
    public var name: String?
    /// What the room is for; for owners.
    public var description: String?
    /// Our nickname there.
    public var nickname: String?

    /// Makes a change.
    public init(topic: String? = nil, name: String? = nil, description: String? = nil, nickname: String? = nil) {
        self.topic = topic
        self.name = name
        self.description = description
        self.nickname = nickname
    }
}

/// Names somebody in a room.
public enum RoomMember: Hashable, Sendable {
    /// Somebody who is there.
    case nickname(String)
    /// Somebody who may be there, or come.
    case account(JID)
}

/// What somebody is made in a room.
public enum RoomMemberChange: Hashable, Sendable {
    /// What they may do as long as they are there; `none` puts them out (XEP-0045 §8.2).
    case role(RoomRole)
    /// What they are to the room for good; `outcast` bans them (XEP-0045 §9.1).
    case affiliation(RoomAffiliation)
}
