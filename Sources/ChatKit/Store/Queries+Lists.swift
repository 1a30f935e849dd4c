// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP
internal import struct Foundation.Date

extension Queries {
    /// All conversations, pinned ones first, then the latest first.
    static func conversations(
        _ connection: Connection, id: Int64? = nil, rooms: RoomStates = RoomStates()
    ) throws -> [Conversation] {
        var jid = JIDReader()
        // Two statements, so that one conversation is found by its row.
        let condition = id == nil ? "?1 IS NULL AND n.is_hidden = 0" : "n.id = ?1"
        let conversations = try connection.rows(
            """
            SELECT \(messageColumns), n.id, o.jid, n.peer, n.kind, coalesce(k.name, n.name), n.unread, n.mentions, n.draft,
                n.is_pinned, n.is_archived, n.level, n.muted_until,
                (SELECT r.id FROM message r WHERE r.conversation = n.id AND r.sort <= n.read_sort
                 ORDER BY r.sort DESC LIMIT 1),
                p.hash, n.kind = 'chat' AND k.jid IS NULL AND NOT n.has_sent AND n.peer != o.jid,
                n.is_joined, n.nick, n.topic, n.is_members_only, n.room_exit, n.room_exit_text
            FROM conversation n JOIN account o ON o.id = n.account
            LEFT JOIN contact k ON k.account = n.account AND k.jid = n.peer
            LEFT JOIN picture p ON p.account = n.account AND p.jid = n.peer
            LEFT JOIN message m ON m.id = n.last_message
            LEFT JOIN conversation c ON c.id = m.conversation LEFT JOIN account a ON a.id = m.account
            WHERE \(condition)
            ORDER BY n.is_pinned DESC, n.last_sort DESC, n.id DESC
            """, id
        ) { row in
            let last = row.column(0, as: Int64?.self) == nil ? nil : try message(row, &jid)
            let first = messageColumnCount
            let isRoom = row.column(first + 3, as: String.self) == Conversation.Kind.room.rawValue
            return Conversation(
                id: .init(rawValue: row.column(first)), account: try jid(row.column(first + 1)),
                peer: try jid(row.column(first + 2)), kind: .init(rawValue: row.column(first + 3)) ?? .chat,
                name: row.column(first + 4), lastMessage: last, unread: row.column(first + 5),
                mentions: row.column(first + 6), draft: row.column(first + 7), isPinned: row.column(first + 8),
                isArchived: row.column(first + 9), level: .init(rawValue: row.column(first + 10)) ?? .all,
                mutedUntil: row.column(first + 11, as: Int64?.self).map { Date(milliseconds: $0) },
                readThrough: row.column(first + 12, as: Int64?.self).map { ChatMessage.ID(rawValue: $0) },
                picture: row.column(first + 13, as: String?.self).flatMap { PictureHash($0) },
                isStranger: row.column(first + 14),
                room: isRoom ? standing(row, first + 15, rooms.state(of: row.column(first))) : nil,
                lastActivity: last?.received ?? .distantPast)
        }
        let files = try files(connection, messages: conversations.compactMap { $0.lastMessage?.id.rawValue })
        if files.isEmpty { return conversations }
        return conversations.map { conversation in
            guard let last = conversation.lastMessage, let found = files[last.id.rawValue] else { return conversation }
            var conversation = conversation
            conversation.lastMessage?.files = found
            return conversation
        }
    }

    /// Where the user stands with a room: what happens now, else what was kept.
    private static func standing(_ row: Statement, _ first: Int32, _ live: LiveRoomState?) -> RoomStanding {
        let exit = row.column(first + 4, as: String?.self).map { RoomStanding.Reason(rawValue: $0) }
        let kept = LiveRoomState(state: exit == nil ? .outside : .out, reason: exit, text: row.column(first + 5))
        let now = live.flatMap { $0.state == .outside ? nil : $0 } ?? kept
        return RoomStanding(
            state: now.state, reason: now.reason, text: now.text, isWanted: row.column(first),
            nickname: row.column(first + 1), topic: row.column(first + 2),
            isMembersOnly: row.column(first + 3, as: Int64?.self).map { $0 != 0 })
    }

    /// The contacts of one account, or of all, or one of them.
    static func contacts(
        _ connection: Connection, account: Int64?, jid: JID? = nil, presence: PresenceBook
    ) throws -> [Contact] {
        var contacts: [Contact] = []
        let name = jid?.description
        for owner in try accounts(connection) where account == nil || owner.id == account {
            let pictures = try pictures(connection, account: owner.id, of: name)
            for entry in try StoreTransaction.roster(connection, account: owner.id, jid: name) {
                let jid = try JID(stored: entry.jid)
                contacts.append(
                    Contact(
                        id: .init(account: owner.jid, jid: jid), name: entry.name, groups: entry.groups,
                        subscription: entry.subscription, isAsked: entry.isAsked, isApproved: entry.isApproved,
                        presence: presence.presence(of: jid, account: owner.jid), picture: pictures[entry.jid]))
            }
        }
        return contacts
    }

    private static func pictures(
        _ connection: Connection, account: Int64, of jid: String?
    ) throws -> [String: PictureHash] {
        let condition = jid == nil ? "?2 IS NULL" : "jid = ?2"
        let rows = try connection.rows(
            "SELECT jid, hash FROM picture WHERE account = ?1 AND \(condition)", account, jid
        ) {
            ($0.column(0, as: String.self), PictureHash($0.column(1, as: String.self)))
        }
        return rows.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// The requests that wait for an answer, the oldest first.
    static func requests(_ connection: Connection, account: Int64? = nil) throws -> [ContactRequest] {
        var jid = JIDReader()
        return try connection.rows(
            """
            SELECT a.jid, r.jid, r.nick, r.text, r.received FROM subscription_request r
            JOIN account a ON a.id = r.account WHERE ?1 IS NULL OR r.account = ?1 ORDER BY r.received, r.jid
            """, account
        ) { row in
            ContactRequest(
                id: .init(account: try jid(row.column(0)), jid: try jid(row.column(1))), nickname: row.column(2),
                text: row.column(3), received: Date(milliseconds: row.column(4)))
        }
    }

    /// All accounts, the oldest first.
    static func accounts(_ connection: Connection) throws -> [AccountRow] {
        try connection.rows(
            "SELECT id, jid, is_enabled, settings, subscription_policy, roster_version FROM account ORDER BY id"
        ) { try AccountRow($0) }
    }

    /// How many messages of an account wait to be written or acknowledged.
    static func queued(_ connection: Connection, account: Int64) throws -> Int {
        try connection.value(
            """
            SELECT (SELECT count(*) FROM outbox WHERE account = ?1 AND message IS NOT NULL)
                + (SELECT count(*) FROM file WHERE account = ?1 AND state IN (0, 1))
            """, account) ?? 0
    }
}

/// One account as the database has it.
struct AccountRow: Sendable, Hashable {
    let id: Int64
    /// The bare address.
    let jid: JID
    let isEnabled: Bool
    /// JSON of ``AccountSettings``.
    let settings: String
    let policy: SubscriptionPolicy
    let rosterVersion: String?

    fileprivate init(_ row: Statement) throws {
        id = row.column(0)
        jid = try JID(stored: row.column(1))
        isEnabled = row.column(2)
        settings = row.column(3)
        policy = SubscriptionPolicy(rawValue: row.column(4)) ?? .ask
        rosterVersion = row.column(5)
    }
}
