// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// A room of one's session (XEP-0045): who is in it, what happens there, and what one can do.
///
/// ```swift
/// let room = try await session.rooms.join(JID("tearoom@rooms.example.org"), as: "Ann")
/// try await room.send("Good morning")
/// for await event in room.events() {
///     if case .message(let message) = event, let text = message.body { print(message.nickname ?? "", text) }
/// }
/// ```
///
/// A value that stands for the room: copies are the same room. What it shows is what the room last said, and changes while
/// one looks; ``events()`` tells of each change. The session comes back into the room by itself after a loss, as long as
/// ``state`` does not say that one has left. All calls throw ``XMPPError``: with a ``StanzaError`` when the room refuses,
/// `timedOut` when it does not answer within 30 seconds. Cancelling ends the wait, not what was asked for.
public struct Room: Sendable {
    let core: RoomCore
    let session: XMPPSession

    /// The address of the room.
    public var address: JID { core.room }
    /// Where one stands with the room.
    public var state: RoomState { core.state.withLock { $0.machine.state } }
    /// One's nickname, as the room has it; nil before one went in.
    public var nickname: String? { core.state.withLock { $0.machine.address }?.resource }
    /// One's address in the room.
    public var ownAddress: JID? { core.state.withLock { $0.machine.address } }
    /// Oneself as the others see one; nil while one is not in.
    public var me: RoomOccupant? { core.state.withLock { $0.machine.isIn ? $0.machine.me : nil } }
    /// What is talked about; nil as long as the room has not said so.
    public var subject: RoomSubject? { core.state.withLock { $0.machine.subject } }
    /// What the room said when one came in, as that it is logged; see ``RoomStatus/isWarning``.
    public var notices: [RoomStatus] { core.state.withLock { $0.machine.notices } }
    /// What the room says about itself; nil when it does not.
    public var information: RoomInformation? { core.state.withLock { $0.information } }

    /// Everybody who is in the room, oneself among them, in no order.
    ///
    /// Complete once one is in. Of a very large room 10 000 are kept; ``occupantCount`` has them all.
    public var occupants: [RoomOccupant] { core.state.withLock { Array($0.machine.occupants.values) } }
    /// How many are in the room.
    public var occupantCount: Int { core.state.withLock { $0.machine.occupants.count + $0.machine.leftOut } }
    /// The occupant of that nickname.
    public func occupant(_ nickname: String) -> RoomOccupant? {
        guard let address = address.occupant(nickname: nickname) else { return nil }
        return core.state.withLock { $0.machine.occupants[address] }
    }

    /// What happens in the room from now on, until one has left it.
    ///
    /// Each call gives events of its own. The first after going in has everything since then, if it comes before 256 events
    /// have happened. A sequence that nobody reads stops the session in the end: let it go when it is not needed.
    public func events() -> RoomEvents { core.subscribe() }

    /// The archive of the room (XEP-0313); ``RoomInformation/hasArchive`` says whether there is one.
    ///
    /// Real addresses in what it gives may be forged by whoever wrote the message, unless the room is known to take them out:
    /// believe only those of ``occupants`` (T107).
    public var archive: MessageArchive { session.archive(of: address) }
}

extension Room: Hashable {
    /// Whether both are the same room of the same session.
    public static func == (left: Room, right: Room) -> Bool { left.core === right.core }
    /// Feeds the identity into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(core)) }
}

extension Room {
    /// Goes into the room; returns when everybody who is there is known (XEP-0045 §7.2).
    ///
    /// A room that does not exist is not made, also where the service makes rooms for whoever comes: that is taken back at once
    /// (§10.1.2), and the refusal is ``RoomRefusal/notFound``; ``RoomService/create(_:as:_:)`` makes rooms. From then on the
    /// session comes back by itself after a loss, until one leaves or is put out by somebody. Waits up to 60 seconds. Throws
    /// ``XMPPError/Code/roomRefused`` when the room does not let one in, with ``XMPPError/roomRefusal`` and nothing changed: ask
    /// for another nickname or a password, or try again. Cancelling goes out again.
    /// - Parameters:
    ///   - nickname: The nickname that one wants; the room may give another one.
    ///   - password: The password, where one is needed.
    ///   - history: How much of what was said before is wanted. Defaults to what the room sends by itself.
    public func join(as nickname: String, password: String? = nil, history: RoomHistory = .standard) async throws {
        try await join(as: nickname, password: password, history: history, creation: nil)
    }

