// SPDX-License-Identifier: Apache-2.0

/// What a room says by a number in a presence or a message (XEP-0045 §15.6).
public enum RoomStatus: Sendable, Hashable {
    /// 100: every occupant may see one's real address; warn the user (§7.2.4).
    case showsAddresses
    /// 101: one's affiliation changed while one was not in the room (§9).
    case affiliationChangedWhileAway
    /// 102: the room shows members who are not in it from now on.
    case showsAbsentMembers
    /// 103: the room does not show members who are not in it from now on.
    case hidesAbsentMembers
    /// 104: the configuration changed in something that is not about privacy (§10.2.1).
    case configurationChanged
    /// 110: the presence is one's own (§7.2.2).
    case selfPresence
    /// 170: what is said is logged in public; warn the user (§14.2).
    case loggingEnabled
    /// 171: what is said is no longer logged in public.
    case loggingDisabled
    /// 172: real addresses are shown to everybody from now on; warn the user.
    case nonAnonymous
    /// 173: real addresses are shown to moderators only from now on.
    case semiAnonymous
    /// 174: real addresses are shown to nobody from now on; older versions only.
    case fullyAnonymous
    /// 201: the room did not exist and was made (§10.1.1).
    case created
    /// 210: the room gave or changed one's nickname (§7.2.8).
    case nicknameAssigned
    /// 301: banned (§9.1).
    case banned
    /// 303: the occupant has another nickname from now on (§7.6).
    case nicknameChanged
    /// 307: kicked (§8.2).
    case kicked
    /// 321: put out because the affiliation changed (§9.4).
    case affiliationLost
    /// 322: put out because the room is for members only from now on (§10.2.1).
    case membersOnly
    /// 332: put out because the service stops (§11).
    case serviceStopped
    /// 333: put out because a stanza could not be delivered (§15.6.2).
    case undeliverable
    /// A number that the specification does not know.
    case other(Int)

    private static let table: [(RoomStatus, Int)] = [
        (.showsAddresses, 100), (.affiliationChangedWhileAway, 101), (.showsAbsentMembers, 102),
        (.hidesAbsentMembers, 103), (.configurationChanged, 104), (.selfPresence, 110), (.loggingEnabled, 170),
        (.loggingDisabled, 171), (.nonAnonymous, 172), (.semiAnonymous, 173), (.fullyAnonymous, 174),
        (.created, 201), (.nicknameAssigned, 210), (.banned, 301), (.nicknameChanged, 303), (.kicked, 307),
        (.affiliationLost, 321), (.membersOnly, 322), (.serviceStopped, 332), (.undeliverable, 333),
    ]

    /// Those that the specification defines, by number.
    public static var defined: [RoomStatus] { table.map(\.0) }

    /// The status with that number.
    public init(code: Int) { self = Self.table.first { $0.1 == code }?.0 ?? .other(code) }

    /// The number.
    public var code: Int {
        if case .other(let code) = self { return code }
        return Self.table.first { $0.0 == self }?.1 ?? 0
    }

    /// Whether the user is to be warned: what is said or who says it becomes known to more people (T138).
    public var isWarning: Bool {
        switch self {
        case .showsAddresses, .loggingEnabled, .nonAnonymous: true
        default: false
        }
    }
}

extension RoomStatus {
    /// So many are read of one stanza.
    private static let cap = 16

    /// Those in `<x xmlns="…muc#user"/>`; what is no number of three digits is left out.
    static func all(in element: Element) -> [RoomStatus] {
        var found: [RoomStatus] = []
        for child in element.children where child.matches(RoomNames.status) {
            guard found.count < cap else { break }
            guard let code = child["code"].flatMap({ Int($0.trimmingXMLSpace) }), (100...999).contains(code) else {
                continue
            }
            found.append(RoomStatus(code: code))
        }
        return found
    }
}
