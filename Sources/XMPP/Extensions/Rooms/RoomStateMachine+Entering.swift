// SPDX-License-Identifier: Apache-2.0

/// Going in and out (XEP-0045 §7.2, §7.14), and coming back.
extension RoomStateMachine {
    mutating func wants(_ new: Wish) -> Action {
        if isIn, wish != nil, !isLeaving {
            wish = new
            return .none
        }
        wish = new
        address = new.address
        isLeaving = false
        isEntering = false
        hasAskedReserved = false
        isEstablished = false
        failures = 0
        suspended = nil
        guard isOnline else { return interrupted(.connectionLost, andThen: .none) }
        guard isAvailable else { return interrupted(.unavailable, andThen: .none) }
        return begin()
    }

    /// Asks for a turn to go in, with nobody there yet.
    private mutating func begin() -> Action {
        forgetOccupants()
        guard state != .joining else { return .queue }
        state = .joining
        return .several([.changed(.joining), .queue])
    }

    mutating func turn() -> Action {
        guard state == .joining, !isEntering, isOnline, isAvailable, let wish else { return .none }
        forgetOccupants()
        address = wish.address
        isEntering = true
        return .enter(wish.address, password: wish.password, history: wish.history)
    }

    private mutating func forgetOccupants() {
        occupants = [:]
        leftOut = 0
        hasSeenNickname = false
        isEntering = false
        isInHistory = false
        pendingNickname = nil
    }

    /// One is in: the room said so, or showed it (B124).
    mutating func entered(_ statuses: [RoomStatus]) -> Action {
        if statuses.contains(.created), !isEstablished, let wish, !wish.mayCreate {
            // Whoever mistyped an address must not find oneself alone in a room of that name.
            let undo = address.map { Action.undo($0) } ?? .none
            return .several([undo, end(.refused(.notFound))])
        }
        isEntering = false
        isInHistory = true
        isEstablished = true
        failures = 0
        notices = statuses
        state = .joined
        // From now on the nickname that the room gave is the one to come back with.
        if let address { wish?.address = address }
        if statuses.contains(.created) { return .several([.changed(.joined), .unlock]) }
        return .changed(.joined)
    }

    mutating func leave() -> Action {
        let wasWished = wish != nil
        wish = nil
        suspended = nil
        switch state {
        case .joined where isOnline:
            isLeaving = true
            return address.map { .sayLeave($0) } ?? .none
        case .joining where isEntering && isOnline:
            isLeaving = true
            return address.map { .sayLeave($0) } ?? .none
        case .outside, .left: return wasWished ? end(.left) : .none
        case .joined, .joining, .interrupted: return end(.left)
        }
    }

    /// The end of the stay: there is exactly one, with its reason (B125).
    mutating func end(_ exit: RoomExit) -> Action {
        wish = nil
        suspended = nil
        isLeaving = false
        failures = 0
        forgetOccupants()
        state = .left(exit)
        return .changed(state)
    }

    mutating func interrupted(_ reason: RoomInterruption, andThen next: Action) -> Action {
        isLeaving = false
        forgetOccupants()
        state = .interrupted(reason)
        if next == .none { return .changed(state) }
        return .several([.changed(state), next])
    }

    /// The room did not let one in: the end, or a while.
    mutating func refused(_ refusal: RoomRefusal, chance: Double = 0.5) -> Action {
        guard let wish, !isLeaving else { return end(.left) }
        let mayWait = isEstablished || wish.persists
        // A foreign owner of the nickname is never assumed, but a ghost is gone after a few tries (B120).
        let isHopeless = refusal.isFinal || (refusal == .nicknameInUse && failures >= 4)
        guard mayWait, !isHopeless else { return end(.refused(refusal)) }
        return waitBriefly(.refused(refusal), chance)
    }

    /// Out of the room for a technical reason: back after a while that doubles (T129).
    mutating func waitBriefly(_ reason: RoomInterruption, _ chance: Double) -> Action {
        failures = min(failures + 1, 16)
        var wait = Duration.seconds(5)
        for _ in 1..<failures where wait < .seconds(300) { wait *= 2 }
        return interrupted(reason, andThen: .retry(after: min(wait, .seconds(300)) * (0.5 + 0.5 * chance)))
    }

    mutating func retryDue() -> Action {
        guard case .interrupted(let reason) = state, wish != nil, isOnline, isAvailable, reason != .connectionLost
        else { return .none }
        return begin()
    }

    mutating func joinTimedOut(_ chance: Double) -> Action {
        guard state == .joining else { return .none }
        let said = isEntering && isOnline ? address : nil
        let action = isLeaving ? end(.left) : refused(.timedOut, chance: chance)
        // Whoever comes in late would be a ghost there.
        guard let said else { return action }
        return .several([.sayLeave(said), action])
    }

