// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// Where the user stands with a room, and what the room is.
public struct RoomStanding: Hashable, Sendable {
    /// Where one stands with a room.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Not in it.
        case outside
        /// Going in.
        case joining
        /// In it.
        case joined
        /// Out for a while: the account goes back in when it can.
        case interrupted
        /// Out, and not going in again without the user's word; ``RoomStanding/reason`` says why.
        case out
    }

    /// Why the user is out of a room.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The stored name.
        public let rawValue: String
        /// Makes a reason by its stored name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A moderator put the user out.
        public static let kicked = Self(rawValue: "kicked")
        /// The user may not come in.
        public static let banned = Self(rawValue: "banned")
        /// The room is for members, and the user is none.
        public static let membersOnly = Self(rawValue: "members-only")
        /// There is no such room any more.
        public static let destroyed = Self(rawValue: "destroyed")
        /// The room wants a password, or another one.
        public static let passwordNeeded = Self(rawValue: "password")
        /// The nickname is in use, reserved or not valid.
        public static let nickname = Self(rawValue: "nickname")
        /// The room cannot be reached, is full, or does not answer.
        public static let unreachable = Self(rawValue: "unreachable")
        /// The room refused for a reason without a name.
        public static let refused = Self(rawValue: "refused")
    }

    /// Where the user stands.
    public var state: State
    /// Why the user is out of it.
    public var reason: Reason?
    /// That in words, as the room gives them.
    public var text: String?
    /// The user wants to be in it, on all devices of the account.
    public let isWanted: Bool
    /// The user's nickname there.
    public let nickname: String?
    /// What is talked about.
    public let topic: String?
    /// For members only, as a private group is; nil as long as the room was not asked.
    public let isMembersOnly: Bool?
}

/// What is known of a room only as long as the program runs.
struct LiveRoomState: Sendable, Hashable {
    var state: RoomStanding.State
    var reason: RoomStanding.Reason?
    var text: String?

    /// The user has to do something about it: it is kept, and the room is not entered again by itself.
    var isFinal: Bool {
        guard state == .out, let reason else { return false }
        return [.kicked, .banned, .membersOnly, .destroyed, .passwordNeeded, .nickname].contains(reason)
    }
}

extension LiveRoomState {
    init(_ state: RoomState) {
        switch state {
        case .outside: self.init(state: .outside)
        case .joining: self.init(state: .joining)
        case .joined: self.init(state: .joined)
        case .interrupted(.refused(let refusal)):
            self.init(state: .interrupted, reason: .init(refusal), text: refusal.description)
        case .interrupted: self.init(state: .interrupted)
        case .left(let exit): self.init(exit)
        }
    }

    private init(_ exit: RoomExit) {
        switch exit {
        case .left, .sessionEnded: self.init(state: .outside)
        case .kicked(let removal): self.init(state: .out, reason: .kicked, text: removal.reason)
        case .banned(let removal): self.init(state: .out, reason: .banned, text: removal.reason)
        case .affiliationLost(let removal): self.init(state: .out, reason: .membersOnly, text: removal.reason)
        case .membersOnly: self.init(state: .out, reason: .membersOnly)
        case .destroyed(let destruction):
            // Where to go instead is told, and nobody goes there by itself (T138).
            let place = destruction.alternative.map { "now at \($0)" }
            let words = [destruction.reason, place].compactMap(\.self).joined(separator: "; ")
            self.init(state: .out, reason: .destroyed, text: words.isEmpty ? nil : words)
        case .refused(let refusal): self.init(state: .out, reason: .init(refusal), text: refusal.description)
        }
    }
}

extension RoomStanding.Reason {
    init(_ refusal: RoomRefusal) {
        switch refusal {
        case .passwordRequired: self = .passwordNeeded
        case .membersOnly: self = .membersOnly
        case .banned: self = .banned
        case .nicknameInUse, .reservedNicknameRequired, .invalidNickname: self = .nickname
        case .gone, .notFound: self = .destroyed
        case .full, .unreachable, .busy, .timedOut: self = .unreachable
        case .creationForbidden, .other: self = .refused
        }
    }
}
