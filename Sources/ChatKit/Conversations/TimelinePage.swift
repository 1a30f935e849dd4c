// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Calendar
public import struct Foundation.Date

/// Which part of a conversation is wanted.
public enum TimelinePlace: Hashable, Sendable {
    /// The newest messages.
    case newest
    /// Those before a message, the newest of them.
    case before(ChatMessage.ID)
    /// Those after a message, the oldest of them.
    case after(ChatMessage.ID)
    /// A message and those next to it, about as many before as after.
    case around(ChatMessage.ID)
}

/// Messages of an archive that may be missing here.
public struct TimelineGap: Identifiable, Hashable, Sendable {
    /// Names a gap within its profile.
    public struct ID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number behind the name.
        public let rawValue: Int64

        /// Takes a number that came from a gap's name.
        public init(rawValue: Int64) { self.rawValue = rawValue }

        /// The number in decimal digits.
        public var description: String { String(rawValue) }
    }

    /// The name within the profile.
    public let id: ID
    /// It lies right before this message; nil: after all of them.
    public let before: ChatMessage.ID?
}

/// A part of a conversation, oldest first, with what is next to it.
public struct TimelinePage: Hashable, Sendable {
    /// The messages.
    public let messages: [ChatMessage]
    /// There are older ones in the profile.
    public let hasOlder: Bool
    /// There are newer ones in the profile.
    public let hasNewer: Bool
    /// The newest message of the conversation that the user has read.
    public let readThrough: ChatMessage.ID?
    /// Where messages of the server may be missing.
    public let gaps: [TimelineGap]
    /// What people did in the room beside these messages.
    public internal(set) var activities: [RoomActivity] = []
}

/// One line of a conversation as it is shown.
public enum TimelineEntry: Hashable, Sendable {
    /// The first moment of a day.
    case day(Date)
    /// What follows has not been read.
    case unread
    /// Messages may be missing here.
    case gap(TimelineGap)
    /// A message.
    case message(ChatMessage)
    /// What people did in the room.
    case activity(RoomActivity)
}

extension TimelinePage {
    /// The page as lines: a day before its first message, the boundary of what is unread, gaps where they lie, what people
    /// did in the room.
    ///
    /// - Parameter calendar: Says where days begin.
    public func entries(calendar: Calendar = .current) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        var day: Date?
        let readPosition = readThrough.flatMap { id in messages.first { $0.id == id }?.position }
        var isUnreadShown = readPosition == nil
        var activities = activities[...]
        for message in messages {
            while let activity = activities.first, activity.position < message.position {
                entries.append(.activity(activities.removeFirst()))
            }
            entries += gaps.filter { $0.before == message.id }.map { .gap($0) }
            let start = calendar.startOfDay(for: message.sent)
            if start != day {
                entries.append(.day(start))
                day = start
            }
            if !isUnreadShown, let readPosition, message.position > readPosition, message.direction == .incoming {
                entries.append(.unread)
                isUnreadShown = true
            }
            entries.append(.message(message))
        }
        entries += activities.map { .activity($0) }
        return entries + gaps.filter { $0.before == nil && !hasNewer }.map { .gap($0) }
    }
}
