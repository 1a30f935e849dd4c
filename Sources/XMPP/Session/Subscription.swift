// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// One reader's own copy of a stream of values, complete from the moment it was taken.
///
/// Each call that gives a subscription gives another one. It holds up to 256 values; then the session stops reading
/// from the server until the reader catches up, so nothing is dropped and memory stays bounded. A subscription that
/// nobody reads therefore stops the session: let it go when it is not needed.
public struct Subscription<Value: Sendable>: AsyncSequence, Sendable {
    /// The values.
    public typealias Element = Value
    /// A stream ends by an error when its session does.
    public typealias Failure = XMPPError

    let token: SubscriptionToken<Value>

    /// Makes an iterator; iterators of one subscription share its values.
    public func makeAsyncIterator() -> Iterator { Iterator(token: token) }

    /// Walks over the values; takes whole batches, so most steps cost no lock.
    public struct Iterator: AsyncIteratorProtocol {
        let token: SubscriptionToken<Value>
        private var batch: [Value] = []
        private var index = 0

        init(token: SubscriptionToken<Value>) { self.token = token }

        /// Waits for the next value; nil after the task was cancelled or the session ended in good order.
        ///
        /// Throws the error that ended the session. Cancelling ends the wait at once.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(XMPPError) -> Value? {
            if index == batch.count {
                batch = []
                index = 0
                guard let next = try await token.buffer.next() else { return nil }
                batch = next
            }
            defer { index += 1 }
            return batch[index]
        }

        /// As ``next(isolation:)``.
        public mutating func next() async throws(XMPPError) -> Value? {
            try await next(isolation: nil)
        }
    }
}

/// Held by a subscription and its iterators; when the last goes, the session forgets the buffer.
final class SubscriptionToken<Value: Sendable>: Sendable {
    let buffer: SubscriptionBuffer<Value>
    private let onRelease: @Sendable (SubscriptionBuffer<Value>) -> Void

    init(buffer: SubscriptionBuffer<Value>, onRelease: @escaping @Sendable (SubscriptionBuffer<Value>) -> Void) {
        self.buffer = buffer
        self.onRelease = onRelease
    }

    deinit { onRelease(buffer) }
}

/// The values that one reader has not taken yet.
///
/// Owner of the state: its lock.
final class SubscriptionBuffer<Value: Sendable>: Sendable {
    private enum End { case finished, failed(XMPPError) }

    private struct State {
        var values: [Value] = []
        var reader: UnsafeContinuation<Result<[Value]?, XMPPError>, Never>?
        var end: End?
        var reportsRoom = false
    }

    static var capacity: Int { 256 }

    private let state = Locked(State())
    private let merge: (@Sendable (inout [Value], Value) -> Bool)?
    private let onRoom: @Sendable () -> Void

    /// `merge` replaces an older value that a new one makes pointless, and says whether it did.
    init(merge: (@Sendable (inout [Value], Value) -> Bool)?, onRoom: @escaping @Sendable () -> Void) {
        self.merge = merge
        self.onRoom = onRoom
    }

    /// Adds values; true when the buffer is full now.
    func publish(_ batch: [Value]) -> Bool {
        let (reader, isFull) = state.withLock {
            state -> (UnsafeContinuation<Result<[Value]?, XMPPError>, Never>?, Bool) in
            guard state.end == nil else { return (nil, false) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, false)
            }
            add(batch, to: &state.values)
            let isFull = state.values.count >= Self.capacity && merge == nil
            if isFull { state.reportsRoom = true }
            return (nil, isFull)
        }
        reader?.resume(returning: .success(batch))
        return isFull
    }

    private func add(_ batch: [Value], to values: inout [Value]) {
        if values.isEmpty {
            values = batch
        } else if let merge, values.count >= Self.capacity {
            for value in batch where !merge(&values, value) { values.append(value) }
        } else {
            values.append(contentsOf: batch)
        }
    }

    var isFull: Bool { state.withLock { $0.values.count >= Self.capacity } }

    func finish(_ error: XMPPError?) {
        let reader = state.withLock { state -> UnsafeContinuation<Result<[Value]?, XMPPError>, Never>? in
            guard state.end == nil else { return nil }
            state.end = error.map { .failed($0) } ?? .finished
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    }

    /// Takes everything there is, or waits for it.
    nonisolated(nonsending) func next() async throws(XMPPError) -> [Value]? {
        if let ready = take() { return try ready.get() }
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let ready = state.withLock { state -> Result<[Value]?, XMPPError>? in
                    if let ready = Self.ready(&state) { return ready }
                    // Cancelled before the reader is there to be woken.
                    if Task.isCancelled { return .success(nil) }
                    // A second reader at the same time would take the place of the first: it ends instead.
                    guard state.reader == nil else { return .success(nil) }
                    state.reader = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let reader = state.withLock { state -> UnsafeContinuation<Result<[Value]?, XMPPError>, Never>? in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: .success(nil))
        }
        return try result.get()
    }

    private func take() -> Result<[Value]?, XMPPError>? {
        let (ready, hasRoom) = state.withLock { state -> (Result<[Value]?, XMPPError>?, Bool) in
            let ready = Self.ready(&state)
            let hasRoom = state.reportsRoom && state.values.isEmpty
            if hasRoom { state.reportsRoom = false }
            return (ready, hasRoom)
        }
        if hasRoom { onRoom() }
        return ready
    }

    private static func ready(_ state: inout State) -> Result<[Value]?, XMPPError>? {
        if !state.values.isEmpty {
            let values = state.values
            state.values = []
            return .success(values)
        }
        switch state.end {
        case nil: return nil
        case .finished: return .success(nil)
        case .failed(let error): return .failure(error)
        }
    }
}

/// The buffers of one stream of values.
final class Publisher<Value: Sendable>: Sendable {
    private let state = Locked<[SubscriptionBuffer<Value>]>([])
    private let merge: (@Sendable (inout [Value], Value) -> Bool)?
    private let onRoom: @Sendable () -> Void

    init(
        merge: (@Sendable (inout [Value], Value) -> Bool)? = nil, onRoom: @escaping @Sendable () -> Void = {}
    ) {
        self.merge = merge
        self.onRoom = onRoom
    }

    var isEmpty: Bool { state.withLock { $0.isEmpty } }

    /// Whether somebody has not caught up.
    var isAnyFull: Bool { state.withLock { $0 }.contains { $0.isFull } }

    func subscribe() -> Subscription<Value> {
        let buffer = SubscriptionBuffer<Value>(merge: merge, onRoom: onRoom)
        state.withLock { $0.append(buffer) }
        let token = SubscriptionToken(buffer: buffer) { [weak self] buffer in self?.forget(buffer) }
        return Subscription(token: token)
    }

    /// Gives the values to everybody; true when somebody's buffer is full now.
    func publish(_ batch: [Value]) -> Bool {
        let buffers = state.withLock { $0 }
        var isFull = false
        for buffer in buffers where buffer.publish(batch) { isFull = true }
        return isFull
    }

    /// Ends all subscriptions.
    ///
    /// One that is taken later belongs to the next connection, and has it from its beginning.
    func finish(_ error: XMPPError?) {
        let buffers = state.withLock { buffers in
            defer { buffers = [] }
            return buffers
        }
        for buffer in buffers { buffer.finish(error) }
    }

    private func forget(_ buffer: SubscriptionBuffer<Value>) {
        state.withLock { buffers in buffers.removeAll { $0 === buffer } }
        onRoom()
    }
}
