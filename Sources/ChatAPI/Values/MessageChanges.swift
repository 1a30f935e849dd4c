// SPDX-License-Identifier: Apache-2.0

/// The message that another one answers, as far as it is known.
package struct QuotedItem: Hashable, Codable, Sendable {
    /// `MessageItem.id`; nil while the message is not here.
    package var message: String?
    /// Who wrote it; for a message that is not here, as the one who answers says.
    package var sender: String?
    package var senderName: String?
    /// Whether the user wrote it.
    package var isOwn: Bool
    /// The beginning of its text; nil when it is not here or was taken back.
    package var body: String?

    package init(
        message: String? = nil, sender: String? = nil, senderName: String? = nil, isOwn: Bool = false,
        body: String? = nil
    ) {
        self.message = message
        self.sender = sender
        self.senderName = senderName
        self.isOwn = isOwn
        self.body = body
    }

    private enum CodingKeys: String, CodingKey {
        case message, sender
        case senderName = "sender_name"
        case isOwn = "own"
        case body
    }
}

/// One picture with which people reacted to a message.
package struct ReactionItem: Hashable, Codable, Sendable {
    package var emoji: String
    /// How many people.
    package var count: Int
    /// The first of them: addresses, or nicknames in a room.
    package var people: [String]
    /// The user is one of them.
    package var isOwn: Bool

    package init(emoji: String, count: Int, people: [String], isOwn: Bool) {
        self.emoji = emoji
        self.count = count
        self.people = people
        self.isOwn = isOwn
    }

    private enum CodingKeys: String, CodingKey {
        case emoji, count, people
        case isOwn = "own"
    }
}

/// Who took a message out of a room.
package struct ModerationItem: Hashable, Codable, Sendable {
    package var by: String?
    package var reason: String?

    package init(by: String? = nil, reason: String? = nil) {
        self.by = by
        self.reason = reason
    }
}

/// Everything that is known of one message.
package struct MessageDetails: Hashable, Codable, Sendable {
    /// A text that the message had.
    package struct Revision: Hashable, Codable, Sendable {
        package var body: String
        package var time: Timestamp

        package init(body: String, time: Timestamp) {
            self.body = body
            self.time = time
        }
    }

    /// How far a message has come with one person.
    package struct Reader: Hashable, Codable, Sendable {
        /// An address, or a nickname in a room.
        package var person: String
        /// `delivered` or `displayed`.
        package var state: MessageState
        package var time: Timestamp?

        package init(person: String, state: MessageState, time: Timestamp? = nil) {
            self.person = person
            self.state = state
            self.time = time
        }
    }

    package var message: MessageItem
    /// Its former texts, the oldest first; empty for one that was never changed.
    package var revisions: [Revision]
    package var readers: [Reader]

    package init(message: MessageItem, revisions: [Revision] = [], readers: [Reader] = []) {
        self.message = message
        self.revisions = revisions
        self.readers = readers
    }
}

/// Says all that the user has to say to a message in pictures; an empty list takes everything back.
package struct ReactRequest: Hashable, Codable, Sendable {
    /// `MessageItem.id`.
    package var message: String
    package var emojis: [String]

    package init(message: String, emojis: [String]) {
        self.message = message
        self.emojis = emojis
    }
}

/// Changes the text of a message of the user.
package struct CorrectRequest: Hashable, Codable, Sendable {
    /// `MessageItem.id`.
    package var message: String
    package var body: String

    package init(message: String, body: String) {
        self.message = message
        self.body = body
    }
}
