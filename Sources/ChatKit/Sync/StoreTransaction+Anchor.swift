// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// Up to where the archive of an account is here without a gap.
struct Anchor: Hashable, Sendable {
    /// The id of the last message that was taken over; nil when nothing was, so that the archive's first is the next.
    var lastID: String?
    /// When the archive got that, or when the anchor was made; milliseconds since 1970.
    var lastTime: Int64

    /// So far back a lost position is looked for by time: clocks differ, and archives order by theirs.
    static let overlap: Int64 = 24 * 60 * 60 * 1000

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

    /// The first anchor of an account: what is here already lies before it, what the archive has before it is a gap.
    ///
    /// Gives the one that holds: an account begins once.
    func begin(_ anchor: Anchor, account: Int64, archive: String) throws -> Anchor {
        if let known = try self.anchor(account: account, archive: archive) { return known }
        try keep(anchor, account: account, archive: archive)
        try connection.run("UPDATE message SET is_archived = 1 WHERE account = ?", account)
        if let id = anchor.lastID {
            try recordGap(account: account, archive: archive, after: nil, before: id, reason: "new-device")
        }
        return anchor
    }

    /// Notes that messages of the archive may be missing here.
    func recordGap(account: Int64, archive: String, after: String?, before: String?, reason: String) throws {
        try connection.run(
            "INSERT INTO gap (account, archive_jid, after_id, before_id, reason, created) VALUES (?, ?, ?, ?, ?, ?)",
            account, archive, after, before, reason, now)
    }

    /// The place in a conversation up to which the archive has been gone through.
    func archivedSort(conversation: Int64) throws -> Int64 {
        try connection.value(
            "SELECT sort FROM message WHERE conversation = ? AND is_archived = 1 ORDER BY sort DESC LIMIT 1",
            conversation) ?? 0
    }

    /// A free place right behind `sort`, nil when that is the end of the conversation; what is behind moves on if it must.
    func place(behind sort: Int64, in conversation: Int64) throws -> Int64? {
        let next: Int64? = try connection.value(
            "SELECT sort FROM message WHERE conversation = ? AND sort > ? ORDER BY sort LIMIT 1", conversation, sort)
        guard let next else { return nil }
        if next - sort > 1 { return sort + 1 }
        try connection.run(
            "UPDATE message SET sort = sort + ?3 WHERE conversation = ?1 AND sort > ?2", conversation, sort, Self.room)
        try connection.run(
            """
            UPDATE conversation SET last_sort = last_sort + ?3,
                read_sort = read_sort + CASE WHEN read_sort > ?2 THEN ?3 ELSE 0 END
            WHERE id = ?1
            """, conversation, sort, Self.room)
        return sort + 1
    }

    /// Moves a message to a place further on; gives that.
    func move(_ message: Int64, behind sort: Int64, in conversation: ConversationRow) throws -> Int64 {
        let place = try self.place(behind: sort, in: conversation.id) ?? nextSort(conversation)
        try connection.run("UPDATE message SET sort = ? WHERE id = ?", place, message)
        try append(message: message, sort: place, to: conversation.id, isUnread: false)
        try changed(message: message)
        return place
    }

    /// Room for so many messages is made at once.
    private static let room: Int64 = 1 << 16
}
