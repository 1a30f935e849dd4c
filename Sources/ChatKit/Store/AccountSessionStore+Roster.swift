// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
internal import XMPP

extension AccountSessionStore {
    /// Takes in what the server says about the list: pushes, and the answer to our own request; nobody but the own
    /// account may send either (RFC 6121 §2.1.6).
    func receive(_ iq: IQ, _ transaction: StoreTransaction) throws {
        if let push = iq.rosterPush(for: jid) {
            switch push.change {
            case .removed(let contact):
                try transaction.removeContact(account: account, jid: contact.description)
            case .set(let item):
                try transaction.upsert(RosterEntry(item), account: account)
                try transaction.record(.contact, account: account, jid: item.jid.description)
            }
            // A push without a version keeps the one that is known: at worst the next login gets the whole list (B66).
            if let version = push.version { try transaction.setRosterVersion(version, account: account) }
        } else if iq.kind == .result, iq.from == nil || iq.from == jid, iq.payload?.matches(Roster.query) == true,
            case .items(let items, let version)? = RosterFetch(iq, askedVersion: nil)
        {
            try transaction.replaceRoster(items.map { RosterEntry($0) }, account: account)
            try transaction.setRosterVersion(version, account: account)
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
            try receiveInRoom(presence, transaction)
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
    func setRosterVersion(_ version: String?, account: Int64) throws {
        try connection.run("UPDATE account SET roster_version = ? WHERE id = ?", version, account)
    }

    func subscriptionPolicy(account: Int64) throws -> SubscriptionPolicy {
        let name: String? = try connection.value("SELECT subscription_policy FROM account WHERE id = ?", account)
        return name.flatMap(SubscriptionPolicy.init(rawValue:)) ?? .ask
    }
}
