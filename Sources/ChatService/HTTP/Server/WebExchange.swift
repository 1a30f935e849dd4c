// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// One request on its way through the server.
///
/// Steps are taken on the server's thread; the answer comes from a task, and whoever is first to give one wins.
final class WebExchange: Sendable {
    enum Phase: Sendable {
        /// The head has come.
        case fresh
        /// The body is coming.
        case reading(limit: Int, answer: @Sendable ([UInt8]) async -> WebReply)
        /// The body is coming, and goes to a file.
        case saving(limit: Int, file: ReceivedFile, answer: @Sendable () async -> WebReply)
        /// The answer is being made, and the connection is suspended.
        case working
        /// The answer was handed to the library.
        case answered
    }

    struct State: Sendable {
        var phase = Phase.fresh
        var body: [UInt8] = []
        /// Bytes of the body that were more than allowed, and thrown away.
        var excess = 0
        var reply: WebReply?
        var suspended: WebConnectionHandle?
        var task: Task<Void, Never>?
        var feed: EventFeed?
    }

    /// The request's target as it came.
    let target: [UInt8]
    let state = Locked(State())

    init(target: [UInt8]) { self.target = target }

    /// Gives the answer, unless there is one already, and wakes the connection.
    func finish(_ reply: WebReply) {
        let connection = state.withLock { state -> WebConnectionHandle? in
            guard state.reply == nil, case .working = state.phase else { return nil }
            state.reply = reply
            defer { state.suspended = nil }
            return state.suspended
        }
        connection?.resume()
    }

    /// The request is over, whatever became of it.
    func completed() {
        let (task, feed) = state.withLock { ($0.task, $0.feed) }
        task?.cancel()
        feed?.close()
    }
}
