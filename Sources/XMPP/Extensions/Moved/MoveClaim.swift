// SPDX-License-Identifier: Apache-2.0

/// Somebody who asks to see one's presence claims to be a contact who has moved (XEP-0283 §4.3).
///
/// The claim proves nothing: ask the old account with ``XMPPSession/verify(_:)``. Until then, and when that fails, it is a
/// request like any other one (T087). Nothing moves by itself even then: the user decides.
public struct MoveClaim: Sendable, Hashable {
    /// The address that they claim to have had: a contact who sees one's presence.
    public let oldAddress: JID
    /// The address that asks.
    public let newAddress: JID

    init(oldAddress: JID, newAddress: JID) {
        self.oldAddress = oldAddress
        self.newAddress = newAddress
    }
}

extension Presence {
    /// The claim to have moved that comes with a request; nil without one, and when it must be left out of account.
    ///
    /// It is that unless the old address is a contact who may see one's presence: otherwise anybody could have a claim
    /// looked into (XEP-0283 §4.3).
    /// - Parameter known: What the contact list says about an address.
    public func moveClaim(known: (JID) -> RosterItem?) -> MoveClaim? {
        guard kind == .subscribe, let from, let notice = payload(MovedNotice.name).flatMap({ MovedNotice($0) }),
            notice.oldAddress != from.bare, let contact = known(notice.oldAddress), contact.jid == notice.oldAddress,
            contact.seesPresence
        else { return nil }
        return MoveClaim(oldAddress: notice.oldAddress, newAddress: from.bare)
    }

    /// Asks a contact to see their presence from one's new account, and says which the old one was (XEP-0283 §4.2).
    ///
    /// Publish the statement on the old account first: ``XMPPSession/announceMove(to:)``.
    /// - Parameters:
    ///   - jid: The contact.
    ///   - oldAddress: One's address of before.
    public static func movedRequest(to jid: JID, from oldAddress: JID) -> Presence {
        Presence(.subscribe, to: jid.bare, payloads: [MovedNotice(oldAddress: oldAddress).element])
    }
}

extension XMPPSession {
    /// Asks the old account whether its owner has moved to the new one (XEP-0283 §4.3).
    ///
    /// True only when the account says so itself, or its server says that it is gone to there. An account that says
    /// something else, or nothing, makes it false. Throws ``XMPPError`` when no answer came, after which another attempt
    /// may make sense. Cancelling ends the wait.
    ///
    /// After the user has accepted the new address, take the old one's permission back with
    /// ``cancelSubscription(of:)``: each account moves once.
    public func verify(_ claim: MoveClaim) async throws -> Bool {
        do {
            let item = try await fetchPersonalItem(Moved.namespace, id: "current", of: claim.oldAddress)
            return item.flatMap { MovedStatement($0.payload) }?.newAddress == claim.newAddress
        } catch let error as XMPPError {
            guard let refusal = error.stanzaError else {
                if error.code == .invalidReply { return false }
                throw error
            }
            guard refusal.condition == .gone, let uri = refusal.location, uri.lowercased().hasPrefix("xmpp:"),
                let address = try? JID(String(uri.dropFirst(5).prefix { $0 != "?" && $0 != "#" }))
            else { return false }
            return address.bare == claim.newAddress
        }
    }

    /// Says on this account that one has moved to another one, so that contacts can check it (XEP-0283 §4.1).
    ///
    /// Contacts see it, nobody else. Keep the account for as long as they need to follow. Waits until the server confirms;
    /// throws ``XMPPError``: `yourself` for this same account, else as ``request(_:timeout:)`` does. Cancelling ends the
    /// wait, not the change.
    public func announceMove(to newAddress: JID) async throws {
        if newAddress.isSameBare(as: account.jid) { throw XMPPError.yourself }
        try await publishPersonalItem(
            Moved.namespace, id: "current", MovedStatement(newAddress: newAddress).element, audience: .contacts)
    }
}
