// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
internal import XMPP

extension AccountSessionStore {
    /// Takes in roster pushes, and the answer to our own request for the list; nobody but the own account may send
    /// either (RFC 6121 §2.1.6).
    func receive(_ iq: IQ, _ transaction: StoreTransaction) throws {
        guard iq.kind == .set || iq.kind == .result, iq.from == nil || iq.from == jid,
            let query = iq.payload, query.matches(PayloadName.roster)
        else { return }
        if iq.kind == .result {
            try transaction.replaceRoster(query.children.compactMap { RosterEntry(item: $0) }, account: account)
        } else {
            var items = query.children.filter { $0.localName == "item" }.makeIterator()
            // A push holds exactly one item.
            guard let item = items.next(), items.next() == nil else { return }
            try push(item, transaction)
        }
        // A push without a version keeps the one that is known: at worst the next login gets the whole list (B66).
        if let version = query["ver"] {
            try transaction.connection.run("UPDATE account SET roster_version = ? WHERE id = ?", version, account)
        }
    }

    private func push(_ item: Element, _ transaction: StoreTransaction) throws {
        if item["subscription"] == "remove" {
            guard let jid = RosterEntry.address(of: item) else { return }
            try transaction.removeContact(account: account, jid: jid)
        } else if let entry = RosterEntry(item: item) {
            try transaction.upsert(entry, account: account)
            try transaction.record(.contact, account: account, jid: entry.jid)
        }
    }

    /// Takes in the steps of a subscription; availability lives in memory only.
    func receive(_ presence: Presence, _ transaction: StoreTransaction, _ context: inout ReceiveContext) throws {
        guard let from = presence.from?.bare, from != jid else { return }
        switch presence.kind {
        case .subscribe:
            try asked(by: from, presence, transaction, &context)
        case .unsubscribe:
            // Taken back before it was answered.
            try transaction.removeRequest(account: account, jid: from.description)
        case .unsubscribed:
            try transaction.removePresence(presence, of: from, account: account)
        case .subscribed:
            // The roster push tells the state; never answered, or two servers could keep each other busy for ever (B80).
            break
        case .available:
            try transaction.keep(presence, of: from, account: account)
        case .unavailable, .error:
            try transaction.removePresence(presence, of: from, account: account)
        case .probe:
            break
        }
    }

    private func asked(
        by from: JID, _ presence: Presence, _ transaction: StoreTransaction, _ context: inout ReceiveContext
    ) throws {
        let entry = try transaction.contact(account: account, jid: from.description)
        let isKnown = entry.map { $0.subscription.seesTheirs || $0.isAsked } ?? false
        switch try transaction.subscriptionPolicy(account: account) {
        case .acceptKnown where isKnown:
            context.followUps.append(.accept(from, addsBack: false))
        case .acceptAllAndAddBack where isKnown || acceptLimit.withLock({ $0.take(now: transaction.now) }):
            context.followUps.append(.accept(from, addsBack: !isKnown))
        case .rejectStrangers where entry == nil:
            context.followUps.append(.decline(from))
        case .ask, .acceptKnown, .acceptAllAndAddBack, .rejectStrangers:
            // One row by bare address, however often it is asked (B81).
            _ = try transaction.addRequest(
                account: account, jid: from.description, nick: presence.nickname, text: presence.status)
        }
    }
}

extension StoreTransaction {
    func subscriptionPolicy(account: Int64) throws -> SubscriptionPolicy {
        let name: String? = try connection.value("SELECT subscription_policy FROM account WHERE id = ?", account)
        return name.flatMap(SubscriptionPolicy.init(rawValue:)) ?? .ask
    }
}
