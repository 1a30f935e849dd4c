// SPDX-License-Identifier: Apache-2.0

/// What a room says of an occupant (XEP-0045 §7.1, §8.2): `<item/>`, all of whose parts may be missing.
package struct RoomItem: Sendable, Hashable {
    package var affiliation: RoomAffiliation?
    package var role: RoomRole?
    package var jid: JID?
    /// The new nickname of an occupant that changes it.
    package var nickname: String?
    package var actor: RoomActor?
    package var reason: String?

    package init(affiliation: RoomAffiliation? = nil, role: RoomRole? = nil, jid: JID? = nil) {
        self.affiliation = affiliation
        self.role = role
        self.jid = jid
    }

    init(_ element: Element) {
        affiliation = element["affiliation"].flatMap(RoomAffiliation.init(rawValue:))
        role = element["role"].flatMap(RoomRole.init(rawValue:))
        jid = element.address("jid")
        nickname = element.filled("nick")
        for child in element.children {
            if child.matches(RoomNames.actor) { actor = actor ?? RoomActor(child) }
            if child.matches(RoomNames.reason), reason == nil {
                let text = child.text.trimmingXMLSpace
                if !text.isEmpty { reason = text.cut(toBytes: 1024) }
            }
        }
    }
}

/// Who did something to an occupant, as far as the room says so (XEP-0045 §8.2).
public struct RoomActor: Sendable, Hashable {
    /// The nickname.
    public let nickname: String?
    /// The real address.
    public let address: JID?

    /// Makes an actor.
    public init(nickname: String? = nil, address: JID? = nil) {
        self.nickname = nickname
        self.address = address
    }

    init?(_ element: Element) {
        self.init(nickname: element.filled("nick"), address: element.address("jid"))
        if nickname == nil, address == nil { return nil }
    }
}

/// A presence of a room, read once.
package struct RoomPresence: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case available, unavailable, error }

    package var from: JID
    package var kind: Kind
    package var id: String?
    package var item: RoomItem?
    package var statuses: [RoomStatus] = []
    package var occupantID: String?
    package var show: Presence.Show?
    package var text: String?
    package var hats: [Hat] = []
    package var destruction: RoomDestruction?
    package var error: StanzaError?

    package init(_ kind: Kind, from: JID, item: RoomItem? = nil, statuses: [RoomStatus] = [], id: String? = nil) {
        self.kind = kind
        self.from = from
        self.item = item
        self.statuses = statuses
        self.id = id
    }

    /// Nil for the steps of subscriptions, which no room sends.
    package init?(_ presence: Presence) {
        guard let from = presence.from else { return nil }
        switch presence.kind {
        case .available: self.init(.available, from: from)
        case .unavailable: self.init(.unavailable, from: from)
        case .error: self.init(.error, from: from)
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe: return nil
        }
        id = presence.id
        if kind == .error {
            error = presence.error
            return
        }
        var user: Element?
        var ids = 0
        for child in presence.payloads {
            if child.matches(RoomNames.user) {
                if user == nil { user = child }
            } else if child.matches(OccupantID.name) {
                ids += 1
                occupantID = OccupantID(child)?.id
            } else if child.matches(.status) {
                if text == nil { text = child.text.cut(toBytes: RoomOccupant.statusLimit) }
            } else if Hat.isList(child), hats.isEmpty {
                hats = Hat.all(in: child)
            }
        }
        // XEP-0421 §4: more than one cannot have come from the room.
        if ids > 1 { occupantID = nil }
        show = presence.show
        guard let user else { return }
        for child in user.children {
            if child.matches(RoomNames.item), item == nil { item = RoomItem(child) }
            if child.matches(RoomNames.destroy), destruction == nil { destruction = RoomDestruction(child) }
        }
        statuses = RoomStatus.all(in: user)
    }

    func has(_ status: RoomStatus) -> Bool { statuses.contains(status) }

    /// The occupant that an available presence describes.
    func occupant(trustsIDs: Bool) -> RoomOccupant {
        var occupant = RoomOccupant(
            address: from, realAddress: item?.jid, occupantID: trustsIDs ? occupantID : nil,
            role: item?.role ?? .participant, affiliation: item?.affiliation ?? .none, show: show, status: text,
            hats: hats)
        if !trustsIDs { occupant.claimedID = occupantID }
        return occupant
    }
}
