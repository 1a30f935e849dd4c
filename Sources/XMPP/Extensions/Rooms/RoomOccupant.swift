// SPDX-License-Identifier: Apache-2.0

/// What an occupant may do as long as it is in the room (XEP-0045 §5.1).
public enum RoomRole: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Not in the room.
    case none
    /// May listen.
    case visitor
    /// May speak.
    case participant
    /// May put others out, and give and take their voice.
    case moderator

    /// Orders by what the role permits.
    public static func < (left: RoomRole, right: RoomRole) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What an account is to a room, whether it is in it or not (XEP-0045 §5.2).
public enum RoomAffiliation: String, Sendable, Hashable, CaseIterable, Comparable {
    /// May not come in.
    case outcast
    /// Nothing in particular.
    case none
    /// May come into a room for members only.
    case member
    /// May ban, and change the list of members.
    case admin
    /// May change and destroy the room.
    case owner

    /// Orders by what the affiliation permits.
    public static func < (left: RoomAffiliation, right: RoomAffiliation) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Somebody in a room, as the room's last presence has it (XEP-0045 §7.1).
public struct RoomOccupant: Sendable, Hashable {
    /// The address in the room, with the nickname as its resource: where private messages go to.
    public let address: JID
    /// The real address, where the room shows it.
    public internal(set) var realAddress: JID?
    /// The room's name for the account behind the occupant, the same under every nickname (XEP-0421).
    ///
    /// Nil in rooms that do not announce such names: there anybody could write one (T133).
    public internal(set) var occupantID: String?
    /// What it may do as long as it is here.
    public internal(set) var role: RoomRole
    /// What its account is to the room.
    public internal(set) var affiliation: RoomAffiliation
    /// How reachable it is, nil for plainly available.
    public internal(set) var show: Presence.Show?
    /// A text that explains it, cut after ``statusLimit`` bytes.
    public internal(set) var status: String?
    /// What the room says about it beyond role and affiliation (XEP-0317).
    public internal(set) var hats: [Hat]
    /// What the presence says, before the room is known to answer for it.
    var claimedID: String?

    /// So many bytes of a status are kept.
    public static let statusLimit = 512

    /// Makes an occupant.
    public init(
        address: JID, realAddress: JID? = nil, occupantID: String? = nil, role: RoomRole = .participant,
        affiliation: RoomAffiliation = .none, show: Presence.Show? = nil, status: String? = nil, hats: [Hat] = []
    ) {
        self.address = address
        self.realAddress = realAddress
        self.occupantID = occupantID
        self.role = role
        self.affiliation = affiliation
        self.show = show
        self.status = status
        self.hats = hats
    }

    /// The nickname, exactly as the room has it; see ``visibleNickname`` for what to show.
    public var nickname: String { address.resource ?? "" }

    /// The nickname with marks in the place of characters that nobody can see, so that two that look alike can be told
    /// apart (T132); only for showing, never for addressing.
    public var visibleNickname: String { RoomOccupant.visible(nickname) }

    /// What the colour of the occupant is made from (XEP-0392 §5): stays the same under another nickname where the room
    /// names the account.
    public var colorSeed: String { occupantID ?? realAddress?.bare.description ?? nickname }
}

extension RoomOccupant {
    /// A nickname as it is to be shown: spaces at the ends, and characters without a shape or that turn the direction of the
    /// text, become `‹U+200B›`.
    public static func visible(_ nickname: String) -> String {
        let scalars = Array(nickname.unicodeScalars)
        var text = ""
        for (index, scalar) in scalars.enumerated() {
            let isEdge = index == 0 || index == scalars.count - 1
            if scalar.hidesItself || (isEdge && scalar.properties.isWhitespace) {
                text += "‹U+" + hexadecimal(scalar.value) + "›"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension Unicode.Scalar {
    /// Takes no place of its own on a screen, or changes where others stand.
    fileprivate var hidesItself: Bool {
        // Selectors of a picture's form and what joins pictures stand in ordinary nicknames.
        if value == 0xFE0F || value == 0x200D { return false }
        if properties.isDefaultIgnorableCodePoint { return true }
        switch properties.generalCategory {
        case .format, .control, .lineSeparator, .paragraphSeparator: return true
        case .spaceSeparator: return value != 0x20
        default: return false
        }
    }
}

extension String {
    /// The text cut so that it has at most so many bytes, between two characters.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
