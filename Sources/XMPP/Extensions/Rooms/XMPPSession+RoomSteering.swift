// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Carries what happens to the machines of the rooms, and does what they say; all on the session's thread.
extension XMPPSession {
    /// How long a room may take to let one in, to say that one is out, and to give a nickname.
    private static let joinTimeout: Duration = .seconds(60)
    private static let leaveTimeout: Duration = .seconds(10)
    private static let nicknameTimeout: Duration = .seconds(30)
    /// How long after the own presence the history may go on.
    private static let historySpan: Duration = .seconds(10)

    func room(of jid: JID) -> RoomCore {
        let room = jid.bare
        return roomBook.core(of: room) {
            let own = boundJID ?? account.jid
            let machine = RoomStateMachine(room: room, own: own, isOnline: isOnline, limits: configuration.roomLimits)
            let bridge = bridge
            return RoomCore(room: room, machine: machine) { [loop] in loop.requestTurn(for: bridge) }
        }
    }

    /// A presence of a room that one is in, going into or out of is for that room alone; false for any other.
    func roomTakes(_ presence: Presence) -> Bool {
        guard let core = room(from: presence.from), let known = RoomPresence(presence) else { return false }
        // A room that tells of its picture says nothing of who is in it (XEP-0486 §3).
        if core.room == presence.from, presence.avatar != nil { return false }
        guard core.state.withLock({ $0.machine.takesPart }) else { return false }
        steer(core, .presence(known))
        return true
    }

    /// A message may be of a room; it is for everybody all the same.
    func roomSees(_ message: Message) {
        guard let from = message.from else { return }
        if !roomBook.invitations.isEmpty, let invitation = message.roomInvitation { roomBook.invited(invitation) }
        guard let core = room(from: from) else { return }
        if message.kind == .error { return bounced(message, core) }
        guard let facts = RoomMessageFacts(message) else { return }
        steer(core, .message(facts), message, facts)
    }

    private func room(from jid: JID?) -> RoomCore? {
        guard let jid else { return nil }
        if let last = lastRoom, last.room.isSameBare(as: jid) { return last }
        guard let core = roomBook.find(jid.bare) else { return nil }
        lastRoom = core
        return core
    }

    /// A message of one's own came back: the room does not take it (OF47).
    private func bounced(_ message: Message, _ core: RoomCore) {
        guard message.from?.isBare == true, let id = message.id else { return }
        let error = message.error ?? StanzaError(.undefinedCondition)
        core.settle(id, .failed(XMPPError.request(error)))
        if error.condition == .notAcceptable { steer(core, .doubt) }
    }

    func steer(
        _ core: RoomCore, _ event: RoomStateMachine.Event, _ message: Message? = nil, _ facts: RoomMessageFacts? = nil
    ) {
        let (action, isOver) = core.state.withLock { state in
            let action = state.machine.handle(event)
            state.heard &+= 1
            return (action, state.holdsTurn && state.machine.state != .joining)
        }
        perform(action, core, message, facts)
        if isOver { releaseTurn(of: core) }
    }

    private func releaseTurn(of core: RoomCore) {
        core.state.withLock { $0.holdsTurn = false }
        guard let next = roomBook.finished(core.room) else { return }
        takeTurn(next)
    }

    private func takeTurn(_ core: RoomCore) {
        core.state.withLock { $0.holdsTurn = true }
        steer(core, .turn)
    }

    private func perform(
        _ action: RoomStateMachine.Action, _ core: RoomCore, _ message: Message?, _ facts: RoomMessageFacts?
    ) {
        switch action {
        case .none: break
        case .several(let actions): for action in actions { perform(action, core, message, facts) }
        case .occupant(let change): core.publish(change)
        case .message(let origin): tell(core, message, facts, origin)
        case .subject(let subject): talks(core, about: subject, message, facts)
        case .notices(let notices): noticed(core, notices)
        case .moved(let address): moved(core, address)
        case .nicknameRefused(let refusal): renamed(core, .failure(.refused(refusal, by: core.room)))
        case .changed(let state): changed(core, state)
        case .queue: if roomBook.request(core.room) { takeTurn(core) }
        case .enter(let address, let password, let history): enter(core, address, password, history)
        case .sayLeave(let address): sayLeave(core, address)
        case .sendNickname(let address, let id): sendNickname(core, address, id)
        case .askReserved: askReserved(core)
        case .retry(let wait): schedule(core, after: wait, \.retryTimer, .retryDue)
        case .ping(let address): ping(core, address)
        case .unlock: core.state.withLock { $0.isLocked = true }
        case .undo(let address): undo(core, address)
        }
    }

