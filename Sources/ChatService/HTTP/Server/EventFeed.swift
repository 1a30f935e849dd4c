// SPDX-License-Identifier: Apache-2.0
import ApusCMicrohttpd
import ApusTransport

/// The bytes of one stream of events on their way to one browser, bounded.
///
/// The writer never waits. A reader that lags behind by more than the limit is told so by a last event, and its stream
/// ends.
package final class EventFeed: Sendable {
    /// Bytes that may wait for one reader.
    package static let limit = 256 * 1024

    private struct State {
        var pending: [UInt8] = []
        var start = 0
        var isEnded = false
        var connection: WebConnectionHandle?
        var isSuspended = false
        var isClosed = false
        var onClose: [@Sendable () -> Void] = []

        var waiting: Int { pending.count - start }
    }

    private let state = Locked(State())
    private let limit: Int

    package init(limit: Int = EventFeed.limit) { self.limit = limit }

    /// Adds bytes; false when the stream has ended, or when they are too many, which ends it with `last` behind what
    /// waits already.
    @discardableResult
    package func push(_ bytes: [UInt8], orEndWith last: [UInt8] = []) -> Bool {
        let (taken, connection) = state.withLock { state -> (Bool, WebConnectionHandle?) in
            guard !state.isEnded else { return (false, nil) }
            let fits = state.waiting + bytes.count <= limit
            state.pending += fits ? bytes : last
            if !fits { state.isEnded = true }
            return (fits, Self.wake(&state))
        }
        connection?.resume()
        return taken
    }

    /// Ends the stream after what waits and these bytes.
    package func end(with last: [UInt8] = []) {
        let connection = state.withLock { state -> WebConnectionHandle? in
            guard !state.isEnded else { return nil }
            state.pending += last
            state.isEnded = true
            return Self.wake(&state)
        }
        connection?.resume()
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
        let calls = state.withLock { state in
            state.isEnded = true
            state.isClosed = true
            defer { state.onClose = [] }
            return state.onClose
        }
        for call in calls { call() }
    }

    /// What its reader has not got yet.
    package var waitingBytes: [UInt8] { state.withLock { Array($0.pending[$0.start...]) } }

    func attach(_ connection: WebConnectionHandle) {
        state.withLock { $0.connection = connection }
    }

    /// Called by the server's thread; suspends the connection when there is nothing, so that it does not spin.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            let count = min(state.waiting, buffer.count)
            if count > 0 {
                state.pending.withUnsafeBytes { pending in
                    buffer.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: pending[state.start..<state.start + count]))
                }
                state.start += count
                if state.start == state.pending.count {
                    (state.pending, state.start) = ([], 0)
                } else if state.start > limit {
                    state.pending.removeFirst(state.start)
                    state.start = 0
                }
                return count
            }
            if state.isEnded { return apus_http_end_of_stream() }
            state.isSuspended = true
            state.connection?.suspend()
            return 0
        }
    }

    private static func wake(_ state: inout State) -> WebConnectionHandle? {
        guard state.isSuspended else { return nil }
        state.isSuspended = false
        return state.connection
    }
}
