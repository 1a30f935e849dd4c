// SPDX-License-Identifier: Apache-2.0

extension XMPPSession {
    /// Asks the server for the contact list, or for what it is since a version that was kept (RFC 6121 §2.1.3, §2.6).
    ///
    /// A resumed session need not ask again. Throws ``XMPPError``; cancelling ends the wait.
    /// - Parameter version: The version of the list that is stored, nil without. It is not sent to a server that keeps
    ///   no versions; the whole list comes then.
    public func fetchRoster(version: String? = nil) async throws -> RosterFetch {
        // What a stream of SASL2 offers may come only later, or never (ejabberd 24.12 after resuming): then it is asked for
        // all the same, and a server without versions gives the whole list.
        let asked = offersRosterVersioning || awaitsFeatures ? version ?? "" : nil
        let reply = try await get(Roster.request(version: asked))
        guard let fetch = RosterFetch(reply, askedVersion: asked) else {
            throw XMPPError(.invalidReply, "the server answered with something else than the contact list")
        }
        return fetch
    }

    /// Adds a contact to the list, or changes name and groups of one that is in it (RFC 6121 §2.3, §2.4).
    ///
    /// Waits until the server confirms. The new state comes as a ``RosterPush``, mostly before that; take it from there.
    /// To see the contact's presence takes ``requestSubscription(to:known:nickname:)`` too.
    ///
    /// Throws ``XMPPError``: `yourself` for one's own address, else with the server's ``StanzaError``, as
    /// `notAcceptable` for a group that only the administrator may change. Cancelling ends the wait, not the change.
    public func setRosterItem(_ jid: JID, name: String? = nil, groups: [String] = []) async throws {
        if let own = self.jid, jid.isSameBare(as: own) { throw XMPPError.yourself }
        _ = try await set(Roster.set(RosterItem(jid: jid, name: name, groups: groups)))
    }

    /// Sets several items, one after the other, since a request holds one (RFC 6121 §2.3.1).
    ///
    /// Waits and throws as ``setRosterItem(_:name:groups:)``; what came before an error is set. Cancelling ends it between
    /// two of them.
    public func setRosterItems(_ items: [RosterItem]) async throws {
        for item in items {
            try Task.checkCancellation()
            try await setRosterItem(item.jid, name: item.name, groups: item.groups)
        }
    }

    /// Takes a contact out of the list; both sides stop seeing each other, and a pending request is taken back
    /// (RFC 6121 §2.5).
    ///
    /// Waits until the server confirms; forget the contact when its ``RosterPush`` comes. Throws ``XMPPError``, with
    /// `itemNotFound` when the server has no such contact. Cancelling ends the wait, not the removal.
    public func removeRosterItem(_ jid: JID) async throws { _ = try await set(Roster.remove(jid)) }
}
