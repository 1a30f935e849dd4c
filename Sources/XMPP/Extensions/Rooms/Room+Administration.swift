// SPDX-License-Identifier: Apache-2.0

/// What moderators and administrators do (XEP-0045 §8, §9).
extension Room {
    /// Puts an occupant out (§8.2); it may come back.
    public func kick(_ nickname: String, reason: String? = nil) async throws {
        try await setRole(.none, of: nickname, reason: reason)
    }

    /// Gives an occupant another role (§8.3, §8.4, §9.6, §9.7).
    public func setRole(_ role: RoomRole, of nickname: String, reason: String? = nil) async throws {
        try await administer(RoomAdminItem(nickname: nickname, role: role, reason: reason))
    }

    /// Puts an account out for good (§9.1).
    public func ban(_ account: JID, reason: String? = nil) async throws {
        try await setAffiliation(.outcast, of: account, reason: reason)
    }

    /// Makes an account something else to the room (§9.3 to §10.8); ``RoomAffiliation/none`` takes everything away.
    ///
    /// Throws ``XMPPError`` with a ``StanzaError``: `conflict` for the last owner, `notAllowed` for somebody above oneself.
    public func setAffiliation(
        _ affiliation: RoomAffiliation, of account: JID, reason: String? = nil
    ) async throws {
        try await administer(RoomAdminItem(address: account.bare, affiliation: affiliation, reason: reason))
    }

    /// The accounts with an affiliation (§9.2, §9.5, §10.5, §10.8).
    public func accounts(_ affiliation: RoomAffiliation) async throws -> [RoomAccess] {
        try await list(RoomAdminItem(affiliation: affiliation)).map { item in
            RoomAccess(
                address: item.address, nickname: item.nickname, affiliation: item.affiliation ?? affiliation,
                role: item.role, reason: item.reason)
        }
    }

    /// The occupants with a role (§8.5, §9.8).
    public func occupants(_ role: RoomRole) async throws -> [RoomAccess] {
        try await list(RoomAdminItem(role: role)).map { item in
            RoomAccess(
                address: item.address, nickname: item.nickname, affiliation: item.affiliation ?? .none,
                role: item.role ?? role, reason: item.reason)
        }
    }

    private func administer(_ item: RoomAdminItem) async throws {
        _ = try await session.set(Element(RoomNames.admin, children: [item.element]), to: address)
    }

    private func list(_ item: RoomAdminItem) async throws -> [RoomAdminItem] {
        let reply = try await session.get(Element(RoomNames.admin, children: [item.element]), to: address)
        return try RoomAdminItem.all(in: reply)
    }
}

/// Voices in a moderated room (XEP-0045 §7.13, §8.6).
extension Room {
    /// Asks the moderators for a voice; whether they give one, ``RoomEvent/changed(_:)`` of oneself tells.
    public func requestVoice() async throws {
        guard core.isIn else { throw notInError }
        try await session.send(Message(to: address, payloads: [VoiceRequest().form().element]))
    }

    /// Answers somebody who asks for a voice; for moderators.
    public func answer(_ request: VoiceRequest, isGranted: Bool) async throws {
        guard core.isIn else { throw notInError }
        var answer = request
        answer.isGranted = isGranted
        try await session.send(Message(to: address, payloads: [answer.form().element]))
    }
}

/// Messages that are taken away (XEP-0425).
extension Room {
    /// Takes a message away for everybody, as far as their programs follow; for moderators.
    ///
    /// Throws ``XMPPError/Code/notSupported`` when the room cannot do that.
    /// - Parameters:
    ///   - stanzaID: The identifier that the room gave the message: ``RoomMessage/stanzaID``.
    ///   - reason: What the others are told.
    public func moderate(_ stanzaID: String, reason: String? = nil) async throws {
        let known: RoomInformation
        if let information { known = information } else { known = try await session.roomInformation(of: address) }
        guard let form = Moderation(announcedBy: known) else {
            throw XMPPError(.notSupported, "\(address) cannot take messages away")
        }
        _ = try await session.set(form.request(stanzaID, reason: reason), to: address)
    }
}
