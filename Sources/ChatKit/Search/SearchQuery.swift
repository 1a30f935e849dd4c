// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date
public import XMPP

/// What is looked for in the messages of a profile.
public struct SearchQuery: Hashable, Sendable {
    /// Words, which all have to be there; those in quotation marks together and in that order.
    ///
    /// Case and accents do not count, nor does whether letters were typed whole or sign by sign.
    /// The last word of three letters or more may be the beginning of a longer one.
    public var text: String
    /// Only messages of this account.
    public var account: JID?
    /// Only messages of this conversation.
    public var conversation: Conversation.ID?
    /// Only messages of this person: an address, or the nickname in a room.
    public var person: String?
    /// Only messages of the user, or none of them.
    public var isOwn: Bool?
    /// Only messages that were written at this moment or later.
    public var since: Date?
    /// Only messages that were written before this moment.
    public var until: Date?
    /// Only messages with a file or a link to one.
    public var hasFile = false
    /// Only what was found after this message: where the last answer ended.
    public var after: ChatMessage.ID?

    /// Looks for a text everywhere.
    public init(_ text: String) { self.text = text }
}

/// A message that was found, with what was looked for in its text.
public struct SearchHit: Identifiable, Hashable, Sendable {
    /// A piece of the text.
    public struct Piece: Hashable, Sendable {
        /// The text.
        public let text: String
        /// Whether it is what was looked for.
        public let isMatch: Bool
    }

    /// The message that was found; ``ChatCore/timeline(_:at:limit:)`` gives what is around it.
    public let message: ChatMessage
    /// The part of its text where it was found.
    public let excerpt: [Piece]

    /// The name of the message.
    public var id: ChatMessage.ID { message.id }
}

extension SearchQuery {
    /// The query in the language of the index: quoted strings only, so that nothing in it is an operator (T175); nil when
    /// there is nothing to look for.
    var expression: String? {
        var parts: [String] = []
        let words = Self.words(of: text)
        for (index, word) in words.enumerated() {
            let isBeginning = index == words.count - 1 && !word.isPhrase && word.text.count >= 3
            parts.append("body : " + Self.quoted(word.text) + (isBeginning ? " *" : ""))
        }
        if hasFile { parts.append("scope : \"file\"") }
        guard !parts.isEmpty else { return nil }
        if let conversation { parts.append("scope : \"c\(conversation)\"") }
        return parts.joined(separator: " AND ")
    }

    /// The most words of one query.
    private static let maximumWords = 32

    /// The words, and the phrases between quotation marks; a mark that is not closed reaches to the end.
    private static func words(of text: String) -> [(text: String, isPhrase: Bool)] {
        var words: [(text: String, isPhrase: Bool)] = []
        var isPhrase = false
        for part in text.split(separator: "\"", omittingEmptySubsequences: false) {
            if isPhrase {
                if part.contains(where: { $0.isLetter || $0.isNumber }) { words.append((String(part), true)) }
            } else {
                for word in part.split(whereSeparator: \.isWhitespace)
                where word.contains(where: { $0.isLetter || $0.isNumber || $0.isSymbol }) {
                    words.append((String(word), false))
                }
            }
            isPhrase.toggle()
        }
        return Array(words.prefix(maximumWords))
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\0", with: " ").replacing("\"", with: "\"\"") + "\""
    }
}
