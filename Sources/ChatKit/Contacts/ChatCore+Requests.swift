// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

extension ChatCore {
    /// The people who ask to see our presence and wait for an answer, the oldest first.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func requests(account: JID? = nil) async throws(ChatError) -> [ContactRequest] {
        let row = try account.map { jid throws(ChatError) in try runner(jid).account }
        do { return try await store.read { try Queries.requests($0, account: row) } } catch { throw ChatError(error) }
    }

    /// The people who wait for an answer, and every change.
    public nonisolated func requestUpdates(account: JID? = nil) -> LiveQuery<ContactRequest> {
        LiveQuery(hub: store.hub) {
            $0.requests
        } fetch: { [weak self] in
            guard let self else { return [] }
            return try await self.requests(account: account)
        }
    }

    /// Lets somebody who asked see our presence (RFC 6121 §3.1.5).
    ///
    /// `addsBack` also adds them to the contacts and asks to see their presence. Defaults to true.
    ///
    /// - Throws: ``ChatError``: `unknownRequest`, `unknownAccount`, `notConnected`.
    public func acceptRequest(from jid: JID, account: JID, addsBack: Bool = true) async throws(ChatError) {
        let runner = try runner(account)
        do {
            try await waiting(jid.bare, runner)
            let link = try runner.onlineLink(await runner.link)
            try await answer(jid.bare, runner, link, accepts: true)
        } catch {
            throw ChatError(error)
        }
        guard addsBack else { return }
        do {
            try await addContact(jid, account: account)
        } catch  where error.code == .alreadyContact {
            // They are one already, or were asked before.
        }
    }

    /// Declines a request (RFC 6121 §3.1.5); the other side may ask again.
    ///
    /// - Throws: ``ChatError``: `unknownRequest`, `unknownAccount`, `notConnected`.
    public func declineRequest(from jid: JID, account: JID) async throws(ChatError) {
        let runner = try runner(account)
        do {
            try await waiting(jid.bare, runner)
            let link = try runner.onlineLink(await runner.link)
            try await answer(jid.bare, runner, link, accepts: false)
        } catch {
            throw ChatError(error)
        }
    }

    /// Takes back a question of ours that was not answered, or gives up seeing a contact's presence (RFC 6121 §3.3).
    ///
    /// - Throws: ``ChatError``: `unknownContact` where nothing was asked, `unknownAccount`, `notConnected`.
    public func withdrawRequest(to jid: JID, account: JID) async throws(ChatError) {
        try await send(.unsubscribe, to: jid.bare, account: account) { $0.isAsked || $0.subscription.seesTheirs }
    }

    /// No longer lets a contact see our presence (RFC 6121 §3.2).
    ///
    /// - Throws: ``ChatError``: `unknownContact` for one that does not see it, `unknownAccount`, `notConnected`.
    public func hidePresence(from jid: JID, account: JID) async throws(ChatError) {
        try await send(.unsubscribed, to: jid.bare, account: account) {
            $0.subscription.showsOurs || $0.isApproved
        }
    }

    /// Says what happens to requests from now on; those that wait stay.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func setSubscriptionPolicy(_ policy: SubscriptionPolicy, account: JID) async throws(ChatError) {
        let row = try runner(account).account
        do { try await store.write { try $0.set(policy, account: row) } } catch { throw ChatError(error) }
    }

    /// Sends the answer, then takes the request out of the inbox: if the program ends between the two, the question
    /// is there again and nothing else.
    func answer(_ jid: JID, _ runner: AccountRunner, _ link: any SessionLink, accepts: Bool) async throws {
        try await link.deliver(Presence(accepts ? .subscribed : .unsubscribed, to: jid))
        let row = runner.account
        try await store.write { _ = try $0.removeRequest(account: row, jid: jid.description) }
    }

    private func waiting(_ jid: JID, _ runner: AccountRunner) async throws {
        let row = runner.account
        let requests = try await store.read { try Queries.requests($0, account: row) }
        guard requests.contains(where: { $0.jid == jid }) else {
            throw ChatError(.unknownRequest, "\(jid) does not ask for anything")
        }
    }

    private func send(
        _ kind: Presence.Kind, to jid: JID, account: JID, where condition: @Sendable (Contact) -> Bool
    ) async throws(ChatError) {
        let runner = try runner(account)
        guard let contact = try await contacts(account: account).first(where: { $0.jid == jid }), condition(contact)
        else { throw ChatError(.unknownContact, "\(jid) has no such subscription with \(runner.jid)") }
        do {
            try await runner.onlineLink(await runner.link).deliver(Presence(kind, to: jid))
        } catch {
            throw ChatError(error)
        }
    }
}
