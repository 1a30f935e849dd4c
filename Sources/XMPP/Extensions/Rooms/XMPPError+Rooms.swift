// SPDX-License-Identifier: Apache-2.0

extension XMPPError.Code {
    /// The room does not let one in, or does not give one a nickname; ``XMPPError/roomRefusal`` says why.
    public static let roomRefused = Self(rawValue: "roomRefused")
    /// One is not in the room; ``XMPPError/roomExit`` says why not any more.
    public static let notInRoom = Self(rawValue: "notInRoom")
    /// The room that was to be made exists already.
    public static let roomExists = Self(rawValue: "roomExists")
    /// The room did not give a message of one's own to everybody in time.
    public static let notReflected = Self(rawValue: "notReflected")
}

extension XMPPError {
    /// Why a room did not let one in.
    public var roomRefusal: RoomRefusal? { underlying as? RoomRefusal }
    /// Why one is not in a room any more.
    public var roomExit: RoomExit? { underlying as? RoomExit }

    static func refused(_ refusal: RoomRefusal, by room: JID) -> XMPPError {
        XMPPError(
            .roomRefused, "\(room) did not let you in: \(refusal)", isRetryable: !refusal.isFinal, underlying: refusal)
    }

    static func notIn(_ room: JID, _ exit: RoomExit? = nil) -> XMPPError {
        guard let exit else { return XMPPError(.notInRoom, "you are not in \(room)") }
        if case .refused(let refusal) = exit { return refused(refusal, by: room) }
        return XMPPError(.notInRoom, "you are not in \(room) any more: \(exit)", underlying: exit)
    }
}

extension RoomExit: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        func because(_ text: String, _ removal: RoomRemoval) -> String {
            let actor = removal.actor.flatMap { $0.nickname ?? $0.address?.description }.map { " by \($0)" } ?? ""
            return text + actor + (removal.reason.map { ": \($0)" } ?? "")
        }
        switch self {
        case .left: return "you left"
        case .kicked(let removal): return because("you were put out", removal)
        case .banned(let removal): return because("you were banned", removal)
        case .affiliationLost(let removal): return because("you are no longer a member", removal)
        case .membersOnly: return "the room is for members only now"
        case .destroyed(let destruction):
            return "the room was destroyed" + (destruction.reason.map { ": \($0)" } ?? "")
        case .refused(let refusal): return refusal.description
        case .sessionEnded: return "the session ended"
        }
    }
}
