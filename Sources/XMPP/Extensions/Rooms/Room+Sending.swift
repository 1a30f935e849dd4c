// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

/// A message of one's own on its way into a room.
public struct SentRoomMessage: Sendable {
    /// The identifier that it has; sent again with the same one, it is the same message.
    public let id: String
    /// What becomes of it on the way to one's own server.
    public let ticket: SendTicket
    let room: Room
}

extension Room {
    /// Says something to everybody (XEP-0045 §7.4).
    ///
    /// Waits only while more than 256 KiB wait to be written. That everybody has it, ``SentRoomMessage/reflection(within:)``
    /// tells. Throws ``XMPPError/Code/notInRoom`` while one is not in.
    @discardableResult
    public func send(_ text: String) async throws -> SentRoomMessage {
        try await send(Message(to: address, kind: .groupchat, body: text))
    }

    /// Says something to everybody, with what extensions add: a correction, a reaction, a file.
    ///
    /// Address and kind are set here, an identifier where it has none. Throws as ``send(_:)-(String)`` does.
    @discardableResult
    public func send(_ message: Message) async throws -> SentRoomMessage {
        guard core.isIn else { throw notInError }
        var message = message
        message.to = address
        message.kind = .groupchat
        let id = message.id ?? randomToken()
        message.id = id
        if message.originID == nil { message.originID = id }
        core.sending(id)
        do {
            return SentRoomMessage(id: id, ticket: try await session.send(message), room: self)
        } catch {
            core.settle(id, .failed(error))
            throw error
        }
    }

    /// Says something to one occupant (XEP-0045 §7.5).
    ///
    /// Nobody says whether it got there; an error comes as a message of kind ``Message/Kind/error``. Throws
    /// ``XMPPError/Code/notInRoom`` while one is not in.
    @discardableResult
    public func send(_ text: String, privatelyTo nickname: String) async throws -> SendTicket {
        guard let address = address.occupant(nickname: nickname) else {
            throw XMPPError(.invalidAddress, "“\(nickname)” is no nickname")
        }
        return try await send(Message(to: address, kind: .chat, body: text), privatelyTo: address)
    }

    /// Says something to one occupant, with what extensions add.
    @discardableResult
    public func send(_ message: Message, privatelyTo occupant: JID) async throws -> SendTicket {
        guard core.isIn else { throw notInError }
        guard occupant.isSameBare(as: address), !occupant.isBare else {
            throw XMPPError(.invalidArgument, "\(occupant) is nobody in \(address)")
        }
        var message = message
        message.to = occupant
        message.kind = .chat
        if message.id == nil { message.id = randomToken() }
        // §7.5: so that other devices of either side know what it is.
        if message.payload(RoomNames.user) == nil { message.append(Element(RoomNames.user)) }
        return try await session.send(message)
    }

    /// Sets what is talked about; an empty text takes it away (XEP-0045 §8.1).
    ///
    /// Waits until the room has told everybody. Throws ``XMPPError`` with a ``StanzaError`` when one may not, `timedOut` after
    /// 30 seconds.
    public func setSubject(_ text: String) async throws {
        guard core.isIn else { throw notInError }
        let id = randomToken()
        var message = Message(to: address, kind: .groupchat, id: id)
        message.subject = text
        core.sending(id)
        core.state.withLock { $0.subjectID = id }
        try await session.send(message)
        _ = try await core.outcome(of: id, within: .seconds(30), session)
    }

    var notInError: XMPPError {
        if case .left(let exit) = state { return .notIn(address, exit) }
        return .notIn(address)
    }
}

extension SentRoomMessage {
    /// Waits until the room has given the message to everybody, oneself among them (XEP-0045 §7.4).
    ///
    /// That one's own server took it does not say that the room did. When the room is silent, it is asked whether one is still
    /// in it, and its archive whether it has the message (T139). Throws ``XMPPError/Code/notReflected`` when it has not: send it
    /// again with the same identifier; and with a ``StanzaError`` when the room refused it, as for want of a voice.
    /// Cancelling ends the wait.
    /// - Parameter span: How long the room may take. Defaults to 30 seconds.
    @discardableResult
    public func reflection(within span: Duration = .seconds(30)) async throws -> RoomMessage {
        do {
            return try await room.core.outcome(of: id, within: span, room.session)
        } catch let error as XMPPError where error.code == .timedOut {
            let answer = try? await room.check()
            if answer == .joined, room.information?.hasArchive == true, let found = try await archived() {
                return found
            }
            throw XMPPError(
                .notReflected, "\(room.address) did not give the message to everybody", isRetryable: true,
                underlying: error)
        }
    }

    /// The message as the archive of the room has it, among the last 50.
    private func archived() async throws -> RoomMessage? {
        let page = try await room.archive.page(ArchiveFilter(), PageRequest(.last, limit: 50))
        let own = room.ownAddress
        for archived in page.messages where archived.message.id == id && archived.message.from == own {
            guard var facts = RoomMessageFacts(archived.message) else { continue }
            facts.roomDelay = archived.stamp
            return RoomMessage(
                archived.message, facts, origin: .reflection, occupant: room.me,
                namesAccounts: room.information?.namesAccounts ?? false)
        }
        return nil
    }
}

extension RoomCore {
    /// Waits for what becomes of a message of one's own.
    func outcome(of id: String, within span: Duration, _ session: XMPPSession) async throws -> RoomMessage {
        let number = state.withLock { state in
            state.lastJoiner += 1
            return state.lastJoiner
        }
        let timer = Locked<(any LoopTimer)?>(nil)
        defer { timer.withLock { $0 }?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Sent? in
                    guard case .underWay(var waiting) = state.sent[id] else {
                        return state.sent[id]
                            ?? .failed(XMPPError(.notReflected, "what became of the message is not known any more"))
                    }
                    if Task.isCancelled { return .failed(CancellationError()) }
                    waiting[number] = continuation
                    state.sent[id] = .underWay(waiting)
                    return nil
                }
                switch known {
                case .reflected(let message): continuation.resume(returning: message)
                case .failed(let error): continuation.resume(throwing: error)
                case .underWay, nil:
                    let late = XMPPError(.timedOut, "the room did not answer within \(span)", isRetryable: true)
                    let wait = session.configuration.clock.schedule(after: span) { [weak self] in
                        self?.giveUp(id, number, late)
                    }
                    timer.withLock { $0 = wait }
                }
            }
        } onCancel: {
            giveUp(id, number, CancellationError())
        }
    }

    private func giveUp(_ id: String, _ number: Int, _ error: any Error) {
        let waiter = state.withLock { state -> CheckedContinuation<RoomMessage, any Error>? in
            guard case .underWay(var waiting) = state.sent[id] else { return nil }
            defer { state.sent[id] = .underWay(waiting) }
            return waiting.removeValue(forKey: number)
        }
        waiter?.resume(throwing: error)
    }
}
