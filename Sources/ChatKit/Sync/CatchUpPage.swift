// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// Where to go on in an archive.
package enum CatchUpPosition: Sendable, Hashable {
    /// The first message of all.
    case beginning
    /// Behind the message that the archive knows by this id.
    case after(String)
    /// The first message of this moment or later, in milliseconds since 1970.
    case since(Int64)
    /// The newest message alone.
    case newest
    /// What lies before the message that the archive knows by this id, the newest of it; nil is the end. Of a conversation
    /// with somebody, or of all.
    case before(String?, with: JID?)
    /// What lies before a moment, the newest of it.
    case until(Int64, with: JID?)
}

/// One message as the archive of the account has it.
package struct CatchUpMessage: Sendable {
    /// The id that the archive gave it.
    package let id: String
    /// When the archive got it, in milliseconds since 1970.
    package let stamp: Int64?
    package let message: Message

    package init(id: String, stamp: Int64?, message: Message) {
        self.id = id
        self.stamp = stamp
        self.message = message
    }
}

/// A part of the archive, oldest first.
package struct CatchUpPage: Sendable {
    /// What a server with an archive announces (XEP-0313 §7).
    package static let feature = Archive.namespace

    package var messages: [CatchUpMessage]
    /// The id to go on from; nil for an empty page.
    package var last: String?
    /// Nothing is behind it.
    package var isComplete: Bool
    /// It would be the same if it were asked for again; one that is not moves no anchor (XEP-0313 §4.3.2).
    package var isStable: Bool

    package init(messages: [CatchUpMessage], last: String? = nil, isComplete: Bool, isStable: Bool = true) {
        self.messages = messages
        self.last = last ?? messages.last?.id
        self.isComplete = isComplete
        self.isStable = isStable
    }

    /// Adds the page behind this one.
    mutating func join(_ next: CatchUpPage) {
        messages += next.messages
        last = next.last ?? last
        isComplete = next.isComplete
    }
}

/// Why there is no page.
package enum CatchUpError: Error, Hashable {
    /// The archive does not have the message to go on from.
    case positionUnknown
    /// The server has no archive, or none for us.
    case unavailable
    /// The connection broke, or the session is over: another stream goes on.
    case interrupted
    /// The answer did not come, or was none; asking again may help.
    case failed
}
