// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// Up to where an archive is here without a gap.
struct Anchor: Hashable, Sendable {
    /// The id of the last message that was taken over; nil when nothing was, so that the archive's first is the next.
    var lastID: String?
    /// When the archive got that, or when the anchor was made; milliseconds since 1970.
    var lastTime: Int64

    /// So far back a lost position is looked for by time: clocks differ, and archives order by theirs.
    static let overlap: Int64 = 24 * 60 * 60 * 1000
    /// So late, in milliseconds, an archive may still write a message that it has given an id.
    static let lateness: Int64 = 10 * 60 * 1000

    var position: CatchUpPosition { lastID.map { .after($0) } ?? .beginning }
}

extension StoreTransaction {
    func anchor(account: Int64, archive: String) throws -> Anchor? {
        try Self.anchor(connection, account: account, archive: archive)
    }

    static func anchor(_ connection: Connection, account: Int64, archive: String) throws -> Anchor? {
        try connection.first(
            "SELECT last_id, last_time FROM anchor WHERE account = ? AND archive_jid = ?", account, archive
        ) { Anchor(lastID: $0.column(0), lastTime: $0.column(1)) }
    }

    func keep(_ anchor: Anchor, account: Int64, archive: String) throws {
        try connection.run(
            """
            INSERT INTO anchor (account, archive_jid, last_id, last_time) VALUES (?, ?, ?, ?)
            ON CONFLICT (account, archive_jid) DO UPDATE SET last_id = excluded.last_id, last_time = excluded.last_time
            """, account, archive, anchor.lastID, anchor.lastTime)
    }

    /// The first anchor of an archive: what is here already lies before it, what the archive has before it is a gap; in a room,
    /// which tells all that is said, before all that is here.
    ///
    /// Gives the one that holds: an archive begins once.
    func begin(_ anchor: Anchor, account: Int64, _ scope: ArchiveScope) throws -> Anchor {
        if let known = try self.anchor(account: account, archive: scope.name) { return known }
        try keep(anchor, account: account, archive: scope.name)
        try connection.run(
            """
            UPDATE message SET is_archived = 1 WHERE is_archived = 0 AND conversation IN (SELECT c.id FROM conversation c
                WHERE c.account = ?1 AND CASE WHEN ?2 IS NULL THEN c.kind != 'room' ELSE c.peer = ?2 END)
            """, account, scope.room?.description)
        if anchor.lastID != nil {
            // The newest is missing, too; some archives tell whole seconds only.
            try recordGap(
                account: account, archive: scope.name, after: nil, before: nil, beforeTime: anchor.lastTime + 1000,
                reason: ArchiveGap.newDevice, isBeforeAll: scope.room != nil)
        }
        return anchor
    }

    /// The place in a conversation up to which the archive has been gone through.
    func archivedSort(conversation: Int64) throws -> Int64 {
        try connection.value(
            "SELECT sort FROM message WHERE conversation = ? AND is_archived = 1 ORDER BY sort DESC LIMIT 1",
            conversation) ?? 0
    }

    /// For each conversation of these messages the place right before the first of them that is here.
    func cursors(
        before messages: ArraySlice<CatchUpMessage>, archive: String, account: Int64
    ) throws -> [Int64: Int64] {
        var cursors: [Int64: Int64] = [:]
        for message in messages {
            let known: (conversation: Int64, sort: Int64)? = try connection.first(
                "SELECT conversation, sort FROM message WHERE archive_jid = ? AND archive_id = ? AND account = ?",
                archive, message.id, account
            ) { ($0.column(0), $0.column(1)) }
            if let known, cursors[known.conversation] == nil { cursors[known.conversation] = known.sort - 1 }
        }
        return cursors
    }

    /// A free place right behind `sort`, nil when that is the end of the conversation; what is behind moves on if it must.
    func place(behind sort: Int64, in conversation: Int64) throws -> Int64? {
        let next: Int64? = try connection.value(
            "SELECT sort FROM message WHERE conversation = ? AND sort > ? ORDER BY sort LIMIT 1", conversation, sort)
        guard let next else { return nil }
        if next - sort == 1 { try shift(conversation, from: next, by: Self.room) }
        return sort + 1
    }

    /// Moves a message to a place further on; gives that.
    func move(_ message: Int64, behind sort: Int64, in conversation: ConversationRow) throws -> Int64 {
        try settleGathered()
        let place = try self.place(behind: sort, in: conversation.id) ?? nextSort(conversation)
        try connection.run("UPDATE message SET sort = ? WHERE id = ?", place, message)
        try append(message: message, sort: place, to: conversation.id, isUnread: false)
        try changed(message: message)
        return place
    }
}
