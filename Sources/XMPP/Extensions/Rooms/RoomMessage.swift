// SPDX-License-Identifier: Apache-2.0

/// What somebody said in a room, with what the room is known to answer for.
public struct RoomMessage: Sendable {
    /// Whether it is news.
    public enum Origin: Sendable, Hashable {
        /// Said now.
        case live
        /// Said before one came in.
        case history
        /// Said by oneself, and given to everybody by the room: it is in (XEP-0045 §7.4).
        case reflection
    }

    /// The message as it came.
    public let message: Message
    /// Whether it is news.
    public let origin: Origin
    /// Who said it: an address in the room, or the room itself.
    public let author: JID
    /// The occupant who said it, if it is there now; nil for what was said before one came in, since the nickname may have
    /// changed hands.
    public let occupant: RoomOccupant?
    /// The room's name for the account of whoever said it; nil in rooms that do not announce such names (XEP-0421).
    public let occupantID: String?
    /// The identifier that the room gave it, to find it again in the archive and to moderate it (XEP-0359).
    public let stanzaID: String?
    /// When it was said, as the room noted; nil for what is said now.
    public let stamp: DateTime?

    init(_ message: Message, _ facts: RoomMessageFacts, origin: Origin, occupant: RoomOccupant?, namesAccounts: Bool) {
        self.message = message
        self.origin = origin
        author = facts.from
        self.occupant = origin == .history ? nil : occupant
        occupantID = namesAccounts ? facts.occupantID : nil
        stanzaID = message.stanzaID(by: facts.from.bare)
        stamp = facts.roomDelay ?? (origin == .history ? facts.delay : nil)
    }

    /// The text.
    public var body: String? { message.body }
    /// The nickname of whoever said it, exactly as the room has it; nil when the room itself speaks.
    public var nickname: String? { author.resource }
    /// Whether it is one's own.
    public var isOwn: Bool { origin == .reflection }
}

extension RoomMessageFacts {
    /// Reads what decides about a message; nil when it is from nobody.
    package init?(_ message: Message) {
        guard let from = message.from else { return nil }
        self.init(from: from)
        isGroupchat = message.kind == .groupchat
        id = message.id
        let delays = message.delays
        if !delays.isEmpty {
            roomDelay = delays.first { $0.from == from.bare }?.stamp
            delay = delays.first?.stamp
        }
        var ids = 0
        for child in message.payloads where child.matches(OccupantID.name) {
            ids += 1
            occupantID = OccupantID(child)?.id
        }
        if ids != 1 { occupantID = nil }
        // Only the room speaks for the room.
        if from.isBare, let user = message.payload(RoomNames.user) { statuses = RoomStatus.all(in: user) }
        // §8.1, OF47: a subject beside a body or a thread is part of a message.
        if isGroupchat, message.body == nil, message.thread == nil { subject = message.subject }
    }
}
