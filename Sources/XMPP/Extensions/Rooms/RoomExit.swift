// SPDX-License-Identifier: Apache-2.0

/// Who put somebody out of a room, and why (XEP-0045 §8.2, §9.1).
public struct RoomRemoval: Sendable, Hashable {
    /// Who did it, where the room says so.
    public let actor: RoomActor?
    /// What they said.
    public let reason: String?

    /// Makes a removal.
    public init(actor: RoomActor? = nil, reason: String? = nil) {
        self.actor = actor
        self.reason = reason
    }
}

/// How a room ended (XEP-0045 §10.9).
public struct RoomDestruction: Sendable, Hashable {
    /// Where to go instead.
    ///
    /// Nobody goes there by itself: ask the user (T138).
    public let alternative: JID?
    /// What the owner said.
    public let reason: String?
    /// The password of the other room.
    public let password: String?

    /// Makes a destruction.
    public init(alternative: JID? = nil, reason: String? = nil, password: String? = nil) {
        self.alternative = alternative?.bare
        self.reason = reason
        self.password = password
    }

    init(_ element: Element) {
        self.init(
            alternative: element.address("jid"), reason: element.childText(RoomNames.reason)?.cut(toBytes: 1024),
            password: element.childText(RoomNames.password))
    }
}

/// Why an occupant is no longer in the room.
public enum RoomDeparture: Sendable, Hashable {
    /// It went; the text is what it said.
    case left(String?)
    /// A moderator put it out (§8.2).
    case kicked(RoomRemoval)
    /// It may not come back (§9.1).
    case banned(RoomRemoval)
    /// It is no longer a member of a room for members (§9.4).
    case affiliationLost(RoomRemoval)
    /// It is no member, and the room is for members from now on (§10.2.1).
    case membersOnly
    /// The connection to it failed.
    case undeliverable
    /// The service stops.
    case serviceStopped
    /// The room was destroyed.
    case destroyed(RoomDestruction)
}

/// Why one is not in a room any more and does not come back by oneself.
public enum RoomExit: Error, Hashable {
    /// One left.
    case left
    /// A moderator put one out (§8.2).
    case kicked(RoomRemoval)
    /// One may not come back (§9.1).
    case banned(RoomRemoval)
    /// One is no longer a member of a room for members (§9.4).
    case affiliationLost(RoomRemoval)
    /// One is no member, and the room is for members from now on (§10.2.1).
    case membersOnly
    /// The room was destroyed (§10.9).
    case destroyed(RoomDestruction)
    /// The room does not let one in (§7.2).
    case refused(RoomRefusal)
    /// The session ended.
    case sessionEnded
}

/// Why one is not in a room for a while, and will be again without doing anything.
public enum RoomInterruption: Sendable, Hashable {
    /// The connection to one's own server was lost.
    case connectionLost
    /// The service stops (332).
    case serviceStopped
    /// The room could not reach one (333).
    case undeliverable
    /// The room does not know one any more (XEP-0410).
    case forgotten
    /// The room put one out without saying why.
    case unexplained
    /// The room does not let one in now.
    case refused(RoomRefusal)
    /// One is not available to anybody.
    case unavailable
}

/// Where one stands with a room.
public enum RoomState: Sendable, Hashable {
    /// Not in it, and not going in.
    case outside
    /// Going in.
    case joining
    /// In it.
    case joined
    /// Out for a while: the session goes back in when it can.
    case interrupted(RoomInterruption)
    /// Out, for that reason.
    case left(RoomExit)
}

extension RoomPresence {
    var removal: RoomRemoval { RoomRemoval(actor: item?.actor, reason: item?.reason) }

    /// Why the occupant of an unavailable presence is gone.
    ///
    /// What the item says about roles does not count (B127), and a technical reason stands above a kick (B126).
    var departure: RoomDeparture {
        if let destruction { return .destroyed(destruction) }
        if has(.banned) { return .banned(removal) }
        if has(.undeliverable) { return .undeliverable }
        if has(.serviceStopped) { return .serviceStopped }
        if has(.kicked) { return .kicked(removal) }
        if has(.affiliationLost) { return .affiliationLost(removal) }
        if has(.membersOnly) { return .membersOnly }
        return .left(text)
    }
}
