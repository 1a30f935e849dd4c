// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP
public import struct Foundation.Date

/// A place in a profile's sequence of changes; larger is later.
public struct EventCursor: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number behind the place.
    public let rawValue: Int64

    /// Takes a number that came from a cursor.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Before everything.
    public static let start = EventCursor(rawValue: 0)

    /// The number in decimal digits.
    public var description: String { String(rawValue) }

    /// Orders by time.
    public static func < (left: EventCursor, right: EventCursor) -> Bool { left.rawValue < right.rawValue }
}

/// Something that changed in the profile for good.
public struct ChatEvent: Hashable, Sendable {
    /// What changed.
    public enum Kind: Hashable, Sendable {
        /// A message is new, incoming or outgoing.
        case message(ChatMessage)
        /// A known message is not what it was; it is given as it is now.
        case messageChanged(ChatMessage)
        /// A message is no longer there: it was a change of another one, which came later.
        case messageRemoved(ChatMessage.ID, account: JID, peer: JID)
        /// A contact is new or changed; given as it is now.
        case contact(Contact)
        /// A contact is gone.
        case contactRemoved(Contact.ID)
        /// Somebody asks to see our presence.
        case request(ContactRequest)
        /// Somebody asks the user to come into a room.
        case invitation(RoomInvite)
        /// A request, or an invitation into that room, was answered or taken back.
        case requestRemoved(Contact.ID)
        /// Events after the cursor that was asked for are no longer kept; what follows is what is left.
        case gap
        /// All that happened before has been told; what follows is live.
        case live
    }

    /// Asking for the events since here tells what follows this one.
    public let cursor: EventCursor
    /// When it happened.
    public let date: Date
    /// What changed.
    public let kind: Kind
}

/// The changes of a profile, for one reader: those since a cursor, then those that happen from now on.
public struct ChatEvents: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = ChatEvent
    /// Reading the database can fail.
    public typealias Failure = ChatError

    private let store: ChatStore
    private let presence: PresenceBook
    private let since: EventCursor?

    init(store: ChatStore, presence: PresenceBook, since: EventCursor?) {
        self.store = store
        self.presence = presence
        self.since = since
    }

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator {
        Iterator(store: store, presence: presence, since: since)
    }

    /// The reader of one sequence of changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: ChatStore
        private let presence: PresenceBook
        private let signal: ChangeSignal
        private var cursor: Int64?
        private var isStarted = false
        private var isLive = false
        private var mayHaveMore = false
        private var waiting: ArraySlice<ChatEvent> = []

        fileprivate init(store: ChatStore, presence: PresenceBook, since: EventCursor?) {
            self.store = store
            self.presence = presence
            cursor = since?.rawValue
            signal = store.hub.subscribe { $0.events }
        }

        /// The next change; waits for one.
        ///
        /// Nil when the task is cancelled or the core is closed.
        public mutating func next() async throws(ChatError) -> ChatEvent? { try await read() }

        /// The next change; waits for one.
        ///
        /// Nil when the task is cancelled or the core is closed.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ChatError) -> ChatEvent? {
            try await read()
        }

        private mutating func read() async throws(ChatError) -> ChatEvent? {
            while true {
                if let event = waiting.popFirst() { return event }
                if !mayHaveMore {
                    guard await signal.wait() else { return nil }
                }
                do {
                    try await fetch()
                } catch {
                    if store.hub.isClosed { return nil }
                    throw ChatError(error)
                }
                mayHaveMore = !waiting.isEmpty
                if !waiting.isEmpty || isLive { continue }
                isLive = true
                return ChatEvent(
                    cursor: .init(rawValue: cursor ?? 0), date: Date(milliseconds: store.now), kind: .live)
            }
        }

        private mutating func fetch() async throws {
            let (store, presence, from, isFirst) = (store, presence, cursor, !isStarted)
            let (next, events) = try await store.read { connection -> (Int64, [ChatEvent]) in
                var from = try from ?? Queries.lastCursor(connection)
                var events: [ChatEvent] = []
                if isFirst, from < (try Queries.firstCursor(connection)) {
                    from = try Queries.firstCursor(connection)
                    events.append(
                        ChatEvent(cursor: .init(rawValue: from), date: Date(milliseconds: store.now), kind: .gap))
                }
                // Rows whose subject is gone tell nothing; the next ones may.
                while true {
                    let rows = try Queries.events(connection, after: from, limit: 100)
                    guard let last = rows.last else { return (from, events) }
                    events += try rows.compactMap { try Queries.event(connection, $0, presence) }
                    from = last.cursor
                    if !events.isEmpty { return (from, events) }
                }
            }
            isStarted = true
            cursor = next
            waiting = events[...]
        }
    }
}

extension ChatCore {
    /// Everything that changed for good after a cursor, then everything that changes from now on.
    ///
    /// - Parameter cursor: Where to begin; nil begins with what happens from now on.
    public nonisolated func events(since cursor: EventCursor? = nil) -> ChatEvents {
        ChatEvents(store: store, presence: presenceBook, since: cursor)
    }

    /// The end of the sequence of changes: the events since here are what is new.
    public func cursor() async throws(ChatError) -> EventCursor {
        do {
            return EventCursor(rawValue: try await store.read { try Queries.lastCursor($0) })
        } catch {
            throw ChatError(error)
        }
    }
}
