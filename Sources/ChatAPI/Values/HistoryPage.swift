// SPDX-License-Identifier: Apache-2.0

/// Asks for a part of a conversation; without a place, its newest messages.
///
/// Of `around`, `before` and `after` at most one is given.
package struct PageRequest: Hashable, Codable, Sendable {
    package var conversation: ConversationID
    /// At most this many; the core may cap it (see `ChatLimits.historyPage`).
    package var limit: Int
    /// The message with this `MessageItem.id` and those next to it, about as many before as after.
    package var around: String?
    /// Only messages before this one, the newest of them.
    package var before: String?
    /// Only messages after this one, the oldest of them.
    package var after: String?

    package init(
        conversation: ConversationID, limit: Int = 50, around: String? = nil, before: String? = nil,
        after: String? = nil
    ) {
        self.conversation = conversation
        self.limit = limit
        self.around = around
        self.before = before
        self.after = after
    }
}

/// A part of a conversation, oldest first, with what is next to it.
package struct HistoryPage: Hashable, Codable, Sendable {
    /// Messages that the server has and this profile has not.
    package struct Gap: Hashable, Codable, Sendable {
        /// Names the gap for `fill`.
        package var id: String
        /// It lies right before the message with this `MessageItem.id`; nil: after all of them.
        package var before: String?

        package init(id: String, before: String? = nil) {
            self.id = id
            self.before = before
        }
    }

    package var messages: [MessageItem]
    /// There are older ones in the profile.
    package var hasOlder: Bool
    /// There are newer ones in the profile.
    package var hasNewer: Bool
    /// Up to which message the user has read.
    package var readThrough: String?
    package var gaps: [Gap]
    /// What people did in the room between these messages; nil for nothing.
    package var activities: [RoomActivityItem]?

    package init(
        messages: [MessageItem], hasOlder: Bool = false, hasNewer: Bool = false, readThrough: String? = nil,
        gaps: [Gap] = [], activities: [RoomActivityItem] = []
    ) {
        self.messages = messages
        self.hasOlder = hasOlder
        self.hasNewer = hasNewer
        self.readThrough = readThrough
        self.gaps = gaps
        self.activities = activities.isEmpty ? nil : activities
    }

    private enum CodingKeys: String, CodingKey {
        case messages
        case hasOlder = "has_older"
        case hasNewer = "has_newer"
        case readThrough = "read_through"
        case gaps, activities
    }
}
