// SPDX-License-Identifier: Apache-2.0

/// One line of a room's list of affiliations or roles (XEP-0045 §9.5).
public struct RoomAccess: Sendable, Hashable {
    /// The account; nil where the room hides it.
    public let address: JID?
    /// The nickname, of somebody who is in the room or has a reserved one.
    public let nickname: String?
    /// What the account is to the room.
    public let affiliation: RoomAffiliation
    /// What it may do, if it is in the room.
    public let role: RoomRole?
    /// Why, as somebody said.
    public let reason: String?

    /// Makes a line.
    public init(
        address: JID?, nickname: String? = nil, affiliation: RoomAffiliation, role: RoomRole? = nil,
        reason: String? = nil
    ) {
        self.address = address
        self.nickname = nickname
        self.affiliation = affiliation
        self.role = role
        self.reason = reason
    }
}

/// A line of a list, or a change of one (XEP-0045 §9).
struct RoomAdminItem: Sendable, Hashable {
    var address: JID?
    var nickname: String?
    var affiliation: RoomAffiliation?
    var role: RoomRole?
    var reason: String?

    init(
        address: JID? = nil, nickname: String? = nil, affiliation: RoomAffiliation? = nil, role: RoomRole? = nil,
        reason: String? = nil
    ) {
        self.address = address
        self.nickname = nickname
        self.affiliation = affiliation
        self.role = role
        self.reason = reason
    }

    /// All parts may be missing (OF48).
    init?(_ element: Element) {
        guard element.matches(RoomNames.adminItem) else { return nil }
        address = element.address("jid")
        nickname = element.filled("nick")
        affiliation = element["affiliation"].flatMap(RoomAffiliation.init(rawValue:))
        role = element["role"].flatMap(RoomRole.init(rawValue:))
        reason = element.childText(RoomNames.adminReason)
        guard address != nil || nickname != nil else { return nil }
    }

    var element: Element {
        Element(
            RoomNames.adminItem,
            attributes: [
                "affiliation": affiliation?.rawValue, "jid": address?.description, "nick": nickname,
                "role": role?.rawValue,
            ],
            children: reason.map { [Element(RoomNames.adminReason, text: $0)] } ?? [])
    }

    /// So many lines of a list are read.
    static let cap = 10_000

    static func all(in reply: IQ) throws -> [RoomAdminItem] {
        guard let query = reply.payload, query.matches(RoomNames.admin) else {
            throw XMPPError(.invalidReply, "the answer has no list")
        }
        var items: [RoomAdminItem] = []
        for child in query.children {
            guard items.count < cap else { break }
            if let item = RoomAdminItem(child) { items.append(item) }
        }
        return items
    }
}
