// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP
internal import struct Foundation.Date

extension Queries {
    /// All conversations, pinned ones first, then the latest first.
    static func conversations(_ connection: Connection, id: Int64? = nil) throws -> [Conversation] {
        struct Row {
            var id: Int64
            var account: String
            var peer: String
            var name: String?
            var lastMessage: Int64?
            var unread: Int
            var draft: String?
            var isPinned: Bool
            var isMuted: Bool
        }
        let rows = try connection.rows(
            """
            SELECT c.id, a.jid, c.peer, k.name, c.last_message, c.unread, c.draft, c.is_pinned, c.is_muted
            FROM conversation c JOIN account a ON a.id = c.account
            LEFT JOIN contact k ON k.account = c.account AND k.jid = c.peer
            WHERE ?1 IS NULL OR c.id = ?1
            ORDER BY c.is_pinned DESC, c.last_sort DESC, c.id DESC
            """, id
        ) { row in
            Row(
                id: row.column(0), account: row.column(1), peer: row.column(2), name: row.column(3),
                lastMessage: row.column(4), unread: row.column(5), draft: row.column(6), isPinned: row.column(7),
                isMuted: row.column(8))
        }
        var jid = JIDReader()
        return try rows.map { row in
            let last = try row.lastMessage.flatMap { try message(connection, id: $0) }
            return Conversation(
                id: .init(rawValue: row.id), account: try jid(row.account), peer: try jid(row.peer), name: row.name,
                lastMessage: last, unread: row.unread, draft: row.draft, isPinned: row.isPinned, isMuted: row.isMuted,
                lastActivity: last?.received ?? .distantPast)
        }
    }

    /// The contacts of one account, or of all.
    static func contacts(
        _ connection: Connection, account: Int64?, presence: PresenceBook
    ) throws -> [Contact] {
        var contacts: [Contact] = []
        for owner in try accounts(connection) where account == nil || owner.id == account {
            for entry in try StoreTransaction.roster(connection, account: owner.id) {
                let jid = try JID(stored: entry.jid)
                contacts.append(
                    Contact(
                        id: .init(account: owner.jid, jid: jid), name: entry.name, groups: entry.groups,
                        subscription: entry.subscription, isAsked: entry.isAsked, isApproved: entry.isApproved,
                        presence: presence.presence(of: jid, account: owner.jid)))
            }
        }
        return contacts
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
            "SELECT count(*) FROM outbox WHERE account = ? AND message IS NOT NULL", account) ?? 0
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
