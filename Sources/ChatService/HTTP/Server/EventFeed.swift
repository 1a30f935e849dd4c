// SPDX-License-Identifier: Apache-2.0
import ApusCMicrohttpd
import ApusTransport

/// The bytes of one stream of events on their way to one browser, bounded.
///
/// One writer waits for room; notices of a few bytes go beside it. A reader that takes nothing for a while is told so by
/// a last event, and its stream ends.
package final class EventFeed: Sendable {
    /// Bytes that may wait for one reader.
    package static let limit = 256 * 1024
    /// What notices may add to that.
    private static let noticeLimit = 4096

    private struct State {
        var pending: [UInt8] = []
        var start = 0
        /// What the reader got since the beginning.
        var taken = 0
        var isEnded = false
        var connection: WebConnectionHandle?
        var isSuspended = false
        var isClosed = false
        var onClose: [@Sendable () -> Void] = []
        var writer: CheckedContinuation<Void, Never>?
        /// So little has to wait before the writer goes on.
        var wanted = 0

        var waiting: Int { pending.count - start }

        /// The writer, if it is to go on.
        mutating func takeWriter(isOver: Bool = false) -> CheckedContinuation<Void, Never>? {
            guard isOver || isEnded || waiting <= wanted else { return nil }
            defer { writer = nil }
            return writer
        }
    }

    private let state = Locked(State())
    private let limit: Int

    package init(limit: Int = EventFeed.limit) { self.limit = limit }

    /// Adds a notice; false when the stream has ended, or when so much waits that it ends.
    @discardableResult
    package func push(_ bytes: [UInt8]) -> Bool {
        let (taken, connection, writer) = state.withLock {
            state -> (Bool, WebConnectionHandle?, CheckedContinuation<Void, Never>?) in
            guard !state.isEnded else { return (false, nil, nil) }
            let fits = state.waiting + bytes.count <= limit + Self.noticeLimit
            if fits { state.pending += bytes } else { state.isEnded = true }
            return (fits, Self.wake(&state), fits ? nil : state.takeWriter())
        }
        connection?.resume()
        writer?.resume()
        return taken
    }

    /// Adds bytes as soon as the reader has taken enough of what waits for it; one writer at a time.
    ///
    /// False when the stream has ended, or when the reader took nothing for `patience`, which ends the stream with
    /// `last` behind what waits already. Something longer than the limit goes when nothing else waits.
    package func write(_ bytes: [UInt8], within patience: Duration, orEndWith last: [UInt8]) async -> Bool {
        while true {
            let (isDone, taken, connection) = state.withLock { state -> (Bool?, Int, WebConnectionHandle?) in
                guard !state.isEnded else { return (false, 0, nil) }
                guard state.waiting == 0 || state.waiting + bytes.count <= limit else { return (nil, state.taken, nil) }
                state.pending += bytes
                return (true, 0, Self.wake(&state))
            }
            connection?.resume()
            if let isDone { return isDone }
            await room(for: bytes.count, within: patience)
            if state.withLock({ !$0.isEnded && $0.taken == taken }) {
                end(with: last)
                return false
            }
        }
    }

    private func room(for count: Int, within patience: Duration) async {
        let timer = Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            state.withLock { $0.takeWriter(isOver: true) }?.resume()
        }
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.wanted = min(limit / 2, max(0, limit - count))
                state.writer = continuation
                return state.takeWriter()
            }?.resume()
        }
        timer.cancel()
    }

    /// Ends the stream after what waits and these bytes.
    package func end(with last: [UInt8] = []) {
        let (connection, writer) = state.withLock {
            state -> (WebConnectionHandle?, CheckedContinuation<Void, Never>?) in
            guard !state.isEnded else { return (nil, nil) }
            state.pending += last
            state.isEnded = true
            return (Self.wake(&state), state.takeWriter())
        }
        connection?.resume()
        writer?.resume()
    }

    /// Calls `body` once when nobody reads any more; at once when that is so already.
    package func whenClosed(_ body: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.onClose.append(body) }
            return state.isClosed
        }
        if isClosed { body() }
    }

    /// Says that nobody reads any more.
    package func close() {
        let (calls, writer) = state.withLock { state in
            state.isEnded = true
            state.isClosed = true
            defer { state.onClose = [] }
            return (state.onClose, state.takeWriter())
        }
        writer?.resume()
        for call in calls { call() }
    }

    /// What its reader has not got yet.
    package var waitingBytes: [UInt8] { state.withLock { Array($0.pending[$0.start...]) } }

    func attach(_ connection: WebConnectionHandle) {
        state.withLock { $0.connection = connection }
    }

    /// Called by the server's thread; suspends the connection when there is nothing, so that it does not spin.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (count, writer) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
            let count = min(state.waiting, buffer.count)
            if count > 0 {
                take(count, &state, into: buffer)
                return (count, state.takeWriter())
            }
            if state.isEnded { return (apus_http_end_of_stream(), nil) }
            state.isSuspended = true
            state.connection?.suspend()
            return (0, nil)
        }
        writer?.resume()
        return count
    }

    private func take(_ count: Int, _ state: inout State, into buffer: UnsafeMutableRawBufferPointer) {
        state.pending.withUnsafeBytes { pending in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: pending[state.start..<state.start + count]))
        }
        state.start += count
        state.taken += count
        if state.start == state.pending.count {
            (state.pending, state.start) = ([], 0)
        } else if state.start > limit {
            state.pending.removeFirst(state.start)
            state.start = 0
        }
    }

    private static func wake(_ state: inout State) -> WebConnectionHandle? {
        guard state.isSuspended else { return nil }
        state.isSuspended = false
        return state.connection
    }
}
