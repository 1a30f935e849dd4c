// SPDX-License-Identifier: Apache-2.0

extension XMPPSession {
    /// Asks to see somebody's presence (RFC 6121 §3.1.1).
    ///
    /// Returns when the request is on its way; a person answers it, perhaps never. Throws ``XMPPError``: `yourself`,
    /// `alreadySubscribed`, `alreadyRequested`, `notConnected`.
    /// - Parameters:
    ///   - jid: The address; its resource is left out.
    ///   - known: What the contact list says about it, nil when it is not in there.
    ///   - nickname: How one introduces oneself.
    public func requestSubscription(
        to jid: JID, known: RosterItem?, nickname: String? = nil
    ) async throws(XMPPError) {
        guard let own = self.jid else { throw .offline }
        try await send(
            try Presence.subscriptionRequest(to: jid, own: own, known: known, nickname: nickname))
    }

    /// Lets somebody who asked see one's presence (RFC 6121 §3.1.4); throws when not connected.
    public func acceptSubscription(of jid: JID) async throws(XMPPError) {
        try await send(Presence.subscriptionAcceptance(of: jid))
    }

    /// Refuses somebody who asked (RFC 6121 §3.1.4); throws when not connected.
    public func declineSubscription(of jid: JID) async throws(XMPPError) {
        try await send(Presence.subscriptionRefusal(of: jid))
    }

    /// Takes back one's own request, or stops seeing somebody's presence (RFC 6121 §3.3.1); throws when not connected.
    public func withdrawSubscription(from jid: JID) async throws(XMPPError) {
        try await send(Presence.subscriptionWithdrawal(from: jid))
    }

    /// Stops a contact from seeing one's presence (RFC 6121 §3.2.1); throws when not connected.
    public func cancelSubscription(of jid: JID) async throws(XMPPError) {
        try await send(Presence.subscriptionCancellation(of: jid))
    }

    /// Lets somebody see one's presence who has not asked yet (RFC 6121 §3.4).
    ///
    /// Throws ``XMPPError`` `notSupported` when the server does not know this.
    public func approveSubscription(of jid: JID) async throws(XMPPError) {
        guard streamFeatures.offersPreApproval else {
            throw XMPPError(
                .notSupported, "the server cannot approve contacts beforehand; accept \(jid.bare) when they ask")
        }
        try await send(Presence.subscriptionApproval(of: jid))
    }
}

extension XMPPError {
    static var offline: XMPPError { XMPPError(.notConnected, "the session is not online", isRetryable: true) }
}
