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

    package init(
        name: String? = nil, namesOccupants: Bool = false, hasArchive: Bool = false, isMembersOnly: Bool = false,
        canBeModerated: Bool = false
    ) {
        self.name = name
        self.namesOccupants = namesOccupants
        self.hasArchive = hasArchive
        self.isMembersOnly = isMembersOnly
        self.canBeModerated = canBeModerated
    }

    init(_ information: RoomInformation) {
        self.init(
            name: information.name, namesOccupants: information.namesAccounts, hasArchive: information.hasArchive,
            isMembersOnly: information.isMembersOnly, canBeModerated: information.canBeModerated)
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
        case .subject, .moderated, .joined, .changed, .left, .renamed, .message, .privateMessage, .notices,
            .voiceRequested, .declined:
            return []
        }
    }
}
