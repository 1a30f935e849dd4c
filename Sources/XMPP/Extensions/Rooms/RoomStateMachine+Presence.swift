// SPDX-License-Identifier: Apache-2.0

/// Who is in the room (XEP-0045 §7.1, §7.6, §7.14, §8.2, §9.1).
extension RoomStateMachine {
    mutating func received(_ presence: RoomPresence) -> Action {
        guard takesPart, presence.from.isSameBare(as: room) else { return .none }
        switch presence.kind {
        case .available: return presence.from.isBare ? .none : available(presence)
        case .unavailable: return presence.from.isBare ? .none : unavailable(presence)
        case .error: return failed(presence)
        }
    }

    private mutating func available(_ presence: RoomPresence) -> Action {
        // While leaving only the last word counts (B125).
        if isLeaving { return .none }
        // The room says it (§7.2.2), or the real address does (B122).
        let isOwn = presence.has(.selfPresence) || presence.item?.jid == own
        if isEntering { return whileEntering(presence, isOwn: isOwn) }
        if let pending = pendingNickname,
            isOwn ? presence.from != address : echoes(presence, pending.address, pending.id)
        {
            let change = store(presence, isOwn: true)
            return .several([moved(to: presence.from), change])
        }
        if isOwn, presence.from != address {
            // Another device of one's own took one along, or the room renamed one.
            let change = store(presence, isOwn: true)
            return .several([moved(to: presence.from), change])
        }
        return store(presence, isOwn: isOwn)
    }

    /// The new nickname is there, with the id of the request or with nothing that says whose it is (B122).
    private func echoes(_ presence: RoomPresence, _ wanted: JID, _ id: String) -> Bool {
        guard presence.from == wanted else { return false }
        return presence.id == id || (occupants[wanted] == nil && presence.item?.jid == nil)
    }

    private mutating func whileEntering(_ presence: RoomPresence, isOwn: Bool) -> Action {
        _ = store(presence, isOwn: isOwn || presence.from == address)
        if isOwn {
            // The room may have changed the name (210); what matters is where it says that one is.
            address = presence.from
            return entered(presence.statuses)
        }
        if presence.from == address { hasSeenNickname = true }
        return .none
    }

    private mutating func store(_ presence: RoomPresence, isOwn: Bool) -> Action {
        let occupant = presence.occupant(trustsIDs: namesAccounts)
        let before = occupants[presence.from]
        guard before != nil || isOwn || occupants.count < limits.occupants else {
            leftOut += 1
            return .none
        }
        occupants[presence.from] = occupant
        guard let before else { return .occupant(.came(occupant)) }
        return before == occupant ? .none : .occupant(.changed(occupant))
    }

    private mutating func unavailable(_ presence: RoomPresence) -> Action {
        let isMine = presence.from == address
        let isOwn = presence.has(.selfPresence) ? isMine || isEntering : isMine && !isEntering
        if presence.has(.nicknameChanged), let name = presence.item?.nickname,
            let new = room.occupant(nickname: name)
        {
            return renamed(presence.from, to: new, isOwn: isOwn)
        }
        if isOwn, !isOfOtherDevice(presence) { return putOut(presence) }
        guard !isOwn else { return .none }
        guard let occupant = occupants.removeValue(forKey: presence.from) else {
            if leftOut > 0 { leftOut -= 1 }
            return .none
        }
        return isEntering || isLeaving ? .none : .occupant(.left(occupant, presence.departure))
    }

    /// Several of one's devices can be in under one nickname; one of them going is not the end (OF47).
    private func isOfOtherDevice(_ presence: RoomPresence) -> Bool {
        guard !isLeaving, let jid = presence.item?.jid, !jid.isBare, jid.isSameBare(as: own), jid != own,
            case .left = presence.departure
        else { return false }
        return true
    }

    private mutating func renamed(_ old: JID, to new: JID, isOwn: Bool) -> Action {
        let before = occupants.removeValue(forKey: old)
        if isOwn, isLeaving { return .none }
        var change = Action.none
        if let before {
            var occupant = RoomOccupant(
                address: new, realAddress: before.realAddress, occupantID: before.occupantID, role: before.role,
                affiliation: before.affiliation, show: before.show, status: before.status, hats: before.hats)
            occupant.claimedID = before.claimedID
            occupants[new] = occupant
            change = isEntering ? .none : .occupant(.renamed(from: old, occupant))
        }
        guard isOwn, !isEntering else { return change }
        return .several([moved(to: new), change])
    }

    /// One is out: for good, or to come back.
    private mutating func putOut(_ presence: RoomPresence) -> Action {
        switch presence.departure {
        case .kicked(let removal): end(.kicked(removal))
        case .banned(let removal): end(.banned(removal))
        case .affiliationLost(let removal): end(.affiliationLost(removal))
        case .membersOnly: end(.membersOnly)
        case .destroyed(let destruction): end(.destroyed(destruction))
        case .undeliverable: lost(.undeliverable)
        case .serviceStopped: lost(.serviceStopped)
        case .left: lost(.unexplained)
        }
    }

    /// Out without anybody wanting it: one comes back, unless one wanted to go.
    private mutating func lost(_ reason: RoomInterruption) -> Action {
        guard let wish, !isLeaving else { return end(.left) }
        guard isEstablished || wish.persists else { return end(.refused(.unreachable)) }
        return waitBriefly(reason, 0.5)
    }

    private mutating func failed(_ presence: RoomPresence) -> Action {
        let refusal = RoomRefusal(presence.error ?? StanzaError(.undefinedCondition))
        if let pending = pendingNickname, presence.id == pending.id || presence.from == pending.address {
            pendingNickname = nil
            return .nicknameRefused(refusal)
        }
        guard presence.from.isBare || presence.from == address else { return .none }
        if isLeaving { return end(.left) }
        guard isEntering else { return doubt() }
        if refusal == .reservedNicknameRequired, !hasAskedReserved {
            hasAskedReserved = true
            return .askReserved
        }
        return refused(refusal)
    }
}

extension JID {
    /// The address of an occupant by a nickname that came from the room: kept exactly as it came.
    package func occupant(nickname: String) -> JID? {
        guard !nickname.isEmpty else { return nil }
        return JID(wire: bare.description + "/" + nickname)
    }
}
