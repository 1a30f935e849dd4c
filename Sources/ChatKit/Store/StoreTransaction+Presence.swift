// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// One resource of a contact as it was stored.
struct StoredPresence: Sendable {
    let contact: JID
    let resource: ContactPresence.Resource
}

extension StoreTransaction {
    /// Keeps the presence of a contact; strangers are not kept.
    func keep(_ presence: Presence, of contact: JID, account: Int64) throws {
        try connection.run(
            """
            INSERT INTO presence (account, contact, resource, show, status, priority) SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE EXISTS (SELECT 1 FROM contact WHERE account = ?1 AND jid = ?2)
                AND (SELECT count(*) FROM presence WHERE account = ?1 AND contact = ?2 AND resource != ?3) < ?7
            ON CONFLICT (account, contact, resource) DO UPDATE SET show = excluded.show, status = excluded.status,
                priority = excluded.priority
            """, account, contact.description, presence.from?.resource ?? "", presence.show?.rawValue, presence.status,
            Int(presence.priority), PresenceBook.maximumResources)
    }

    /// Forgets a resource, or a contact as a whole.
    func removePresence(_ presence: Presence, of contact: JID, account: Int64) throws {
        if let resource = presence.from?.resource {
            if presence.kind == .error { return }
            try connection.run(
                "DELETE FROM presence WHERE account = ? AND contact = ? AND resource = ?", account,
                contact.description, resource)
        } else {
            try connection.run(
                "DELETE FROM presence WHERE account = ? AND contact = ?", account, contact.description)
        }
    }

    func forgetPresence(account: Int64) throws {
        try connection.run("DELETE FROM presence WHERE account = ?", account)
    }

    func presence(account: Int64) throws -> [StoredPresence] {
        var jid = JIDReader()
        return try connection.rows(
            "SELECT contact, resource, show, status, priority FROM presence WHERE account = ?", account
        ) { row in
            StoredPresence(
                contact: try jid(row.column(0)),
                resource: .init(
                    name: row.column(1),
                    show: row.column(2, as: String?.self).flatMap(Presence.Show.init(rawValue:)),
                    status: row.column(3), priority: Int8(truncatingIfNeeded: row.column(4, as: Int.self))))
        }
    }
}
