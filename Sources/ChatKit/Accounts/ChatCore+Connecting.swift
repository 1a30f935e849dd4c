// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

extension ChatCore {
    /// Keeps all enabled accounts connected from now on; returns at once.
    ///
    /// ``accountUpdates()`` tells how it goes.
    public func connectAll() async throws(ChatError) {
        for account in try await accounts() where account.isEnabled {
            guard let runner = runners[account.jid] else { continue }
            do { try await runner.start() } catch { throw ChatError(error) }
        }
    }

    /// Connects an account and returns when it is online; then it stays connected.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `passwordNeeded`, or why the first attempt failed. Cancelling ends
    ///   the attempt.
    public func connect(_ account: JID) async throws(ChatError) {
        do { try await runner(account).connect() } catch { throw ChatError(error) }
    }

    /// Waits until an account that is being connected is online; one that waits before its next attempt tries at once.
    ///
    /// - Throws: ``ChatError``: `notConnected` when nobody connects it, or why its session ended. Cancelling ends the
    ///   wait.
    public func waitUntilOnline(_ account: JID) async throws(ChatError) {
        do { try await runner(account).waitUntilOnline() } catch { throw ChatError(error) }
    }

    /// Disconnects an account in good order; what was not acknowledged is sent again the next time.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func disconnect(_ account: JID) async throws(ChatError) {
        try await runner(account).stop()
    }

    /// Says how available the user is, to all contacts of an account, now and on each new stream.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``, or why it cannot be sent.
    public func setPresence(
        _ show: Presence.Show? = nil, status: String? = nil, account: JID
    ) async throws(ChatError) {
        let runner = try runner(account)
        let priority = try await self.account(account).settings.priority
        do {
            try await runner.announce(Presence(show: show, status: status, priority: priority))
        } catch {
            throw ChatError(error)
        }
    }

    /// Lets the next login of an account be weaker than those before, once: what it uses is the new measure.
    ///
    /// Only for a user who knows that the server was changed: a weaker offer is also what somebody who sits in between
    /// makes. The error `downgraded` says when a login was refused for that. Holds from the next connection on.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``, `storageFailed`.
    public func permitWeakerLogin(of account: JID) async throws(ChatError) {
        let jid = try runner(account).jid
        var settings = try await self.account(jid).settings
        settings.requiresChannelBinding = false
        try await setSettings(settings, of: jid)
        var memory = secrets.memory(of: jid)
        memory.permitWeakerLogin()
        do { try secrets.set(memory, of: jid) } catch { throw ChatError(error) }
    }

    /// Says whether somebody looks at the accounts now: while nobody does, servers keep back what can wait (XEP-0352).
    ///
    /// A core begins active. Returns when the sessions know.
    public nonisolated func setActive(_ isActive: Bool) async {
        for runner in runners.all { await runner.setActive(isActive) }
    }

    /// Makes the session of an account from its settings and its secret.
    func makeLink(_ sessionStore: AccountSessionStore) async throws -> any SessionLink {
        let jid = sessionStore.jid
        let settings = try await account(jid).settings
        let stored = secrets.credentials(of: jid)
        let credentials = Credentials(password: passwords[jid] ?? stored?.password, keys: stored?.keys)
        guard credentials.password != nil || credentials.keys != nil else {
            throw ChatError(.passwordNeeded, "no password is known for \(jid); set it first")
        }
        var account = try settings.account(jid, credentials)
        account.memory = secrets.memory(of: jid)
        if let makeLink = configuration.makeLink { return makeLink(account, sessionStore) }
        var session = configuration.session
        session.initialPresence = nil
        // From a known place on, the archive has all that came meanwhile. At a first login the server keeps it.
        session.readsArchive = (try? await sessionStore.anchor()) != nil
        return XMPPSession(account: account, configuration: session, store: sessionStore)
    }

    /// Whether what is kept of an account logs in again without its password, as after the program was started anew.
    ///
    /// Logs in once more for a moment, where that is not known: servers that keep passwords in clear may salt them anew for
    /// each login, and keys of an earlier one do not fit then. A server that gives tokens (XEP-0484) needs neither. What to do
    /// about it is the user's decision, ``AccountSettings/keepsPassword``. A server that cannot be reached now counts as one
    /// that takes the keys.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func logsInByItself(_ account: JID) async throws(ChatError) -> Bool {
        let jid = try runner(account).jid
        let settings = try await self.account(jid).settings
        let stored = secrets.credentials(of: jid)
        if stored?.password != nil || secrets.memory(of: jid).hasToken || settings.clientCertificateFile != nil {
            return true
        }
        guard let keys = stored?.keys else { return false }
        guard configuration.makeLink == nil,
            let account = try? settings.account(jid, Credentials(password: nil, keys: keys))
        else { return true }
        var session = configuration.session
        session.loginTimeout = .seconds(10)
        session.modules = []
        session.initialPresence = nil
        let probe = XMPPSession(account: account, configuration: session)
        do {
            try await probe.connect()
            await probe.disconnect()
            return true
        } catch {
            return (error as? XMPPError)?.code != .passwordNeeded
        }
    }

    /// Keeps the user's decision about a certificate: from now on exactly this one is accepted.
    func remember(_ certificate: ServerCertificate, of jid: JID) async {
        guard var settings = try? await account(jid).settings else { return }
        settings.pinnedCertificates = [certificate.fingerprint]
        try? await setSettings(settings, of: jid)
    }

    /// Keeps what a login proved: newer keys, and how strong it was.
    func remember(_ result: LoginResult, of jid: JID) async {
        guard let settings = try? await account(jid).settings else { return }
        // Nothing is stored before a sign-in has wholly worked.
        guard let known = secrets.credentials(of: jid) else { return }
        if let keys = result.keys, known.keys != keys {
            try? secrets.set(
                Credentials(password: known.password, keys: keys), of: jid, keepsPassword: settings.storesPassword)
        }
        if secrets.memory(of: jid) != result.memory { try? secrets.set(result.memory, of: jid) }
    }

    /// Tells the server to forget what logs this profile in (XEP-0484 §3.6), where it can be reached.
    func giveBackToken(of jid: JID) async {
        guard secrets.memory(of: jid).hasToken, configuration.makeLink == nil,
            let settings = try? await account(jid).settings, var account = try? settings.account(jid, .none)
        else { return }
        account.memory = secrets.memory(of: jid)
        var session = configuration.session
        session.loginTimeout = .seconds(5)
        session.modules = []
        try? await XMPPSession(account: account, configuration: session).invalidateToken()
    }
}
