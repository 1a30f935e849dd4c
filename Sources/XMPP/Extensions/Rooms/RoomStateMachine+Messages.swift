// SPDX-License-Identifier: Apache-2.0

/// What decides how a message of a room is to be understood.
package struct RoomMessageFacts: Sendable, Hashable {
    /// The room itself when bare, else an occupant.
    package var from: JID
    package var isGroupchat = true
    package var id: String?
    /// The text of a subject without a body, empty when it is taken away (§8.1).
    package var subject: String?
    /// When it was said, as the room noted.
    package var roomDelay: DateTime?
    /// When it was said, as anybody noted.
    package var delay: DateTime?
    package var occupantID: String?
    /// What the room says by numbers; empty unless the room itself speaks.
    package var statuses: [RoomStatus] = []

    package init(from: JID) { self.from = from }
}

/// What is talked about in a room (XEP-0045 §8.1).
public struct RoomSubject: Sendable, Hashable {
    /// The text; empty when there is none.
    public let text: String
    /// The address in the room of whoever set it; the room itself when it does not say.
    public let author: JID
    /// When it was set, where the room says so.
    public let stamp: DateTime?

    /// Makes a subject.
    public init(text: String, author: JID, stamp: DateTime? = nil) {
        self.text = text
        self.author = author
        self.stamp = stamp
    }
}

extension RoomStateMachine {
    mutating func received(_ message: RoomMessageFacts) -> Action {
        guard takesPart, !isLeaving, message.from.isSameBare(as: room) else { return .none }
        guard isEntering else { return understood(message) }
        // B124: one's nickname is there and the history begins: one is in.
        guard hasSeenNickname, message.isGroupchat, message.subject != nil || message.delay != nil else { return .none }
        return .several([entered([]), understood(message)])
    }

    private mutating func understood(_ message: RoomMessageFacts) -> Action {
        guard message.isGroupchat else {
            return message.statuses.isEmpty ? .message(.live) : .notices(message.statuses)
        }
        let isHistory = belongsToHistory(message)
        // What has no delay at all is said now, and with it the history is over.
        if message.subject != nil || (!isHistory && !message.from.isBare) { isInHistory = false }
        if let text = message.subject {
            let new = RoomSubject(text: text, author: message.from, stamp: message.roomDelay ?? message.delay)
            subject = new
            return .subject(new)
        }
        if !message.statuses.isEmpty { return .notices(message.statuses) }
        if isHistory { return .message(.history) }
        return .message(isReflection(message) ? .reflection : .live)
    }

    /// The room noted when it was said; or it comes before the end of the join, with a delay of anybody (OF46, B106).
    ///
    /// Later an occupant's own delay says nothing (T122).
    private func belongsToHistory(_ message: RoomMessageFacts) -> Bool {
        message.roomDelay != nil || (isInHistory && message.delay != nil)
    }

    /// By the room's name for the account where it has one, else by the nickname (OF47).
    private func isReflection(_ message: RoomMessageFacts) -> Bool {
        if namesAccounts, let mine = me?.occupantID, let theirs = message.occupantID { return mine == theirs }
        return message.from == address
    }
}
