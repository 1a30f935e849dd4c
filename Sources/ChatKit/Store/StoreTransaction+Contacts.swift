// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension StoreTransaction {
    /// The most entries of one roster, groups of one entry, and requests in one inbox.
    static let maximumContacts = 100_000
    static let maximumGroups = 100
    static let maximumRequests = 1000

    /// Puts an entry into the list, or replaces it.
    func upsert(_ entry: RosterEntry, account: Int64) throws {
        try connection.run(
            """
            INSERT INTO contact (account, jid, name, subscription, is_asked, is_approved) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (account, jid) DO UPDATE SET name = excluded.name, subscription = excluded.subscription,
                is_asked = excluded.is_asked, is_approved = excluded.is_approved
            """, account, entry.jid, entry.name, entry.subscription.rawValue, entry.isAsked, entry.isApproved)
        try connection.run("DELETE FROM contact_group WHERE account = ? AND jid = ?", account, entry.jid)
        for group in entry.groups.prefix(Self.maximumGroups) {
            try connection.run(
                "INSERT OR IGNORE INTO contact_group (account, jid, name) VALUES (?, ?, ?)", account, entry.jid, group)
        }
        changes.contacts.insert(account)
        // The contact sees our presence now, so an open request of theirs is answered.
        if entry.subscription.showsOurs { try removeRequest(account: account, jid: entry.jid) }
    }

    /// Takes an entry out; one that is not there changes nothing.
    ///
    /// Conversations stay.
    func removeContact(account: Int64, jid: String) throws {
        try connection.run("DELETE FROM contact WHERE account = ? AND jid = ?", account, jid)
        guard connection.changes > 0 else { return }
        changes.contacts.insert(account)
        try record(.contactRemoved, account: account, jid: jid)
    }

    /// Replaces the list as a whole, telling only what is different.
    func replaceRoster(_ entries: [RosterEntry], account: Int64) throws {
        var wanted: [String: RosterEntry] = [:]
        for entry in entries.prefix(Self.maximumContacts) { wanted[entry.jid] = entry }
        for known in try Self.roster(connection, account: account) {
            if let entry = wanted.removeValue(forKey: known.jid) {
                var entry = entry
                entry.groups = Array(Set(entry.groups)).sorted()
                if entry == known { continue }
                try upsert(entry, account: account)
                try record(.contact, account: account, jid: entry.jid)
            } else {
                try removeContact(account: account, jid: known.jid)
            }
        }
        for entry in wanted.values.sorted(by: { $0.jid < $1.jid }) {
            try upsert(entry, account: account)
            try record(.contact, account: account, jid: entry.jid)
        }
    }

    /// Keeps a request until it is answered; true when it is new.
    ///
    /// One that is known already only changes its text.
    func addRequest(account: Int64, jid: String, nick: String?, text: String?) throws -> Bool {
        let count: Int =
            try connection.value(
                "SELECT count(*) FROM subscription_request WHERE account = ? AND jid != ?", account, jid) ?? 0
        guard count < Self.maximumRequests else { return false }
        let isKnown: Bool =
            try connection.value(
                "SELECT count(*) FROM subscription_request WHERE account = ? AND jid = ?", account, jid) ?? false
        try connection.run(
            """
            INSERT INTO subscription_request (account, jid, nick, text, received) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (account, jid) DO UPDATE SET nick = excluded.nick, text = excluded.text
            """, account, jid, nick.map { String($0.prefix(200)) }, text.map { String($0.prefix(2000)) }, now)
        if isKnown { return false }
        changes.requests = true
        try record(.request, account: account, jid: jid)
        return true
    }

    /// Takes a request out of the inbox; true when there was one.
    @discardableResult
    func removeRequest(account: Int64, jid: String) throws -> Bool {
        try connection.run("DELETE FROM subscription_request WHERE account = ? AND jid = ?", account, jid)
        guard connection.changes > 0 else { return false }
        changes.requests = true
        try record(.requestRemoved, account: account, jid: jid)
        return true
    }

    /// The entry of one address.
    func contact(account: Int64, jid: String) throws -> (subscription: Contact.Subscription, isAsked: Bool)? {
        try connection.first(
            "SELECT subscription, is_asked FROM contact WHERE account = ? AND jid = ?", account, jid
        ) { (Contact.Subscription(rawValue: $0.column(0)) ?? .none, $0.column(1)) }
    }

    /// The whole list of an account, sorted by address, groups sorted; or one of its entries.
    static func roster(_ connection: Connection, account: Int64, jid: String? = nil) throws -> [RosterEntry] {
        var groups: [String: [String]] = [:]
        // Two statements, so that one entry is found by its key.
        let condition = jid == nil ? "?2 IS NULL" : "jid = ?2"
        let memberships = try connection.rows(
            "SELECT jid, name FROM contact_group WHERE account = ?1 AND \(condition) ORDER BY jid, name", account, jid
        ) { ($0.column(0, as: String.self), $0.column(1, as: String.self)) }
        for (jid, name) in memberships { groups[jid, default: []].append(name) }
        return try connection.rows(
            """
            SELECT jid, name, subscription, is_asked, is_approved FROM contact
            WHERE account = ?1 AND \(condition) ORDER BY jid
            """, account, jid
        ) { row in
            let jid: String = row.column(0)
            return RosterEntry(
                jid: jid, name: row.column(1), subscription: .init(rawValue: row.column(2)) ?? .none,
                isAsked: row.column(3), isApproved: row.column(4), groups: (groups[jid] ?? []).sorted())
        }
    }
}