    /// Plans for an event; whatever the timer was for before is off.
    private func schedule(
        _ core: RoomCore, after wait: Duration, _ place: WritableKeyPath<RoomCore.State, (any LoopTimer)?>,
        _ event: @autoclosure @escaping @Sendable () -> RoomStateMachine.Event
    ) {
        cancel(core, place)
        let timer = configuration.clock.schedule(after: wait) { [weak self, weak core] in
            guard let core else { return }
            self?.assumeIsolated { $0.steer(core, event()) }
        }
        core.state.withLock { $0[keyPath: place] = timer }
    }

    private func cancel(_ core: RoomCore, _ place: WritableKeyPath<RoomCore.State, (any LoopTimer)?>) {
        let timer = core.state.withLock { state in
            defer { state[keyPath: place] = nil }
            return state[keyPath: place]
        }
        timer?.cancel()
    }
}

// MARK: What is sent

extension XMPPSession {
    /// What the room says about itself is asked for first, once: whether it names accounts has to be known before the first
    /// message comes (XEP-0421 §2), and users are warned of logs before they are in one (XEP-0045 §14.2).
    private func enter(_ core: RoomCore, _ address: JID, _ password: String?, _ history: RoomHistory) {
        let chance = configuration.randomness.fraction()
        schedule(core, after: Self.joinTimeout, \.joinTimer, .joinTimedOut(chance: chance))
        let (isKnown, lastWord) = core.state.withLock { ($0.information != nil, $0.lastWord) }
        var history = history
        // What was there before the loss is known.
        if history != .none, let lastWord { history = RoomHistory(count: history.count, since: lastWord) }
        if isKnown { return sendEntry(core, address, password, history) }
        Task { [history] in
            await self.learnInformation(core)
            self.sendEntry(core, address, password, history)
        }
    }

    private func sendEntry(_ core: RoomCore, _ address: JID, _ password: String?, _ history: RoomHistory) {
        let isWanted = core.state.withLock { $0.machine.isEntering && $0.machine.address == address }
        guard isWanted, isOnline else { return }
        let key = password.map { [Element(RoomNames.joinPassword, text: $0)] } ?? []
        let join = Element(RoomNames.join, children: key + (history.element.map { [$0] } ?? []))
        var presence = ownAvailability(to: address)
        presence.append(join)
        _ = try? post(presence)
        flush()
    }

    /// How one is available now, for one address.
    private func ownAvailability(to address: JID) -> Presence {
        var copy = presence.flatMap { $0.kind == .available ? $0 : nil } ?? Presence()
        copy.to = address
        copy.id = configuration.randomness.token()
        return copy
    }

    private func sayLeave(_ core: RoomCore, _ address: JID) {
        let farewell = core.state.withLock { $0.farewell }
        _ = try? post(Presence(.unavailable, to: address, status: farewell))
        flush()
        schedule(core, after: Self.leaveTimeout, \.joinTimer, .leaveTimedOut)
    }

    /// Takes back that a room was made (XEP-0045 §10.1.2); a service that knows no cancelling ends it when one goes.
    private func undo(_ core: RoomCore, _ address: JID) {
        let query = Element(RoomNames.owner, children: [DataForm(.cancel).element])
        try? post(IQ(.set, to: core.room, id: configuration.randomness.token(), payload: query))
        _ = try? post(Presence(.unavailable, to: address))
        flush()
    }

    private func sendNickname(_ core: RoomCore, _ address: JID, _ id: String) {
        var presence = ownAvailability(to: address)
        presence.id = id
        _ = try? post(presence)
        flush()
        schedule(core, after: Self.nicknameTimeout, \.nicknameTimer, .nicknameTimedOut)
    }

