// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// What was sent by the application and not yet taken by the session: serialised on the caller's thread, without a hop.
///
/// Owner of the state: its lock.
final class SendQueue: Sendable {
    typealias Entry = UnacknowledgedQueue.Entry

    /// Whether stanzas are taken from the application.
    enum Phase {
        /// The session was never connected, or is over.
        case closed(XMPPError)
        /// The session is online, or will be.
        case open
    }

    enum Stage: Sendable { case written, acknowledged }

    private struct Waiter {
        var number: UInt64
        var sequence: UInt64
        var stage: Stage
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var phase: Phase
        var writer = XMLWriter()
        var entries: [Entry] = []
        var nextSequence: UInt64 = 1
        var written: UInt64 = 0
        var acknowledged: UInt64 = 0
        var acknowledges = false
        var failures: [UInt64: XMPPError] = [:]
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 1
        var room: [CheckedContinuation<Void, Never>] = []
        /// The store has messages that go first.
        var refusesMessages = false
        /// How often messages were taken back.
        var takenBack = 0
    }

    /// Above that, senders wait.
    static let highWater = 256 * 1024

    private let state: Locked<State>
    private let wake: @Sendable () -> Void

    init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
        state = Locked(State(phase: .closed(XMPPError(.notConnected, "the session is not connected; call connect()"))))
    }

    // MARK: the side of the application

    /// Serialises a stanza at the end of the queue; gives its sequence number and whether the queue is over its mark.
    @inline(__always)
    func append(
        _ kind: SentStanza.Kind, id: String?, _ write: (inout XMLWriter) throws(XMLError) -> Void
    ) throws(XMPPError) -> (sequence: UInt64, isFull: Bool) {
        let (sequence, wasEmpty, isFull) = try state.withLock { state throws(XMPPError) -> (UInt64, Bool, Bool) in
            if case .closed(let error) = state.phase { throw error }
            if state.refusesMessages, kind == .message { throw Self.refusal }
            let start = state.writer.count
            do throws(XMLError) { try write(&state.writer) } catch {
                state.writer.truncate(to: start)
                throw XMPPError(
                    .unsendableText, "the text holds a character that XML cannot carry; it was not sent",
                    underlying: error)
            }
            let wasEmpty = state.entries.isEmpty
            let sequence = state.nextSequence
            state.nextSequence &+= 1
            let count = state.writer.count
            state.entries.append(Entry(sequence: sequence, byteCount: count - start, kind: kind, id: id))
            return (sequence, wasEmpty, count > Self.highWater)
        }
        if wasEmpty { wake() }
        return (sequence, isFull)
    }

    /// Waits until the queue is below its mark again, or the session is over.
    nonisolated(nonsending) func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if case .open = state.phase, state.writer.count > Self.highWater {
                    state.room.append(continuation)
                    return false
                }
                return true
            }
            if isReady { continuation.resume() }
        }
    }

    /// Waits for a stage of a stanza's life.
    ///
    /// Cancelling ends the wait, not the stanza.
    nonisolated(nonsending) func wait(for stage: Stage, of sequence: UInt64) async throws {
        let number = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if let done = Self.outcome(state, stage, sequence) { return done }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.append(
                        Waiter(number: number, sequence: sequence, stage: stage, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private static func outcome(_ state: State, _ stage: Stage, _ sequence: UInt64) -> Result<Void, any Error>? {
        if let failure = state.failures[sequence] { return .failure(failure) }
        switch stage {
        case .written: if sequence <= state.written { return .success(()) }
        case .acknowledged:
            if sequence <= state.acknowledged { return .success(()) }
            if sequence <= state.written, !state.acknowledges {
                return .failure(
                    XMPPError(.notSupported, "this server does not acknowledge what it is sent (XEP-0198)"))
            }
        }
        if case .closed(let error) = state.phase { return .failure(error) }
        return nil
    }

    // MARK: the side of the session, on its thread

    /// Moves everything that waits into `bytes` and `entries`, which must be empty; at most `limit` stanzas.
    func take(_ writer: inout XMLWriter, _ entries: inout [Entry]) -> Bool {
        let (isTaken, room) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
            guard !state.entries.isEmpty else { return (false, []) }
            swap(&state.writer, &writer)
            swap(&state.entries, &entries)
            defer { state.room = [] }
            return (true, state.room)
        }
        for sender in room { sender.resume() }
        return isTaken
    }

    /// Moves everything up to the `limit`th message, that one included, into `bytes` and `entries`, which must be empty.
    func take(messages limit: Int, _ writer: inout XMLWriter, _ entries: inout [Entry]) -> Bool {
        let isTaken = state.withLock { state -> Bool in
            guard !state.entries.isEmpty else { return false }
            var (count, messages, split) = (0, 0, state.writer.bytes.startIndex)
            while count < state.entries.count, messages < limit {
                split += state.entries[count].byteCount
                if state.entries[count].kind == .message { messages += 1 }
                count += 1
            }
            writer.raw(state.writer.bytes[..<split])
            entries += state.entries[..<count]
            var rest = XMLWriter()
            rest.raw(state.writer.bytes[split...])
            state.writer = rest
            state.entries.removeFirst(count)
            return true
        }
        return isTaken
    }

    /// Takes the messages out that wait, and refuses more until ``acceptMessages()``.
    func takeMessagesBack() -> [Entry] {
        let (taken, room) = state.withLock { state -> ([Entry], [CheckedContinuation<Void, Never>]) in
            state.refusesMessages = true
            state.takenBack += 1
            var taken: [Entry] = []
            var kept = (writer: XMLWriter(), entries: [Entry]())
            var offset = state.writer.bytes.startIndex
            for entry in state.entries {
                let end = offset + entry.byteCount
                if entry.kind == .message {
                    taken.append(entry)
                } else {
                    kept.writer.raw(state.writer.bytes[offset..<end])
                    kept.entries.append(entry)
                }
                offset = end
            }
            guard !taken.isEmpty else { return ([], []) }
            (state.writer, state.entries) = kept
            defer { state.room = [] }
            return (taken, state.room)
        }
        for sender in room { sender.resume() }
        return taken
    }

    func acceptMessages() -> Int {
        state.withLock { state in
            state.refusesMessages = false
            return state.takenBack
        }
    }

    private static var refusal: XMPPError {
        XMPPError(.notConnected, "messages of a lost stream go first; try again", isRetryable: true)
    }

    var isOverHighWater: Bool { state.withLock { $0.writer.count > Self.highWater } }
    /// Whether anybody waits to hear what became of a stanza.
    var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }
    var nextSequence: UInt64 { state.withLock { $0.nextSequence } }

    func open() { state.withLock { $0.phase = .open } }

    func continueFrom(_ sequence: UInt64) {
        state.withLock { state in
            state.nextSequence = max(state.nextSequence, sequence)
            state.written = max(state.written, max(sequence, 1) - 1)
        }
    }

    /// Whether acknowledgements will come on this stream.
    func acknowledges(_ does: Bool) {
        settle { $0.acknowledges = does }
    }

    func wrote(through sequence: UInt64) {
        settle { $0.written = max($0.written, sequence) }
    }

    func acknowledged(through sequence: UInt64) {
        settle { $0.acknowledged = max($0.acknowledged, sequence) }
    }

    /// These stanzas will not be delivered.
    func fail(_ sequences: [UInt64], _ error: XMPPError) {
        settle { state in
            for sequence in sequences { state.failures[sequence] = error }
            if state.failures.count > 4096 { state.failures = state.failures.filter { $0.key > state.acknowledged } }
        }
    }

    /// Takes nothing more; what waits is dropped, and everybody who waits hears why.
    func close(_ error: XMPPError) {
        let room = state.withLock { state in
            state.phase = .closed(error)
            state.entries = []
            state.writer.removeAll()
            defer { state.room = [] }
            return state.room
        }
        for sender in room { sender.resume() }
        settle { _ in }
    }

    private func settle(_ change: (inout State) -> Void) {
        let ready = state.withLock { state -> [(Waiter, Result<Void, any Error>)] in
            change(&state)
            guard !state.waiters.isEmpty else { return [] }
            var ready: [(Waiter, Result<Void, any Error>)] = []
            let waiters = state.waiters
            state.waiters = []
            for waiter in waiters {
                if let outcome = Self.outcome(state, waiter.stage, waiter.sequence) {
                    ready.append((waiter, outcome))
                } else {
                    state.waiters.append(waiter)
                }
            }
            return ready
        }
        for (waiter, outcome) in ready { waiter.continuation.resume(with: outcome) }
    }
}

/// Follows one stanza that was sent: queued, then written, then acknowledged by the server, or failed.
///
/// It costs nothing to make and to drop.
public struct SendTicket: Sendable {
    /// The stanza's place among all stanzas of this session.
    public let sequence: UInt64
    let queue: SendQueue

    /// Returns when the stanza was given to the network.
    ///
    /// Throws ``XMPPError`` when it never will be, and `CancellationError` when the task is cancelled; the stanza goes
    /// on.
    public func written() async throws { try await queue.wait(for: .written, of: sequence) }

    /// Returns when the server took responsibility for the stanza (XEP-0198 §4).
    ///
    /// Lives through reconnects. Throws ``XMPPError`` when the stanza is given up or the server does not acknowledge,
    /// and `CancellationError` when the task is cancelled; the stanza goes on.
    public func acknowledged() async throws { try await queue.wait(for: .acknowledged, of: sequence) }
}
