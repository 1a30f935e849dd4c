// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// Which archive: the account's own, or that of a room.
struct ArchiveScope: Hashable, Sendable {
    /// The address by which the database knows it.
    let name: String
    /// The room; nil for the account's own.
    let room: JID?

    static func own(_ account: JID) -> ArchiveScope { ArchiveScope(name: account.bare.description, room: nil) }

    init(room: JID) { self.init(name: room.bare.description, room: room.bare) }

    private init(name: String, room: JID?) {
        self.name = name
        self.room = room
    }
}

/// What the messages of one page share while they are taken over.
struct ArchiveIntake {
    let scope: ArchiveScope
    var context: ReceiveContext
    /// Up to where each conversation has been gone through.
    var cursors: [Int64: Int64] = [:]
    /// The conversations that are as they were read; whatever may have changed one otherwise forgets it.
    var conversations: [JID: ConversationRow] = [:]
    /// The last places of conversations to which the page added.
    var lastSorts: [Int64: Int64] = [:]
    /// The rows of the page's messages that were here before under their ids in the archive.
    var known: [String: Int64] = [:]
    /// The gap that the page comes from; nil when it lies behind the anchor.
    var filling: Filling?
    /// The room's row.
    var room: RoomRow?

    /// A part of a gap in one conversation.
    struct Filling {
        let conversation: Int64
        /// Where those that are not here go, by their ids.
        let places: [String: Int64]
        /// What the user has not seen counts as unread.
        let isUnread: Bool
        /// The first message of the page that is here now.
        var first: Int64?
        /// The last place that was taken.
        var last: Int64?

        /// A message of the page is here now.
        mutating func saw(_ message: Int64) { if first == nil { first = message } }
    }

    /// A conversation that the page met before.
    func conversation(with peer: JID) -> ConversationRow? {
        guard var row = conversations[peer] else { return nil }
        if let last = lastSorts[row.id] { row.lastSort = max(row.lastSort, last) }
        return row
    }

    /// Keeps a conversation for the rest of the page, unless something waits there for messages, which may change anything.
    mutating func note(_ row: ConversationRow, of peer: JID) {
        if !row.isWaiting { conversations[peer] = row }
    }

    /// Has a conversation read again, which may have changed.
    mutating func forget(_ row: ConversationRow) {
        if let peer = conversations.first(where: { $0.value.id == row.id })?.key { conversations[peer] = nil }
    }

    init(_ scope: ArchiveScope) {
        self.scope = scope
        context = ReceiveContext(followUps: [], trustsStanzaIDs: true)
    }
}
