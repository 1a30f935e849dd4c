// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
public import XMPP

extension ChatCore {
    /// The contacts of one account, or of all, sorted by account and address.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func contacts(account: JID? = nil) async throws(ChatError) -> [Contact] {
        let row = try account.map { jid throws(ChatError) in try runner(jid).account }
        do {
            return try await store.read { [presenceBook] in
                try Queries.contacts($0, account: row, presence: presenceBook)
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// The contacts of one account, or of all, and every change of theirs, presence included.
    public nonisolated func contactUpdates(account: JID? = nil) -> LiveQuery<Contact> {
        LiveQuery(hub: store.hub) { [presenceBook, weak self] in
            // The list itself is read again only when it changed: presence changes much more often.
            let known = Locked((list: [Contact]?.none, changes: 0))
            return .init { changes in
                guard changes.contacts.isEmpty else {
                    known.withLock { $0 = (nil, $0.changes + 1) }
                    return true
                }
                return !changes.presence.isEmpty
            } fetch: { [weak self] in
                let (list, changes) = known.withLock { $0 }
                if let list { return list.map { $0.with(presenceBook) } }
                guard let self else { return [] }
                let new = try await self.contacts(account: account)
                // What changed while it was read is told again, and is then read again.
                known.withLock { if $0.changes == changes { $0.list = new } }
                return new
            }
        }
    }

    /// Reads an address that a user typed, for a contact.
    ///
    /// A name without a domain is completed with the account's.
    ///
    /// - Throws: ``ChatError/Code/invalidAddress`` with the reason.
    public nonisolated func contactAddress(_ text: String, account: JID) throws(ChatError) -> JID {
        let text = text.trimmingXMLSpace
        guard !text.isEmpty else { throw ChatError(.invalidAddress, "an address is missing; type name@server") }
        do {
            if !text.contains("@"), !text.contains("."), !text.contains(":") {
                return try JID(local: text, domain: account.domain, resource: nil)
            }
            return try JID(text).bare
        } catch {
            throw ChatError(.invalidAddress, "“\(text)” is not an address: \(error)", underlying: error)
        }
    }

    /// Adds somebody to the contact list and asks to see their presence.
    ///
    /// Returns when the server has taken it; the list changes when the server says so.
    ///
    /// - Parameters:
    ///   - jid: The contact's address; a resource in it is left out.
    ///   - account: The account whose list is meant.
    ///   - name: The name to show.
    ///   - groups: The groups to put the contact in.
    ///   - subscribes: Whether to ask to see the contact's presence. Defaults to true.
    ///   - text: What the contact is told with the question.
    /// - Throws: ``ChatError``: `cannotAddYourself`, `alreadyContact` for one that is subscribed or asked already,
    ///   `unknownAccount`, `notConnected`, `requestFailed`.
    public func addContact(
        _ jid: JID, account: JID, name: String? = nil, groups: [String] = [], subscribes: Bool = true,
        text: String? = nil
    ) async throws(ChatError) {
        let runner = try runner(account)
        let contact = jid.bare
        guard contact != runner.jid else {
            throw ChatError(.cannotAddYourself, "\(contact) is your own address")
        }
        do {
            let row = runner.account
            let (known, isWaiting) = try await store.read { connection in
                let transaction = StoreTransaction(connection, now: 0)
                return (
                    try transaction.contact(account: row, jid: contact.description),
                    try Queries.requests(connection, account: row).contains { $0.jid == contact }
                )
            }
            if let known, !subscribes || known.subscription.seesTheirs || known.isAsked {
                throw ChatError(
                    .alreadyContact,
                    known.isAsked
                        ? "\(contact) was asked already and has not answered yet" : "\(contact) is a contact already")
            }
            let link = try runner.onlineLink(await runner.link)
            _ = try await link.ask(Self.rosterSet(contact, name: name, groups: groups), timeout: .seconds(30))
            guard subscribes else { return }
            try await link.deliver(Presence(.subscribe, to: contact, status: text))
            if isWaiting { try await answer(contact, runner, link, accepts: true) }
        } catch {
            throw ChatError(error)
        }
    }

    /// Changes the name and the groups of a contact; returns when the server has taken it.
    ///
    /// - Throws: ``ChatError``: `unknownContact`, `unknownAccount`, `notConnected`, `requestFailed`.
    public func changeContact(
        _ jid: JID, account: JID, name: String?, groups: [String]
    ) async throws(ChatError) {
        let runner = try runner(account)
        do {
            try await known(jid.bare, runner)
            let link = try runner.onlineLink(await runner.link)
            _ = try await link.ask(Self.rosterSet(jid.bare, name: name, groups: groups), timeout: .seconds(30))
        } catch {
            throw ChatError(error)
        }
    }

    /// Removes a contact and both subscriptions (RFC 6121 §2.5); the conversation stays.
    ///
    /// Returns when the server has done so.
    ///
    /// - Throws: ``ChatError``: `unknownContact`, `unknownAccount`, `notConnected`, `requestFailed`.
    public func removeContact(_ jid: JID, account: JID) async throws(ChatError) {
        let runner = try runner(account)
        do {
            try await known(jid.bare, runner)
            let link = try runner.onlineLink(await runner.link)
            let item = Element(
                RosterItem.name, attributes: ["jid": jid.bare.description, "subscription": "remove"])
            let query = Element(Roster.query, children: [item])
            _ = try await link.ask(IQ(.set, payload: query), timeout: .seconds(30))
        } catch {
            throw ChatError(error)
        }
    }

    private func known(_ jid: JID, _ runner: AccountRunner) async throws {
        let row = runner.account
        let entry = try await store.read {
            try StoreTransaction($0, now: 0).contact(account: row, jid: jid.description)?.subscription
        }
        if entry == nil { throw ChatError(.unknownContact, "\(jid) is no contact of \(runner.jid)") }
    }

    private static func rosterSet(_ jid: JID, name: String?, groups: [String]) -> IQ {
        let item = RosterItem(jid: jid, name: name, groups: groups)
        return IQ(.set, payload: Element(Roster.query, children: [item.element]))
    }
}

extension AccountRunner {
    /// The session, if stanzas flow on it.
    nonisolated func onlineLink(_ link: (any SessionLink)?) throws(ChatError) -> any SessionLink {
        guard let link, connection.isOnline else { throw ChatError.notConnected(jid) }
        return link
    }
}