    /// `creation` is nil where no room is to be made.
    func join(
        as nickname: String, password: String?, history: RoomHistory, creation: RoomCore.Creation?
    ) async throws {
        let wish = RoomStateMachine.Wish(
            try address(of: nickname), password: password, history: history, persists: false,
            mayCreate: creation != nil)
        try await session.enter(core, wish, creation ?? .instant)
    }

    func address(of nickname: String) throws -> JID {
        do { return try address.with(resource: nickname) } catch {
            throw XMPPError(.invalidAddress, "“\(nickname)” is no nickname: \(error)", underlying: error)
        }
    }

    /// Goes out of the room; returns when the room has said so, or after 10 seconds (XEP-0045 §7.14).
    ///
    /// All ``events()`` end. Somebody who is not in the room leaves at once.
    /// - Parameter farewell: What the others are told.
    public func leave(_ farewell: String? = nil) async { await session.leave(core, farewell) }

    /// Asks the room for another nickname; returns the one that it gave (XEP-0045 §7.6).
    ///
    /// Throws ``XMPPError/Code/roomRefused`` when the old one stays.
    @discardableResult
    public func changeNickname(to nickname: String) async throws -> String {
        let new = try await session.rename(core, to: try address(of: nickname))
        return new.resource ?? nickname
    }

    /// Asks the room whether one is still in it (XEP-0410); if not, the session goes in again.
    @discardableResult
    public func check() async throws -> SelfPing { try await session.check(core) }
}

extension XMPPSession {
    func enter(_ core: RoomCore, _ wish: RoomStateMachine.Wish, _ creation: RoomCore.Creation) async throws {
        guard isOnline else { throw XMPPError(.notConnected, "the session is not online", isRetryable: true) }
        let (state, current) = core.state.withLock { ($0.machine.state, $0.machine.address) }
        if state == .joined, core.state.withLock({ !$0.machine.isLeaving }) {
            if current != wish.address { _ = try await rename(core, to: wish.address) }
            return
        }
        core.state.withLock { $0.creation = creation }
        let number = core.state.withLock { state in
            state.lastJoiner += 1
            return state.lastJoiner
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                core.state.withLock { $0.joiners[number] = continuation }
                // Whoever is on the way already needs no second presence.
                if state == .joining, current == wish.address { return }
                steer(core, .wants(wish))
            }
        } onCancel: {
            loop.execute { [weak self] in self?.assumeIsolated { $0.cancelJoin(core, number) } }
        }
    }

    private func cancelJoin(_ core: RoomCore, _ number: Int) {
        let (joiner, isLast) = core.state.withLock { state in
            let joiner = state.joiners.removeValue(forKey: number)
            return (joiner, state.joiners.isEmpty)
        }
        guard let joiner else { return }
        joiner.resume(throwing: CancellationError())
        if isLast { steer(core, .leave) }
    }

    func leave(_ core: RoomCore, _ farewell: String?) async {
        core.state.withLock { $0.farewell = farewell }
        await withCheckedContinuation { continuation in
            core.state.withLock { $0.leavers.append(continuation) }
            steer(core, .leave)
            // Out already: nobody will say so.
            let isOver = core.state.withLock { !$0.machine.isLeaving }
            guard isOver else { return }
            let leavers = core.state.withLock { state in
                defer { state.leavers = [] }
                return state.leavers
            }
            for leaver in leavers { leaver.resume() }
        }
    }

    func rename(_ core: RoomCore, to address: JID) async throws -> JID {
        guard core.isIn else { throw XMPPError.notIn(core.room) }
        guard core.state.withLock({ $0.renamer == nil }) else {
            throw XMPPError(.invalidArgument, "a change of the nickname is under way already")
        }
        let id = configuration.randomness.token()
        return try await withCheckedThrowingContinuation { continuation in
            core.state.withLock { $0.renamer = continuation }
            steer(core, .wantsNickname(address, id: id))
        }
    }

    func check(_ core: RoomCore) async throws -> SelfPing {
        guard let address = core.state.withLock({ $0.machine.isIn ? $0.machine.address : nil }) else {
            throw XMPPError.notIn(core.room)
        }
        let answer = await selfPing(address)
        steer(core, .pinged(answer))
        return answer
    }
}
