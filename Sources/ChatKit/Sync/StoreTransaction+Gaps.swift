// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// Where a gap of an archive lies in one conversation.
struct GapPlace: Sendable, Hashable {
    let gap: Int64
    /// Messages may be missing that would otherwise have come.
    let isLoss: Bool
    /// The last place before it.
    let afterSort: Int64?
    /// The first message behind it, and its place; nil at the end of the conversation.
    let before: Int64?
    let beforeSort: Int64?
    /// What the archive is asked for: what lies before this id, else before this time.
    let beforeID: String?
    let beforeTime: Int64?
    /// The other side, and whether that is a room.
    let peer: String
    let isRoom: Bool
    let account: Int64
}

extension Queries {
    /// The open gaps of a conversation, the newest first.
    static func gapPlaces(_ connection: Connection, in conversation: Int64, gap: Int64? = nil) throws -> [GapPlace] {
        try connection.rows(
            """
            SELECT g.id, g.reason, a.sort, b.id, b.sort, coalesce(p.before_id, g.before_id),
                CASE WHEN p.before_id IS NULL THEN g.before_time ELSE b.sent END, c.peer, c.kind = 'room', c.account
            FROM conversation c JOIN account o ON o.id = c.account
            JOIN gap g ON g.account = c.account AND g.archive_jid = CASE c.kind WHEN 'room' THEN c.peer ELSE o.jid END
            LEFT JOIN gap_place p ON p.gap = g.id AND p.conversation = c.id
            LEFT JOIN message a ON a.id = p.after_message
            LEFT JOIN message b ON b.id = coalesce(p.before_message, (SELECT m.id FROM message m
                WHERE m.conversation = c.id AND m.sort > coalesce(a.sort, -9223372036854775808) ORDER BY m.sort LIMIT 1))
            WHERE c.id = ?1 AND coalesce(p.is_closed, 0) = 0 AND (?2 IS NULL OR g.id = ?2) ORDER BY g.id DESC LIMIT 100
            """, conversation, gap
        ) { row in
            GapPlace(
                gap: row.column(0), isLoss: row.column(1, as: String.self) != ArchiveGap.newDevice,
                afterSort: row.column(2), before: row.column(3), beforeSort: row.column(4), beforeID: row.column(5),
                beforeTime: row.column(6), peer: row.column(7), isRoom: row.column(8), account: row.column(9))
        }
    }

    static func gapPlace(_ connection: Connection, _ gap: Int64, in conversation: Int64) throws -> GapPlace? {
        try gapPlaces(connection, in: conversation, gap: gap).first
    }

    /// The gaps next to the messages of a page.
    ///
    /// - Parameters:
    ///   - beside: The message that the page lies before.
    ///   - isEnd: The page has the end of the conversation.
    static func gaps(
        _ connection: Connection, _ conversation: Int64, _ messages: [ChatMessage], beside: Int64?, isEnd: Bool
    ) throws -> [TimelineGap] {
        let places = try gapPlaces(connection, in: conversation)
        guard !places.isEmpty else { return [] }
        let shown = Set(messages.map(\.id.rawValue))
        var found: [TimelineGap] = []
        for place in places {
            let isBeside: Bool
            if let before = place.before {
                isBeside = shown.contains(before) || before == beside
            } else {
                isBeside = isEnd
            }
            // Two in one place are filled one after the other, the newer first.
            guard isBeside, !found.contains(where: { $0.before?.rawValue == place.before }) else { continue }
            found.append(
                TimelineGap(id: .init(rawValue: place.gap), before: place.before.map { ChatMessage.ID(rawValue: $0) }))
        }
        return found.reversed()
    }
}

