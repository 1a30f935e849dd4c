// SPDX-License-Identifier: Apache-2.0

/// Looks for messages.
package struct SearchRequest: Hashable, Codable, Sendable {
    /// Words, which all have to be there; those in quotation marks together and in that order.
    package var text: String
    package var account: String?
    /// Only in this conversation.
    package var conversation: String?
    /// Only of this person: an address, or the nickname in a room.
    package var person: String?
    /// Only the user's own, or only those of others.
    package var isOwn: Bool?
    package var since: Timestamp?
    package var until: Timestamp?
    /// Only those with a file or a link to one.
    package var hasFile: Bool?
    package var limit: Int
    /// Only what was found after this `MessageItem.id`, the last one of the answer before.
    package var after: String?

    package init(
        text: String, account: String? = nil, conversation: String? = nil, person: String? = nil, isOwn: Bool? = nil,
        since: Timestamp? = nil, until: Timestamp? = nil, hasFile: Bool? = nil, limit: Int = 20, after: String? = nil
    ) {
        self.text = text
        self.account = account
        self.conversation = conversation
        self.person = person
        self.isOwn = isOwn
        self.since = since
        self.until = until
        self.hasFile = hasFile
        self.limit = limit
        self.after = after
    }

    private enum CodingKeys: String, CodingKey {
        case text, account, conversation, person, since, until, limit, after
        case isOwn = "own"
        case hasFile = "has_file"
    }
}

/// A message that was found.
package struct SearchHit: Hashable, Codable, Sendable {
    /// A piece of the text around what was found.
    package struct Piece: Hashable, Codable, Sendable {
        package var text: String
        /// It is what was looked for.
        package var isMatch: Bool

        package init(text: String, isMatch: Bool) {
            self.text = text
            self.isMatch = isMatch
        }

        private enum CodingKeys: String, CodingKey {
            case text
            case isMatch = "match"
        }
    }

    package var message: MessageItem
    package var excerpt: [Piece]

    package init(message: MessageItem, excerpt: [Piece]) {
        self.message = message
        self.excerpt = excerpt
    }
}
