// SPDX-License-Identifier: Apache-2.0
import ApusCMicrohttpd
import ApusTransport
import Dispatch
import Glibc

/// A connection of the HTTP library while one of its requests is answered.
// Unchecked: the library allows these two calls from any thread, and keeps a connection as long as it is suspended.
struct WebConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Only on the server's thread.
    func suspend() { MHD_suspend_connection(pointer) }
    func resume() { MHD_resume_connection(pointer) }
}

/// An accepted socket with the time by which it has to come on.
final class WebConnectionRecord: Sendable {
    private struct State {
        var socket: Int32?
        var deadline: UInt64?
    }

    private let state: Locked<State>

    init(socket: Int32, deadline: UInt64) {
        state = Locked(State(socket: socket, deadline: deadline))
    }

    /// Nil waits without end.
    func set(deadline: UInt64?) { state.withLock { $0.deadline = deadline } }

    /// The socket is about to be closed, and its number may become another one's.
    func closed() { state.withLock { $0.socket = nil } }

    /// Shuts the socket down when its time is over.
    func check(_ now: UInt64) {
        state.withLock { state in
            guard let socket = state.socket, let deadline = state.deadline, deadline < now else { return }
            state.deadline = nil
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

extension Duration {
    /// Nanoseconds for the deadlines of sockets; what is too long for them is as long as possible.
    var deadlineNanoseconds: UInt64 {
        let seconds = UInt64(max(components.seconds, 0))
        let rest = UInt64(max(components.attoseconds, 0)) / 1_000_000_000
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 2 : min(whole &+ rest, .max / 2)
    }
}
