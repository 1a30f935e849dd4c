// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport
package import XMPP

/// The presence of all contacts of all accounts in memory.
///
/// Its lock owns the state.
package final class PresenceBook: Sendable {
    private struct Entry {
        var resource: ContactPresence.Resource
        /// Larger is newer.
        var order: UInt64
    }

    private struct AccountPresence {
        var contacts: [JID: [String: Entry]] = [:]
        var resourceCount = 0
    }

    private struct State {
        /// Only accounts that are online.
        var accounts: [JID: AccountPresence] = [:]
        var order: UInt64 = 0
    }

    /// The most resources that are kept of one contact, so that nobody can fill the memory.
    package static let maximumResources = 64
    /// The most resources that are kept of one account.
    package static let maximumTotal = 100_000

    private let state = Locked(State())

    package init() {}

    /// Forgets what is known: a new session begins, or none is left.
    package func reset(_ account: JID, isOnline: Bool) {
        state.withLock { $0.accounts[account] = isOnline ? AccountPresence() : nil }
    }

    /// From now on a contact that tells nothing is offline.
    package func open(_ account: JID) {
        state.withLock { state in
            if state.accounts[account] == nil { state.accounts[account] = AccountPresence() }
        }
    }

    /// Puts back what was stored of a stream that is resumed after a restart.
    package func restore(_ resource: ContactPresence.Resource, of contact: JID, account: JID) {
        state.withLock { state in
            state.order &+= 1
            let entry = Entry(resource: resource, order: state.order)
            if state.accounts[account, default: AccountPresence()].contacts[contact, default: [:]]
                .updateValue(entry, forKey: resource.name) == nil
            {
                state.accounts[account]?.resourceCount += 1
            }
        }
    }

    /// Takes one received presence in; true when it changed something.
    package func apply(_ presence: Presence, account: JID) -> Bool {
        guard let from = presence.from else { return false }
        let contact = from.bare
        let name = from.resource ?? ""
        return state.withLock { state in
            state.order &+= 1
            // A presence can come before the session is reported as online.
            return Self.apply(
                presence, of: contact, name, order: state.order,
                to: &state.accounts[account, default: AccountPresence()])
        }
    }

    /// In place: there may be very many contacts, and each of them comes online.
    private static func apply(
        _ presence: Presence, of contact: JID, _ name: String, order: UInt64, to known: inout AccountPresence
    ) -> Bool {
        let isBare = presence.from?.isBare != false
        switch presence.kind {
        case .available:
            let entry = Entry(
                resource: .init(
                    name: name, show: presence.show, status: presence.status, priority: presence.priority), order: order
            )
            let before = known.contacts[contact]?[name]
            if before == nil {
                let count = known.contacts[contact]?.count ?? 0
                guard count < maximumResources, known.resourceCount < maximumTotal else { return false }
                known.resourceCount += 1
            }
            known.contacts[contact, default: [:]][name] = entry
            return before?.resource != entry.resource
        case .unavailable where !isBare:
            guard known.contacts[contact]?.removeValue(forKey: name) != nil else { return false }
            known.resourceCount -= 1
            if known.contacts[contact]?.isEmpty == true { known.contacts[contact] = nil }
            return true
        case .unavailable, .error, .unsubscribed:
            // Of the contact as a whole: it is not to be reached.
            if presence.kind == .error, !isBare { return false }
            guard let gone = known.contacts.removeValue(forKey: contact) else { return false }
            known.resourceCount -= gone.count
            return true
        case .subscribe, .subscribed, .unsubscribe, .probe:
            return false
        }
    }

    package func presence(of contact: JID, account: JID) -> ContactPresence {
        let (entries, isKnown) = state.withLock { state -> ([Entry], Bool) in
            guard let known = state.accounts[account] else { return ([], false) }
            return (known.contacts[contact].map { Array($0.values) } ?? [], true)
        }
        if entries.count < 2 { return ContactPresence(resources: entries.map(\.resource), isKnown: isKnown) }
        let sorted = entries.sorted { left, right in
            if left.resource.priority != right.resource.priority {
                return left.resource.priority > right.resource.priority
            }
            let ranks = (rank(left.resource.show), rank(right.resource.show))
            return ranks.0 == ranks.1 ? left.order > right.order : ranks.0 < ranks.1
        }
        return ContactPresence(resources: sorted.map(\.resource), isKnown: isKnown)
    }

    private func rank(_ show: Presence.Show?) -> Int {
        switch show {
        case .chat: 0
        case nil: 1
        case .away: 2
        case .extendedAway: 3
        case .doNotDisturb: 4
        }
    }
}