    private func askReserved(_ core: RoomCore) {
        let chance = configuration.randomness.fraction()
        Task {
            let name = try? await self.reservedNickname(in: core.room)
            self.steer(core, .reserved(name.flatMap { core.room.occupant(nickname: $0) }, chance: chance))
        }
    }

    private func ping(_ core: RoomCore, _ address: JID) {
        Task { self.steer(core, .pinged(await self.selfPing(address))) }
    }

    /// Asks a room whether one is still in it (XEP-0410 §3.2).
    func selfPing(_ address: JID) async -> SelfPing {
        do {
            _ = try await get(Element(XMLName("ping", "urn:xmpp:ping")), to: address)
            return .joined
        } catch { return SelfPing(error as? XMPPError ?? XMPPError(.timedOut, "no answer")) }
    }

    /// Rooms hear of a change of availability each for itself (XEP-0045 §7.7).
    func tellRooms(_ presence: Presence?) {
        guard roomBook.isActive else { return }
        let isAvailable = presence.map { $0.kind == .available } ?? false
        for core in roomBook.all {
            steer(core, .available(isAvailable))
            guard isAvailable, let address = core.state.withLock({ $0.machine.isIn ? $0.machine.address : nil }) else {
                continue
            }
            _ = try? post(ownAvailability(to: address))
        }
    }
}

// MARK: What is told

extension XMPPSession {
    private func publish(_ core: RoomCore, _ event: @autoclosure () -> RoomEvent) {
        if core.publish(event()) { readerIsFull(1) }
    }

    private func changed(_ core: RoomCore, _ state: RoomState) {
        switch state {
        case .joining: core.keepBacklog()
        case .joined: cancel(core, \.joinTimer)
        default:
            for timer in [\RoomCore.State.joinTimer, \.historyTimer, \.silenceTimer, \.nicknameTimer] {
                cancel(core, timer)
            }
            if case .left = state { cancel(core, \.retryTimer) }
        }
        publish(core, .state(state))
        switch state {
        case .joined: wentIn(core)
        case .left(let exit): wentOut(core, exit)
        case .interrupted: renamed(core, .failure(.notIn(core.room)))
        case .outside, .joining: break
        }
    }

    private func wentIn(_ core: RoomCore) {
        schedule(core, after: Self.historySpan, \.historyTimer, .historyEnded)
        watchSilence(core)
        let isFirst = core.state.withLock { state in
            defer { state.isSettling = true }
            return !state.isSettling
        }
        if isFirst { Task { await self.settle(core) } }
    }

    /// One is in; whoever waits for it hears when the room is unlocked and known.
    private func settle(_ core: RoomCore) async {
        let (isLocked, isKnown, creation) = core.state.withLock { ($0.isLocked, $0.information != nil, $0.creation) }
        var failure: (any Error)?
        if isLocked {
            do { try await unlock(core.room, creation) } catch { failure = error }
        }
        if failure == nil, isLocked || !isKnown { await learnInformation(core) }
        let joiners = core.state.withLock { state in
            state.isSettling = false
            state.isLocked = false
            defer { state.joiners = [:] }
            return state.joiners.values.map { $0 }
        }
        if failure != nil { steer(core, .leave) }
        for joiner in joiners {
            if let failure { joiner.resume(throwing: failure) } else { joiner.resume() }
        }
    }

    private func wentOut(_ core: RoomCore, _ exit: RoomExit) {
        let error = XMPPError.notIn(core.room, exit)
        let (joiners, leavers) = core.state.withLock { state in
            defer {
                state.joiners = [:]
                state.leavers = []
                state.lastWord = nil
                state.isLocked = false
                state.information = nil
            }
            return (Array(state.joiners.values), state.leavers)
        }
        // The next room of that address may be another one, which names nobody.
        core.state.withLock { _ = $0.machine.handle(.namesAccounts(false)) }
        renamed(core, .failure(error))
        core.failSent(error)
        core.finishReaders()
        for joiner in joiners { joiner.resume(throwing: error) }
        for leaver in leavers { leaver.resume() }
    }

    private func moved(_ core: RoomCore, _ address: JID) {
        cancel(core, \.nicknameTimer)
        renamed(core, .success(address))
        publish(core, .nickname(address.resource ?? ""))
    }