extension StoreTransaction {
    /// Notes that messages of an archive may be missing here, behind what was gone through in each conversation.
    @discardableResult
    func recordGap(
        account: Int64, archive: String, after: String?, before: String?, beforeTime: Int64? = nil, reason: String,
        isBeforeAll: Bool = false
    ) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO gap (account, archive_jid, after_id, before_id, before_time, reason, created)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, account, archive, after, before, beforeTime, reason, now)
        let gap = connection.lastInsertedRow
        if isBeforeAll { return gap }
        try connection.run(
            """
            INSERT INTO gap_place (gap, conversation, after_message)
            SELECT ?1, c.id, m.id FROM conversation c JOIN account o ON o.id = c.account
            JOIN message m ON m.id = (SELECT l.id FROM message l WHERE l.conversation = c.id AND l.is_archived = 1
                ORDER BY l.sort DESC LIMIT 1)
            WHERE c.account = ?2 AND ?3 = CASE c.kind WHEN 'room' THEN c.peer ELSE o.jid END
            """, gap, account, archive)
        return gap
    }

    /// A gap behind a message that the archive lost, of which nobody knows yet where it ends.
    func openGap(account: Int64, archive: String, after: String) throws -> Int64? {
        try connection.value(
            """
            SELECT id FROM gap WHERE account = ? AND archive_jid = ? AND after_id = ? AND before_id IS NULL
            ORDER BY id DESC LIMIT 1
            """, account, archive, after)
    }

    /// A gap ends where a page begins; none is left when what the page begins with is here.
    func end(_ gap: Int64, at page: CatchUpPage, _ scope: ArchiveScope, _ account: Int64) throws {
        guard let first = page.messages.first else { return }
        let isKnown: Int64? = try connection.value(
            "SELECT id FROM message WHERE archive_jid = ? AND archive_id = ? AND account = ? AND is_archived = 1",
            scope.name, first.id, account)
        if isKnown != nil {
            try connection.run("DELETE FROM gap WHERE id = ? AND before_id IS NULL", gap)
        } else {
            try connection.run(
                "UPDATE gap SET before_id = ?2, before_time = ?3 WHERE id = ?1 AND before_id IS NULL", gap, first.id,
                first.stamp)
        }
    }

    /// The place of a message that the archive knows by this id.
    func placeOf(_ id: String, _ archive: String, _ account: Int64) throws -> Int64? {
        try connection.value(
            "SELECT sort FROM message WHERE archive_jid = ? AND archive_id = ? AND account = ?", archive, id, account)
    }

    /// A part of a gap is here.
    func filled(_ gap: Int64, in conversation: Int64, before: Int64?, id: String?, isClosed: Bool) throws {
        try connection.run(
            """
            INSERT INTO gap_place (gap, conversation, before_message, before_id, is_closed) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (gap, conversation) DO UPDATE SET before_message = coalesce(excluded.before_message, before_message),
                before_id = coalesce(excluded.before_id, before_id), is_closed = excluded.is_closed
            """, gap, conversation, before, id, isClosed)
        changes.conversations.insert(conversation)
    }

    /// What was said before this device came is no news here, and none for the other devices.
    func wasReadLongAgo(_ conversation: Int64, through sort: Int64) throws {
        try connection.run(
            """
            UPDATE conversation SET read_sort = max(read_sort, ?2), synced_sort = max(synced_sort, ?2),
                marked_sort = max(marked_sort, ?2) WHERE id = ?1
            """, conversation, sort)
        try countUnread(conversation: conversation)
    }

    /// A place for each message of a page that is not here: before the next one that is, else at the end of the gap.
    ///
    /// Some of a gap may be here: a server may hand over what it kept for a device that is away.
    func places(
        for page: [CatchUpMessage], of archive: String, at place: GapPlace, in conversation: Int64
    ) throws -> [String: Int64] {
        let known = try sorts(of: page.lazy.map(\.id), archive, in: conversation)
        var (places, run) = ([String: Int64](), [String]())
        var (floor, moved) = (place.afterSort, Int64(0))
        for message in page {
            guard let sort = known[message.id].map({ $0 + moved }) else {
                run.append(message.id)
                continue
            }
            // One that stands elsewhere says nothing of this place.
            guard sort > floor ?? .min else { continue }
            let first = try room(for: run.count, behind: floor, before: sort, in: conversation, &moved)
            for (index, id) in run.enumerated() { places[id] = first + Int64(index) }
            run = []
            floor = known[message.id].map { $0 + moved }
        }
        var end = place.beforeSort.map { $0 + moved }
        if let last = floor, let before = end, before <= last { end = try next(behind: last, in: conversation) }
        let first = try room(for: run.count, behind: floor, before: end, in: conversation, &moved)
        for (index, id) in run.enumerated() { places[id] = first + Int64(index) }
        return places
    }

    private func sorts(
        of ids: some Collection<String>, _ archive: String, in conversation: Int64
    ) throws -> [String: Int64] {
        let rows = try connection.rows(
            """
            SELECT m.archive_id, m.sort FROM json_each(?2) j
            CROSS JOIN message m ON m.archive_jid = ?1 AND m.archive_id = j.value WHERE m.conversation = ?3
            """, archive, JSONText.array(ids), conversation
        ) { ($0.column(0, as: String.self), $0.column(1, as: Int64.self)) }
        return Dictionary(rows) { first, _ in first }
    }

    private func next(behind sort: Int64, in conversation: Int64) throws -> Int64? {
        try connection.value(
            "SELECT sort FROM message WHERE conversation = ? AND sort > ? ORDER BY sort LIMIT 1", conversation, sort)
    }

    /// The first of so many free places in a row right before a message; nil is the end of the conversation.
    private func room(
        for count: Int, behind floor: Int64?, before: Int64?, in conversation: Int64, _ moved: inout Int64
    ) throws -> Int64 {
        let count = Int64(count)
        guard count > 0 else { return 0 }
        guard let before else { return (floor ?? now - count - 1) + 1 }
        let last: Int64? = try connection.value(
            "SELECT sort FROM message WHERE conversation = ? AND sort < ? ORDER BY sort DESC LIMIT 1", conversation,
            before)
        guard let floor = [floor, last].compactMap(\.self).max(), before - floor <= count else { return before - count }
        try shift(conversation, from: before, by: Self.room)
        moved += Self.room
        return before + Self.room - count
    }

    /// Moves everything from a place on further down.
    func shift(_ conversation: Int64, from sort: Int64, by distance: Int64) throws {
        try settleGathered()
        try connection.run(
            "UPDATE message SET sort = sort + ?3 WHERE conversation = ?1 AND sort >= ?2", conversation, sort, distance)
        try connection.run(
            """
            UPDATE conversation SET last_sort = last_sort + CASE WHEN last_sort >= ?2 THEN ?3 ELSE 0 END,
                read_sort = read_sort + CASE WHEN read_sort >= ?2 THEN ?3 ELSE 0 END,
                synced_sort = synced_sort + CASE WHEN synced_sort >= ?2 THEN ?3 ELSE 0 END,
                marked_sort = marked_sort + CASE WHEN marked_sort >= ?2 THEN ?3 ELSE 0 END
            WHERE id = ?1
            """, conversation, sort, distance)
    }

    /// Room for so many messages is made at once.
    static let room: Int64 = 1 << 20
}
