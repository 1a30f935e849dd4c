// SPDX-License-Identifier: Apache-2.0

/// Decides everything about one's own stay in one room: when one is in, who else is, what a message is, and what to do
/// when one is put out (XEP-0045).
///
/// Whoever owns it gives it what happens and does what it says. A presence costs the same in a room of five and of five
/// thousand.
package struct RoomStateMachine: Sendable, Hashable {
    /// How one wants to be in the room.
    package struct Wish: Sendable, Hashable {
        /// One's address in the room, by the nickname that one wants.
        package var address: JID
        package var password: String?
        package var history: RoomHistory
        /// Goes on trying when the room cannot be entered now; otherwise the first failure is the end.
        package var persists: Bool
        /// A room that does not exist may be made by going in.
        package var mayCreate: Bool

        package init(
            _ address: JID, password: String? = nil, history: RoomHistory = .standard, persists: Bool = false,
            mayCreate: Bool = false
        ) {
            self.address = address
            self.password = password
            self.history = history
            self.persists = persists
            self.mayCreate = mayCreate
        }
    }

    package enum Event: Sendable, Hashable {
        /// Somebody wants to be in the room.
        case wants(Wish)
        /// Nobody wants to any more.
        case leave
        /// The turn has come to go in.
        case turn
        case presence(RoomPresence)
        case message(RoomMessageFacts)
        /// A stream is up.
        case online(own: JID, isResumed: Bool)
        /// The stream is gone.
        case offline
        /// One made oneself unavailable to everybody, or available again.
        case available(Bool)
        /// The session is over.
        case ended
        /// The room did not let one in in time.
        case joinTimedOut(chance: Double)
        /// The room did not say that one is out in time.
        case leaveTimedOut
        /// A refusal or a removal was waited out.
        case retryDue
        /// The nickname that is reserved for one, nil for none.
        case reserved(JID?, chance: Double)
        /// Time enough passed since one came in: what comes now is no history.
        case historyEnded
        case wantsNickname(JID, id: String)
        case nicknameTimedOut
        /// The room announces that it names accounts (XEP-0421).
        case namesAccounts(Bool)
        /// There was silence, or the room gave a sign that it does not know one.
        case doubt
        case pinged(SelfPing)
    }

    package enum Action: Sendable, Hashable {
        case none
        case several([Action])
        /// Wait for a turn, then say so.
        case queue
        case enter(JID, password: String?, history: RoomHistory)
        case sayLeave(JID)
        case sendNickname(JID, id: String)
        case askReserved
        /// Say `retryDue` after so long.
        case retry(after: Duration)
        case ping(JID)
        /// The state is another one.
        case changed(RoomState)
        /// The room is new and locked until it is configured (§10.1.2).
        case unlock
        /// The room is new and was not to be made: cancel that, and go out (§10.1.2).
        case undo(JID)
        case occupant(OccupantChange)
        /// One's own address in the room is another one.
        case moved(JID)
        case nicknameRefused(RoomRefusal)
        case subject(RoomSubject)
        case message(RoomMessage.Origin)
        case notices([RoomStatus])
    }

    package let room: JID
    package let limits: RoomLimits
    package internal(set) var state = RoomState.outside
    /// One's own address in the room: the one that was asked for, then the one that the room gave.
    package internal(set) var address: JID?
    package internal(set) var occupants: [JID: RoomOccupant] = [:]
    /// So many more are in the room than are kept.
    package internal(set) var leftOut = 0
    package internal(set) var subject: RoomSubject?
    /// What the room said when one came in.
    package internal(set) var notices: [RoomStatus] = []
    package internal(set) var wish: Wish?
    package internal(set) var namesAccounts = false

    var own: JID
    /// The stream is up.
    var isOnline: Bool
    var isAvailable = true
    /// What to go back to when the stream is resumed.
    var suspended: RoomState?
    var isLeaving = false
    /// Presence was sent, and the room has not said yet that one is in.
    var isEntering = false
    /// Somebody of one's own nickname is there, but the room did not say that it is oneself (B124).
    var hasSeenNickname = false
    var isInHistory = false
    var hasAskedReserved = false
    /// One was in at least once since it was wished for.
    var isEstablished = false
    package internal(set) var failures = 0
    var pendingNickname: (address: JID, id: String)? {
        get { pending.map { ($0.address, $0.id) } }
        set { pending = newValue.map { Pending(address: $0.address, id: $0.id) } }
    }
    private var pending: Pending?

    private struct Pending: Sendable, Hashable {
        var address: JID
        var id: String
    }

    package init(room: JID, own: JID, isOnline: Bool = true, limits: RoomLimits = RoomLimits()) {
        self.room = room.bare
        self.own = own
        self.isOnline = isOnline
        self.limits = limits
    }

    package mutating func handle(_ event: Event) -> Action {
        switch event {
        case .presence(let presence): received(presence)
        case .message(let message): received(message)
        case .wants(let wish): wants(wish)
        case .leave: leave()
        case .turn: turn()
        case .online(let own, let isResumed): wentOnline(own, isResumed: isResumed)
        case .offline: wentOffline()
        case .available(let isAvailable): became(available: isAvailable)
        case .ended: ended()
        case .joinTimedOut(let chance): joinTimedOut(chance)
        case .leaveTimedOut: isLeaving ? end(.left) : .none
        case .retryDue: retryDue()
        case .reserved(let address, let chance): reserved(address, chance)
        case .historyEnded: historyEnded()
        case .wantsNickname(let address, let id): wantsNickname(address, id: id)
        case .nicknameTimedOut: nicknameTimedOut()
        case .namesAccounts(let isTrue): names(accounts: isTrue)
        case .doubt: doubt()
        case .pinged(let answer): pinged(answer)
        }
    }

    /// Whether what the room sends is for this machine: one is in, going in, or going out (T127, T134, B132).
    package var takesPart: Bool { isEntering || isLeaving || state == .joined }

    package var isIn: Bool { state == .joined }

    /// One's own occupant.
    package var me: RoomOccupant? { address.flatMap { occupants[$0] } }
}

