// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// The events that one reader of a room has not taken yet, and the reader that waits for them.
///
/// Owner of the state: its lock.
final class RoomEventBuffer: Sendable {
    private struct State {
        var queue = RoomEventQueue()
        /// What was taken from the queue and not read yet, the next one last.
        var ready: [RoomEvent] = []
        var reader: UnsafeContinuation<RoomEvent?, Never>?
        var hasEnded = false
        var reportsRoom = false

        mutating func next() -> RoomEvent? {
            if ready.isEmpty, queue.count > 0 { ready = queue.take().reversed() }
            return ready.popLast()
        }
    }

    /// So many events that cannot become fewer may wait.
    static let capacity = 256

    private let state = Locked(State())
    private let onRoom: @Sendable () -> Void

    init(onRoom: @escaping @Sendable () -> Void) { self.onRoom = onRoom }

    /// Adds an event; true when the buffer is full now.
    func add(_ event: RoomEvent) -> Bool { add { $0.add(event) } }

    /// Adds what an occupant did.
    func add(_ change: OccupantChange) { _ = add { $0.occupant(change) } }

    private func add(_ change: (inout RoomEventQueue) -> Void) -> Bool {
        let (reader, event, isFull) = state.withLock {
            state -> (UnsafeContinuation<RoomEvent?, Never>?, RoomEvent?, Bool) in
            guard !state.hasEnded else { return (nil, nil, false) }
            change(&state.queue)
            if let reader = state.reader, let event = state.next() {
                state.reader = nil
                return (reader, event, false)
            }
            let isFull = state.queue.lasting >= Self.capacity
            if isFull { state.reportsRoom = true }
            return (nil, nil, isFull)
        }
        reader?.resume(returning: event)
        return isFull
    }

    var isFull: Bool { state.withLock { $0.queue.lasting >= Self.capacity } }

    /// Nothing comes any more.
    func finish() {
        let reader = state.withLock { state -> UnsafeContinuation<RoomEvent?, Never>? in
            state.hasEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// Takes the next event, or waits for it.
    nonisolated(nonsending) func next() async -> RoomEvent? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let (event, waits, hasRoom) = state.withLock { state -> (RoomEvent?, Bool, Bool) in
                    if let event = state.next() {
                        let hasRoom = state.reportsRoom && state.queue.count == 0
                        if hasRoom { state.reportsRoom = false }
                        return (event, false, hasRoom)
                    }
                    // Cancelled before the reader is there to be woken; or a second reader, which ends instead.
                    if state.hasEnded || Task.isCancelled || state.reader != nil { return (nil, false, false) }
                    state.reader = continuation
                    return (nil, true, false)
                }
                if hasRoom { onRoom() }
                if !waits { continuation.resume(returning: event) }
            }
        } onCancel: {
            let reader = state.withLock { state -> UnsafeContinuation<RoomEvent?, Never>? in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