    /// B128: once with the name that is reserved, if there is one.
    mutating func reserved(_ reserved: JID?, _ chance: Double) -> Action {
        guard state == .joining, isEntering, hasAskedReserved, let current = wish else { return .none }
        guard let reserved, reserved.isSameBare(as: room), !reserved.isBare, reserved != address else {
            return refused(.reservedNicknameRequired, chance: chance)
        }
        wish?.address = reserved
        address = reserved
        return .enter(reserved, password: current.password, history: current.history)
    }
}

/// Streams that come and go.
extension RoomStateMachine {
    mutating func wentOffline() -> Action {
        isOnline = false
        switch state {
        case .joined, .joining:
            if isLeaving { return end(.left) }
            // Whoever is there stays: the stream may be resumed, and then nothing was missed (XEP-0198 §5).
            suspended = state
            state = .interrupted(.connectionLost)
            return .changed(state)
        case .interrupted(let reason) where reason != .connectionLost:
            state = .interrupted(.connectionLost)
            return .changed(state)
        case .outside, .left, .interrupted: return .none
        }
    }

    mutating func wentOnline(_ own: JID, isResumed: Bool) -> Action {
        self.own = own
        isOnline = true
        let before = suspended
        suspended = nil
        guard wish != nil, case .interrupted(.connectionLost) = state else { return .none }
        guard isResumed, let before else {
            guard isAvailable else { return interrupted(.unavailable, andThen: .none) }
            return begin()
        }
        state = before
        if state == .joining { return .several([.changed(state), isEntering ? .none : .queue]) }
        // The service may have lost one meanwhile (T099, T128).
        return .several([.changed(state), doubt()])
    }

    /// The server tells rooms that one is gone; nothing of them is heard then.
    mutating func became(available: Bool) -> Action {
        guard isAvailable != available else { return .none }
        isAvailable = available
        if available {
            guard wish != nil, isOnline, case .interrupted(.unavailable) = state else { return .none }
            return begin()
        }
        switch state {
        case .joined, .joining: return isLeaving ? end(.left) : interrupted(.unavailable, andThen: .none)
        case .interrupted(let reason) where reason != .connectionLost:
            return interrupted(.unavailable, andThen: .none)
        case .outside, .left, .interrupted: return .none
        }
    }

    mutating func ended() -> Action {
        isOnline = false
        switch state {
        case .outside, .left: return .none
        case .joining, .joined, .interrupted: return end(isLeaving ? .left : .sessionEnded)
        }
    }
}

/// Whether one is still in (XEP-0410).
extension RoomStateMachine {
    /// No question while a nickname changes (XEP-0410 §5) or one is not in.
    mutating func doubt() -> Action {
        guard isIn, !isLeaving, isOnline, pendingNickname == nil, let address else { return .none }
        return .ping(address)
    }

    mutating func pinged(_ answer: SelfPing) -> Action {
        guard isIn, !isLeaving, isOnline, answer == .notJoined else { return .none }
        let change = interrupted(.forgotten, andThen: .none)
        return .several([change, begin()])
    }
}

/// Nicknames (XEP-0045 §7.6).
extension RoomStateMachine {
    mutating func wantsNickname(_ new: JID, id: String) -> Action {
        guard isIn, !isLeaving, isOnline else { return .nicknameRefused(.unreachable) }
        guard new != address else { return .moved(new) }
        pendingNickname = (new, id)
        return .sendNickname(new, id: id)
    }

    /// The old name stays (B122).
    mutating func nicknameTimedOut() -> Action {
        guard pendingNickname != nil else { return .none }
        pendingNickname = nil
        return .nicknameRefused(.timedOut)
    }

    /// One has another address in the room from now on.
    mutating func moved(to new: JID) -> Action {
        pendingNickname = nil
        address = new
        wish?.address = new
        return .moved(new)
    }

    /// What the presences said before the room was known to answer for it counts from now on, or not any more.
    mutating func names(accounts: Bool) -> Action {
        guard accounts != namesAccounts else { return .none }
        namesAccounts = accounts
        for (address, occupant) in occupants {
            var occupant = occupant
            if accounts {
                occupant.occupantID = occupant.claimedID
                occupant.claimedID = nil
            } else {
                occupant.claimedID = occupant.occupantID
                occupant.occupantID = nil
            }
            occupants[address] = occupant
        }
        return .none
    }

    mutating func historyEnded() -> Action {
        isInHistory = false
        return .none
    }
}
