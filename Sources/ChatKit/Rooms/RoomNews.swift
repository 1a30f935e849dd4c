// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// Something that a room says of itself and of us.
package struct RoomNews: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// We are in it.
        case joined(nick: String, occupant: String?)
        /// Where we stand with it.
        case state(RoomState)
        /// What it says that it is.
        case facts(RoomFacts)
        case renamed(nick: String)
        /// What somebody else did; it is in memory alone.
        case occupant(Occupant)
    }

    /// What somebody else did, by the nickname.
    package enum Occupant: Sendable, Hashable {
        case came(String)
        case left(String)
        case renamed(from: String, to: String)
        case kicked(String, reason: String?)
        case banned(String, reason: String?)
        /// Is no member any more.
        case excluded(String)
    }

    package let room: JID
    package let kind: Kind

    package init(_ room: JID, _ kind: Kind) {
        self.room = room
        self.kind = kind
    }
}

/// What a room says that it is.
package struct RoomFacts: Sendable, Hashable {
    package var name: String?
    /// It gives each account a name (XEP-0421).
    package var namesOccupants: Bool
    package var hasArchive: Bool
    package var isMembersOnly: Bool
    /// Moderators can take messages away (XEP-0425).
    package var canBeModerated: Bool
    /// The name of its picture, where it tells (XEP-0486).
    package var picture: PictureHash?

    package init(
        name: String? = nil, namesOccupants: Bool = false, hasArchive: Bool = false, isMembersOnly: Bool = false,
        canBeModerated: Bool = false, picture: PictureHash? = nil
    ) {
        self.name = name
        self.namesOccupants = namesOccupants
        self.hasArchive = hasArchive
        self.isMembersOnly = isMembersOnly
        self.canBeModerated = canBeModerated
        self.picture = picture
    }

    init(_ information: RoomInformation) {
        self.init(
            name: information.name, namesOccupants: information.namesAccounts, hasArchive: information.hasArchive,
            isMembersOnly: information.isMembersOnly, canBeModerated: information.canBeModerated,
            picture: information.avatar)
    }
}

extension RoomNews {
    /// What matters to the database; nothing for what the stanzas themselves tell.
    static func reading(_ event: RoomEvent, of room: Room) -> [RoomNews] {
        let address = room.address
        switch event {
        case .state(.joined):
            guard let me = room.me else { return [] }
            return [RoomNews(address, .joined(nick: me.nickname, occupant: me.occupantID))]
        case .state(let state): return [RoomNews(address, .state(state))]
        case .information(let information):
            let facts = RoomNews(address, .facts(RoomFacts(information)))
            guard let me = room.me else { return [facts] }
            return [facts, RoomNews(address, .joined(nick: me.nickname, occupant: me.occupantID))]
        case .nickname(let nick): return [RoomNews(address, .renamed(nick: nick))]
        case .joined(let occupant): return news(.came(occupant.nickname), of: room)
        case .left(let occupant, let departure): return news(.init(occupant.nickname, departure), of: room)
        case .renamed(let old, let occupant): return news(.renamed(from: old, to: occupant.nickname), of: room)
        case .subject, .moderated, .changed, .message, .privateMessage, .notices, .voiceRequested, .declined:
            return []
        }
    }

    /// Only of others, and while we are there: who comes to light when we come in came before.
    private static func news(_ occupant: Occupant, of room: Room) -> [RoomNews] {
        guard room.state == .joined, occupant.name != room.me?.nickname else { return [] }
        return [RoomNews(room.address, .occupant(occupant))]
    }
}

extension RoomNews.Occupant {
    /// Who it is, by the nickname of now.
    fileprivate var name: String {
        switch self {
        case .came(let name), .left(let name), .renamed(_, let name), .kicked(let name, _), .banned(let name, _),
            .excluded(let name):
            name
        }
    }

    fileprivate init(_ name: String, _ departure: RoomDeparture) {
        switch departure {
        case .left, .undeliverable, .serviceStopped, .destroyed: self = .left(name)
        case .kicked(let removal): self = .kicked(name, reason: removal.reason)
        case .banned(let removal): self = .banned(name, reason: removal.reason)
        case .affiliationLost, .membersOnly: self = .excluded(name)
        }
    }
}
