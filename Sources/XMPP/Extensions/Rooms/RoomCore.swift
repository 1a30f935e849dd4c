// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// One room of one session: the machine that decides, who waits for it, and who watches.
///
/// Owner of the state: the session's thread, which alone changes the machine; the lock is for those who look at it from
/// elsewhere.
final class RoomCore: Sendable {
    /// What to do with a room that did not exist before.
    enum Creation: Sendable {
        /// Take it as it is.
        case instant
        /// Set it up like this before anybody else may come in.
        case reserved(RoomConfiguration)
    }

    /// What became of a message of one's own.
    enum Sent: Sendable {
        case underWay([Int: CheckedContinuation<RoomMessage, any Error>])
        case reflected(RoomMessage)
        case failed(any Error)
    }

    struct State {
        var machine: RoomStateMachine
        var buffers: [RoomEventBuffer] = []
        /// What happened since one went in, for the first who wants to know.
        var backlog: RoomEventBuffer?
        var joiners: [Int: CheckedContinuation<Void, any Error>] = [:]
        var leavers: [CheckedContinuation<Void, Never>] = []
        var renamer: CheckedContinuation<JID, any Error>?
        var lastJoiner = 0
        var creation = Creation.instant
        var isLocked = false
        var isSettling = false
        var farewell: String?
        var information: RoomInformation?
        var isAsking = false
        var holdsTurn = false
        var sent: [String: Sent] = [:]
        var sentOrder: [String] = []
        /// The change of the subject that is under way; not every room gives its identifier back.
        var subjectID: String?
        /// Counts what the room says, to notice silence.
        var heard: UInt64 = 0
        /// When something was said last.
        var lastWord: DateTime?
        var joinTimer: (any LoopTimer)?
        var retryTimer: (any LoopTimer)?
        var historyTimer: (any LoopTimer)?
        var silenceTimer: (any LoopTimer)?
        var nicknameTimer: (any LoopTimer)?
    }

    let room: JID
    let state: Locked<State>
    private let onRoom: @Sendable () -> Void
    /// So many messages of one's own are kept track of.
    static let sentCap = 256

    init(room: JID, machine: RoomStateMachine, onRoom: @escaping @Sendable () -> Void) {
        self.room = room
        self.onRoom = onRoom
        state = Locked(State(machine: machine))
    }

    var isIn: Bool { state.withLock { $0.machine.isIn } }
    var isAnyFull: Bool { state.withLock { $0.buffers }.contains { $0.isFull } }

    // MARK: Readers

    func subscribe() -> RoomEvents {
        let buffer = state.withLock { state in
            let buffer = state.backlog ?? RoomEventBuffer(onRoom: onRoom)
            state.backlog = nil
            state.buffers.append(buffer)
            return buffer
        }
        let token = RoomEventToken(buffer: buffer) { [weak self] buffer in self?.forget(buffer) }
        return RoomEvents(token: token)
    }

    private func forget(_ buffer: RoomEventBuffer) {
        state.withLock { state in state.buffers.removeAll { $0 === buffer } }
        onRoom()
    }

    /// From now on the first reader has everything, even when it comes a little later.
    func keepBacklog() {
        state.withLock { state in
            if state.buffers.isEmpty { state.backlog = RoomEventBuffer(onRoom: onRoom) }
        }
    }

    /// Gives an event to everybody; true when somebody's buffer is full now.
    func publish(_ event: @autoclosure () -> RoomEvent) -> Bool {
        let (buffers, backlog) = state.withLock { ($0.buffers, $0.backlog) }
        guard !buffers.isEmpty || backlog != nil else { return false }
        let event = event()
        var isFull = false
        for buffer in buffers where buffer.add(event) { isFull = true }
        // Nobody came for it.
        if let backlog, backlog.add(event) { state.withLock { $0.backlog = nil } }
        return isFull
    }

    func publish(_ change: OccupantChange) {
        let (buffers, backlog) = state.withLock { ($0.buffers, $0.backlog) }
        for buffer in buffers { buffer.add(change) }
        backlog?.add(change)
    }

    /// The stay is over.
    func finishReaders() {
        let buffers = state.withLock { state in
            defer {
                state.buffers = []
                state.backlog = nil
            }
            return state.buffers
        }
        for buffer in buffers { buffer.finish() }
    }

    // MARK: Messages of one's own

    func sending(_ id: String) {
        state.withLock { state in
            state.sent[id] = .underWay([:])
            state.sentOrder.append(id)
            guard state.sentOrder.count > Self.sentCap else { return }
            let oldest = state.sentOrder.removeFirst()
            guard case .underWay(let waiting) = state.sent[oldest], !waiting.isEmpty else {
                state.sent[oldest] = nil
                return
            }
            state.sentOrder.append(oldest)
        }
    }

    func settle(_ id: String, _ outcome: Sent) {
        let waiting = state.withLock { state -> [CheckedContinuation<RoomMessage, any Error>] in
            guard case .underWay(let waiting) = state.sent[id] else { return [] }
            state.sent[id] = outcome
            return Array(waiting.values)
        }
        for waiter in waiting {
            switch outcome {
            case .reflected(let message): waiter.resume(returning: message)
            case .failed(let error): waiter.resume(throwing: error)
            case .underWay: break
            }
        }
    }

    /// What is still under way will not be heard of.
    func failSent(_ error: XMPPError) {
        let open = state.withLock { state in
            state.sent.compactMap { id, sent in if case .underWay = sent { id } else { nil } }
        }
        for id in open { settle(id, .failed(error)) }
    }
}
