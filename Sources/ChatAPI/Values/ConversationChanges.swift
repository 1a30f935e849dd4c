// SPDX-License-Identifier: Apache-2.0

/// Says up to where the user has read.
package struct ReadRequest: Hashable, Codable, Sendable {
    package var conversation: ConversationID
    /// `MessageItem.id`; nil: everything.
    package var through: String?

    package init(conversation: ConversationID, through: String? = nil) {
        self.conversation = conversation
        self.through = through
    }
}

/// Keeps a text that was begun and not sent; an empty one forgets it.
package struct DraftRequest: Hashable, Codable, Sendable {
    package var conversation: ConversationID
    package var text: String

    package init(conversation: ConversationID, text: String) {
        self.conversation = conversation
        self.text = text
    }
}

/// Changes how a conversation is listed and announced; what is nil stays as it is.
package struct ConversationChange: Hashable, Codable, Sendable {
    package enum Mute: Hashable, Codable, Sendable {
        /// Announces again what the level says.
        case off
        /// Announces nothing until then.
        case until(Timestamp)
    }

    package var conversation: ConversationID
    package var isPinned: Bool?
    package var isArchived: Bool?
    package var level: NotificationLevel?
    package var mute: Mute?

    package init(
        conversation: ConversationID, isPinned: Bool? = nil, isArchived: Bool? = nil,
        level: NotificationLevel? = nil, mute: Mute? = nil
    ) {
        self.conversation = conversation
        self.isPinned = isPinned
        self.isArchived = isArchived
        self.level = level
        self.mute = mute
    }

    private enum CodingKeys: String, CodingKey {
        case conversation, level
        case isPinned = "pinned"
        case isArchived = "archived"
        case mutedUntil = "muted_until"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        conversation = try values.decode(ConversationID.self, forKey: .conversation)
        isPinned = try values.decodeIfPresent(Bool.self, forKey: .isPinned)
        isArchived = try values.decodeIfPresent(Bool.self, forKey: .isArchived)
        level = try values.decodeIfPresent(NotificationLevel.self, forKey: .level)
        // `"muted_until": null` ends it, its absence changes nothing.
        guard values.contains(.mutedUntil) else { return }
        mute = try values.decodeIfPresent(Timestamp.self, forKey: .mutedUntil).map { .until($0) } ?? .off
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(conversation, forKey: .conversation)
        try values.encodeIfPresent(isPinned, forKey: .isPinned)
        try values.encodeIfPresent(isArchived, forKey: .isArchived)
        try values.encodeIfPresent(level, forKey: .level)
        switch mute {
        case nil: break
        case .off: try values.encodeNil(forKey: .mutedUntil)
        case .until(let time): try values.encode(time, forKey: .mutedUntil)
        }
    }
}
