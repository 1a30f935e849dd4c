// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

extension AccountRunner {
    /// Asks for what a new stream needs; each part may fail without harm to the others.
    func setUp(_ link: any SessionLink) async {
        await requestRoster(link)
        await beginArchive()
        // Beside what has to be there before presence is told.
        Task { await self.learnDisplayed() }
        Task { await self.enterRooms() }
    }

    /// An account that is new here begins behind what is in the archive now; done before anything comes live.
    ///
    /// Once per stream: whoever calls later waits for the same answers.
    func beginArchive() async {
        guard let link, let sessionStore else { return }
        let start = archiveStart ?? Task { await self.learn(link, sessionStore) }
        archiveStart = start
        await start.value
    }

    private func learn(_ link: any SessionLink, _ sessionStore: AccountSessionStore) async {
        if offersArchive == nil { await learnAboutTheArchive(link) }
        if offersArchive == true { _ = try? await start(link, sessionStore, .own(jid)) }
    }

    /// Asks for the list of contacts, or for what changed since the version that is known (RFC 6121 §2.6).
    ///
    /// The answer goes through the session's commit like every stanza.
    private func requestRoster(_ link: any SessionLink) async {
        var version: String?
        if await link.keepsRosterVersions() {
            let account = account
            let known = try? await store.read { connection -> String?? in
                try connection.value("SELECT roster_version FROM account WHERE id = ?", account)
            }
            version = (known ?? nil) ?? ""
        }
        let query = Element(Roster.query, attributes: ["ver": version])
        _ = try? await link.ask(IQ(.get, payload: query), timeout: .seconds(30))
    }

    /// Archive ids prove something only where the server says that it removes forged ones (XEP-0359 §6).
    private func learnAboutTheArchive(_ link: any SessionLink) async {
        guard let features = try? await link.features(of: jid) else { return }
        offersArchive = features.contains(CatchUpPage.feature)
        let trusts = features.contains(StanzaID.namespace)
        let account = account
        try? await store.write { try $0.setTrustsStanzaIDs(trusts, account: account) }
    }
}
