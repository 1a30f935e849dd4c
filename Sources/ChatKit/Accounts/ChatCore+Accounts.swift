// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import Foundation
public import XMPP

extension ChatCore {
    /// The accounts of the profile, the oldest first, with the state of their connections.
    public func accounts() async throws(ChatError) -> [ChatAccount] {
        do { return try await Self.accounts(store, runners) } catch { throw ChatError(error) }
    }

    /// One account of the profile.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func account(_ jid: JID) async throws(ChatError) -> ChatAccount {
        guard let account = try await accounts().first(where: { $0.jid == jid.bare }) else {
            throw ChatError(.unknownAccount, "the profile has no account \(jid.bare); add it first")
        }
        return account
    }

    /// The accounts and every change of theirs.
    public nonisolated func accountUpdates() -> LiveQuery<ChatAccount> {
        LiveQuery(hub: store.hub) {
            $0.accounts || !$0.outbox.isEmpty || !$0.messages.isEmpty
        } fetch: { [store, runners] in
            try await Self.accounts(store, runners)
        }
    }

    private static func accounts(_ store: ChatStore, _ runners: AccountDirectory) async throws -> [ChatAccount] {
        try await store.read { connection in
            try Queries.accounts(connection).map { row in
                ChatAccount(
                    jid: row.jid, isEnabled: row.isEnabled, settings: AccountSettings(json: row.settings),
                    subscriptionPolicy: row.policy,
                    connection: runners[row.jid]?.connection
                        ?? ConnectionState(.offline, since: .distantPast),
                    queued: try Queries.queued(connection, account: row.id),
                    gaps: try Queries.gaps(connection, account: row.id))
            }
        }
    }

    /// Signs in with an account that exists on its server, and keeps it when that works.
    ///
    /// Connects at once and stays connected. The password is not kept: only the keys that SCRAM derived from it are, or
    /// the password itself where `settings` permit PLAIN or say so (``AccountSettings/keepsPassword``).
    ///
    /// - Parameters:
    ///   - jid: The account's address; a resource in it becomes the one to ask for.
    ///   - password: The password.
    ///   - settings: Where and how to connect.
    /// - Throws: ``ChatError``: `accountExists`, `invalidAddress` without a local part, or why the login failed; nothing
    ///   is kept then. Cancelling ends the attempt.
    @discardableResult
    public func addAccount(
        _ jid: JID, password: String, settings: AccountSettings = AccountSettings()
    ) async throws(ChatError) -> ChatAccount {
        guard jid.local != nil else {
            throw ChatError(.invalidAddress, "\(jid) is a server; an account looks like name@\(jid.domain)")
        }
        guard runners[jid.bare] == nil else {
            throw ChatError(.accountExists, "the profile has the account \(jid.bare) already")
        }
        var settings = settings
        if let resource = jid.resource { settings.resource = resource }
        let account = jid.bare
        do {
            let wanted = settings
            let row = try await store.write { transaction in
                // One that was left by a sign-in that did not end is taken up again.
                let known: Int64? = try transaction.connection.value(
                    "SELECT id FROM account WHERE jid = ?", account.description)
                if let known { try transaction.removeAccount(known) }
                return try transaction.addAccount(jid: account.description, settings: wanted)
            }
            let runner = makeRunner(row, account)
            runners.add(runner)
            passwords[account] = password
            do {
                try await runner.connect()
                // What comes from now on belongs here, also when this process ends at once.
                await runner.beginArchive()
                let result = await runner.link?.loginResult()
                try keep(password, result, settings, of: account)
                try await store.write { try $0.setEnabled(true, account: row) }
            } catch {
                passwords[account] = nil
                await runner.stop()
                runners.remove(account)
                try? secrets.remove(account)
                try await store.write { try $0.removeAccount(row) }
                throw error
            }
        } catch {
            throw ChatError(error)
        }
        return try await self.account(account)
    }

    /// Removes an account, its contacts and its conversations from this profile; the server keeps it.
    ///
    /// Waits up to 5 seconds for the server to forget the token that this profile logs in with; without a network it
    /// expires by itself.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func removeAccount(_ account: JID) async throws(ChatError) {
        let runner = try runner(account)
        await runner.stop()
        await giveBackToken(of: runner.jid)
        do {
            let row = runner.account
            try await store.write { try $0.removeAccount(row) }
            runners.remove(runner.jid)
            roomActivities.forget(account: runner.jid)
            passwords[runner.jid] = nil
            try secrets.remove(runner.jid)
        } catch {
            throw ChatError(error)
        }
    }

    /// Changes where and how an account connects; holds from the next connection on.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func setSettings(_ settings: AccountSettings, of account: JID) async throws(ChatError) {
        let row = try runner(account).account
        do { try await store.write { try $0.set(settings, account: row) } } catch { throw ChatError(error) }
    }

    /// Says whether an account is connected by ``connectAll()``; disabling disconnects it.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func setEnabled(_ isEnabled: Bool, account: JID) async throws(ChatError) {
        let runner = try runner(account)
        let row = runner.account
        do {
            try await store.write { try $0.setEnabled(isEnabled, account: row) }
        } catch {
            throw ChatError(error)
        }
        if !isEnabled { await runner.stop() }
    }

    /// Takes note of a password that was changed elsewhere: signs in with it, and keeps what that proved.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``, or why the login failed; the old secret is kept then.
    public func setPassword(_ password: String, of account: JID) async throws(ChatError) {
        let runner = try runner(account)
        await runner.stop()
        let before = (
            password: passwords[runner.jid], stored: secrets.credentials(of: runner.jid),
            memory: secrets.memory(of: runner.jid)
        )
        do {
            let settings = try await self.account(runner.jid).settings
            passwords[runner.jid] = password
            // The old keys must not be tried: they belong to another password.
            try secrets.forgetCredentials(of: runner.jid)
            try await runner.connect()
            try keep(password, await runner.link?.loginResult(), settings, of: runner.jid)
        } catch {
            passwords[runner.jid] = before.password
            if let stored = before.stored {
                try? secrets.set(stored, of: runner.jid, keepsPassword: stored.password != nil)
                try? secrets.set(before.memory, of: runner.jid)
            }
            throw ChatError(error)
        }
    }

    /// Stores what a login proved.
    func keep(
        _ password: String, _ result: LoginResult?, _ settings: AccountSettings, of account: JID
    ) throws {
        try secrets.set(
            Credentials(password: password, keys: result?.keys), of: account, keepsPassword: settings.storesPassword)
        if let memory = result?.memory { try secrets.set(memory, of: account) }
    }
}
