// SPDX-License-Identifier: Apache-2.0

/// The steps by which two people come to see each other's presence (RFC 6121 §3).
///
/// All of them go to bare addresses. What became of them, the contact list says (``RosterPush``): servers answer for
/// absent people, and the order of what comes back is not fixed.
extension Presence {
    /// Asks to see the presence of an address that a person typed (RFC 6121 §3.1.1).
    ///
    /// Throws as ``subscriptionRequest(to:own:known:nickname:)-(JID,_,_,_)`` does, and ``XMPPError`` `invalidAddress`
    /// with the reason when the text is no address.
    /// - Parameters:
    ///   - text: What the person typed.
    ///   - own: One's own address.
    ///   - known: What the contact list says about the address.
    ///   - nickname: How one introduces oneself; it does not name the contact.
    public static func subscriptionRequest(
        to text: String, own: JID, known: (JID) -> RosterItem?, nickname: String? = nil
    ) throws(XMPPError) -> Presence {
        let address: JID
        do { address = try JID(text.trimmingXMLSpace) } catch { throw .invalidAddress(text, error) }
        return try subscriptionRequest(to: address, own: own, known: known(address.bare), nickname: nickname)
    }

    /// Asks to see the presence of an address (RFC 6121 §3.1.1).
    ///
    /// Throws ``XMPPError``: `yourself`, `alreadySubscribed` or `alreadyRequested`.
    /// - Parameters:
    ///   - jid: The address; its resource is left out.
    ///   - own: One's own address.
    ///   - known: What the contact list says about the address, nil when it is not in there.
    ///   - nickname: How one introduces oneself; it does not name the contact.
    public static func subscriptionRequest(
        to jid: JID, own: JID, known: RosterItem?, nickname: String? = nil
    ) throws(XMPPError) -> Presence {
        if jid.isSameBare(as: own) { throw .yourself }
        if let known, known.jid == jid.bare {
            if known.showsPresence { throw .alreadySubscribed(jid.bare) }
            if known.isRequested { throw .alreadyRequested(jid.bare) }
        }
        var request = Presence(.subscribe, to: jid.bare)
        request.nickname = nickname
        return request
    }

    /// Lets somebody who asked see one's presence (RFC 6121 §3.1.4).
    public static func subscriptionAcceptance(of jid: JID) -> Presence { Presence(.subscribed, to: jid.bare) }

    /// Refuses somebody who asked (RFC 6121 §3.1.4).
    public static func subscriptionRefusal(of jid: JID) -> Presence { Presence(.unsubscribed, to: jid.bare) }

    /// Takes back one's own request, or stops seeing the contact's presence (RFC 6121 §3.3.1).
    public static func subscriptionWithdrawal(from jid: JID) -> Presence { Presence(.unsubscribe, to: jid.bare) }

    /// Stops a contact, or one that was approved beforehand, from seeing one's presence (RFC 6121 §3.2.1, §3.4).
    public static func subscriptionCancellation(of jid: JID) -> Presence { Presence(.unsubscribed, to: jid.bare) }

    /// Lets somebody see one's presence who has not asked yet (RFC 6121 §3.4).
    ///
    /// Only for servers that know it; see ``XMPPSession/approveSubscription(of:)``.
    public static func subscriptionApproval(of jid: JID) -> Presence { Presence(.subscribed, to: jid.bare) }
}

extension Presence {
    /// Whether the presence refuses one's own request: the sender will not be seen.
    ///
    /// Some programs refuse by `unsubscribe` instead of `unsubscribed` (SP16); the server leaves the request open then, so
    /// offer to take it back with ``subscriptionWithdrawal(from:)``. Neither is to be answered.
    /// - Parameter known: What the contact list says about an address.
    public func refusesRequest(known: (JID) -> RosterItem?) -> Bool {
        guard kind == .unsubscribed || kind == .unsubscribe, let from, let item = known(from.bare) else { return false }
        return item.isRequested && !item.showsPresence
    }
}
