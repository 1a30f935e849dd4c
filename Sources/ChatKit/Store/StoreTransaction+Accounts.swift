// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension StoreTransaction {
    /// A number that no row of a table ever had.
    static func newNumber(of table: String) -> String {
        "(SELECT max(h.id, coalesce((SELECT max(id) FROM \(table)), 0)) + 1 FROM highest h WHERE h.name = '\(table)')"
    }

    /// Adds an account; it is not connected by itself before it is enabled.
    func addAccount(jid: String, settings: AccountSettings) throws -> Int64 {
        try connection.run(
            "INSERT INTO account (id, jid, is_enabled, settings, created) VALUES (\(Self.newNumber(of: "account")), ?, 0, ?, ?)",
            jid, settings.json, now)
        changes.accounts = true
        return connection.lastInsertedRow
    }

    /// Removes an account with all that is stored of it.
    func removeAccount(_ account: Int64) throws {
        try unindex(account: account)
        try unname(account: account)
        try connection.run("DELETE FROM account WHERE id = ?", account)
        try Scrubber.want(connection)
        changes.erased = true
        changes.accounts = true
        changes.requests = true
        changes.contacts.insert(account)
    }

    func setEnabled(_ isEnabled: Bool, account: Int64) throws {
        try connection.run("UPDATE account SET is_enabled = ? WHERE id = ?", isEnabled, account)
        changes.accounts = true
    }

    func set(_ settings: AccountSettings, account: Int64) throws {
        try connection.run("UPDATE account SET settings = ? WHERE id = ?", settings.json, account)
        changes.accounts = true
    }

    func set(_ policy: SubscriptionPolicy, account: Int64) throws {
        try connection.run("UPDATE account SET subscription_policy = ? WHERE id = ?", policy.rawValue, account)
        changes.accounts = true
    }

    func setTrustsStanzaIDs(_ trusts: Bool, account: Int64) throws {
        try connection.run("UPDATE account SET trusts_stanza_ids = ? WHERE id = ?", trusts, account)
    }
}