/// How much of a room is kept.
package struct RoomLimits: Sendable, Hashable {
    /// So many occupants; further ones are only counted (T136).
    package var occupants = 10_000
    package init(occupants: Int = 10_000) { self.occupants = occupants }
}

/// What an occupant did.
package enum OccupantChange: Sendable, Hashable {
    case came(RoomOccupant)
    case changed(RoomOccupant)
    case left(RoomOccupant, RoomDeparture)
    case renamed(from: JID, RoomOccupant)
}

/// How much of what was said before a room sends to whoever comes in (XEP-0045 §7.2.13).
public struct RoomHistory: Sendable, Hashable {
    /// At most so many messages.
    public var count: Int?
    /// At most so many characters of XML.
    public var characters: Int?
    /// Nothing older than that.
    public var age: Duration?
    /// Nothing from before.
    public var since: DateTime?

    /// Makes a limit.
    public init(count: Int? = nil, characters: Int? = nil, age: Duration? = nil, since: DateTime? = nil) {
        self.count = count
        self.characters = characters
        self.age = age
        self.since = since
    }

    /// As much as the room sends by itself.
    public static let standard = RoomHistory()
    /// Nothing: for those who read the archive of the room.
    public static let none = RoomHistory(count: 0, characters: 0)
    /// At most so many messages.
    public static func last(_ count: Int) -> RoomHistory { RoomHistory(count: count) }
    /// Nothing from before that moment.
    public static func since(_ moment: DateTime) -> RoomHistory { RoomHistory(since: moment) }

    /// Nothing is said when the room is to do as it likes.
    var element: Element? {
        guard self != .standard else { return nil }
        return Element(
            RoomNames.history,
            attributes: [
                "maxstanzas": count.map { String(max($0, 0)) },
                "maxchars": characters.map { String(max($0, 0)) },
                "seconds": age.map { String(max($0.components.seconds, 0)) },
                "since": since?.description,
            ])
    }
}
