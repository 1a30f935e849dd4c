// SPDX-License-Identifier: Apache-2.0

/// A message as an archive keeps it (XEP-0313 §4.2).
public struct ArchivedMessage: Sendable {
    /// The identifier that the archive gave it; the only one that may be used to ask for more.
    public let id: String
    /// When the archive got it; nil when it does not say.
    public let stamp: DateTime?
    /// The message as it was.
    ///
    /// In the archive of a room its sender is the occupant. What it carries about the occupant's real address is worth as
    /// much as the room is trusted to take out what others forged (T107).
    public let message: Message

    /// Makes an archived message.
    public init(id: String, stamp: DateTime?, message: Message) {
        self.id = id
        self.stamp = stamp
        self.message = message
    }

    /// Whether the account sent it, from whatever resource, rather than received it (XEP-0313 §3.1).
    public func isOutgoing(for account: JID) -> Bool { message.from?.isSameBare(as: account) ?? false }
}

/// One part of what an archive gave in answer (XEP-0313 §4.3).
public struct ArchivePage: Sendable {
    /// The messages, oldest first unless the page was asked for flipped; none twice.
    public var messages: [ArchivedMessage]
    /// Which part of all the messages it is.
    ///
    /// ``PageInfo/first`` and ``PageInfo/last`` are where to go on from; in rooms of some servers they differ from the
    /// identifiers of the messages.
    public let info: PageInfo
    /// Whether there is nothing more in the direction of paging.
    public let isComplete: Bool
    /// Whether it would be the same if it were asked for again; keep nothing for good that is not (§4.3.2).
    public let isStable: Bool
    /// How many messages were there that could not be read: removed ones, or ones that break the rules.
    public let unreadable: Int

    /// Makes a page.
    public init(
        messages: [ArchivedMessage], info: PageInfo, isComplete: Bool, isStable: Bool = true, unreadable: Int = 0
    ) {
        self.messages = messages
        self.info = info
        self.isComplete = isComplete
        self.isStable = isStable
        self.unreadable = unreadable
    }
}
