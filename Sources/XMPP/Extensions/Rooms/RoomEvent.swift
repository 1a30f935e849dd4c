// SPDX-License-Identifier: Apache-2.0

/// What happens in a room, for those who watch it; see ``Room/events()``.
public enum RoomEvent: Sendable {
    /// Where one stands with the room is another matter now. After ``RoomState/joined`` the occupants are complete.
    case state(RoomState)
    /// Somebody came in.
    case joined(RoomOccupant)
    /// Somebody's role, affiliation or availability is another one.
    case changed(RoomOccupant)
    /// Somebody is gone.
    case left(RoomOccupant, RoomDeparture)
    /// Somebody has another nickname.
    case renamed(from: String, RoomOccupant)
    /// Something was said.
    case message(RoomMessage)
    /// An occupant said something to oneself alone (XEP-0045 §7.5).
    case privateMessage(RoomMessage)
    /// What is talked about is set, changed or taken away.
    case subject(RoomSubject)
    /// One's own nickname is another one.
    case nickname(String)
    /// The room says something by numbers: it shows addresses now, or is logged, or was configured anew.
    case notices([RoomStatus])
    /// What the room says about itself was asked for anew.
    case information(RoomInformation)
    /// A moderator took a message away (XEP-0425).
    case moderated(RoomModeration)
    /// A visitor asks for a voice; for moderators (§8.6).
    case voiceRequested(VoiceRequest)
    /// Somebody declined one's invitation (§7.8.2).
    case declined(RoomDecline)
}

extension RoomEvent {
    init(_ change: OccupantChange) {
        switch change {
        case .came(let occupant): self = .joined(occupant)
        case .changed(let occupant): self = .changed(occupant)
        case .left(let occupant, let departure): self = .left(occupant, departure)
        case .renamed(let old, let occupant): self = .renamed(from: old.resource ?? "", occupant)
        }
    }
}

/// The events of one room for one reader, from the moment it was taken until one has left.
///
/// Several changes of one occupant that the reader has not seen yet become one: whoever came and went is not told of. Nothing
/// else is left out: when 256 other events wait, the session stops reading from the server until the reader catches up. A
/// reader that nobody reads therefore stops the session: let it go when it is not needed.
public struct RoomEvents: AsyncSequence, Sendable {
    /// The events.
    public typealias Element = RoomEvent
    /// The stay ends in good order; the last event says how.
    public typealias Failure = Never

    let token: RoomEventToken

    /// Makes an iterator; iterators of one sequence share its events, one after the other and not at the same time.
    public func makeAsyncIterator() -> Iterator { Iterator(token: token) }

    /// Walks over the events.
    public struct Iterator: AsyncIteratorProtocol {
        let token: RoomEventToken

        /// Waits for the next event; nil after one has left the room, or after the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> RoomEvent? {
            await token.buffer.next()
        }

        /// As ``next(isolation:)``.
        public mutating func next() async -> RoomEvent? { await next(isolation: nil) }
    }
}

/// Held by a reader and its iterators; when the last goes, the room forgets the buffer.
final class RoomEventToken: Sendable {
    let buffer: RoomEventBuffer
    private let onRelease: @Sendable (RoomEventBuffer) -> Void

    init(buffer: RoomEventBuffer, onRelease: @escaping @Sendable (RoomEventBuffer) -> Void) {
        self.buffer = buffer
        self.onRelease = onRelease
    }

    deinit { onRelease(buffer) }
}