    private func renamed(_ core: RoomCore, _ result: Result<JID, XMPPError>) {
        let renamer = core.state.withLock { state in
            defer { state.renamer = nil }
            return state.renamer
        }
        renamer?.resume(with: result.mapError { $0 as any Error })
    }

    private func noticed(_ core: RoomCore, _ notices: [RoomStatus]) {
        publish(core, .notices(notices))
        let changesFacts = notices.contains { (102...104).contains($0.code) || (170...174).contains($0.code) }
        guard changesFacts, core.isIn else { return }
        let asks = core.state.withLock { state in
            defer { state.isAsking = true }
            return !state.isAsking
        }
        guard asks else { return }
        Task {
            await self.learnInformation(core)
            core.state.withLock { $0.isAsking = false }
        }
    }

    /// Asks the room about itself; a room that does not tell keeps what is known.
    private func learnInformation(_ core: RoomCore) async {
        guard let information = try? await roomInformation(of: core.room) else { return }
        core.state.withLock { $0.information = information }
        steer(core, .namesAccounts(information.namesAccounts))
        if core.isIn { publish(core, .information(information)) }
    }

    private func tell(
        _ core: RoomCore, _ message: Message?, _ facts: RoomMessageFacts?, _ origin: RoomMessage.Origin
    ) {
        guard let message, let facts else { return }
        if facts.from.isBare {
            if let moderation = message.moderation { return publish(core, .moderated(moderation)) }
            if let request = message.voiceRequest { return publish(core, .voiceRequested(request)) }
            if let decline = message.roomDecline { return publish(core, .declined(decline)) }
            if message.roomInvitation != nil { return }
        }
        // SP24: what has no text and no type is none of anybody's business.
        if !facts.isGroupchat, message.kind != .chat, message.body == nil { return }
        let (occupant, names) = core.state.withLock { state in
            (state.machine.occupants[facts.from], state.machine.namesAccounts)
        }
        let said = RoomMessage(message, facts, origin: origin, occupant: occupant, namesAccounts: names)
        if facts.isGroupchat {
            if message.body != nil { core.state.withLock { $0.lastWord = said.stamp ?? configuration.wallClock() } }
            if origin == .reflection, let id = message.id { core.settle(id, .reflected(said)) }
            publish(core, .message(said))
        } else {
            publish(core, facts.from.isBare ? .message(said) : .privateMessage(said))
        }
    }

    private func talks(
        _ core: RoomCore, about subject: RoomSubject, _ message: Message?, _ facts: RoomMessageFacts?
    ) {
        let own = core.state.withLock { $0.machine.address }
        let known = core.state.withLock { $0.subjectID }
        if let message, let facts, let id = known ?? message.id, facts.from == own {
            let said = RoomMessage(message, facts, origin: .reflection, occupant: nil, namesAccounts: false)
            core.settle(id, .reflected(said))
        }
        publish(core, .subject(subject))
    }

    /// After a span without a word the room is asked whether it still knows one (XEP-0410 §3).
    private func watchSilence(_ core: RoomCore) {
        let heard = core.state.withLock { $0.heard }
        cancel(core, \.silenceTimer)
        let timer = configuration.clock.schedule(after: configuration.roomSilence) { [weak self, weak core] in
            guard let core else { return }
            self?.assumeIsolated { session in
                guard core.isIn else { return }
                session.watchSilence(core)
                if core.state.withLock({ $0.heard == heard }) { session.steer(core, .doubt) }
            }
        }
        core.state.withLock { $0.silenceTimer = timer }
    }
}

// MARK: Streams

extension XMPPSession {
    func roomsWentOnline(_ own: JID, isResumed: Bool) {
        guard roomBook.isActive else { return }
        if !isResumed { roomBook.streamBegan() }
        for core in roomBook.all {
            if !isResumed { core.state.withLock { $0.holdsTurn = false } }
            steer(core, .online(own: own, isResumed: isResumed))
        }
    }

    func roomsWentOffline() {
        guard roomBook.isActive else { return }
        for core in roomBook.all { steer(core, .offline) }
    }

    func roomsEnded() {
        guard roomBook.isActive else { return }
        for core in roomBook.all { steer(core, .ended) }
        roomBook.streamBegan()
    }
}
