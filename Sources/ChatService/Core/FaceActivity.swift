// SPDX-License-Identifier: Apache-2.0
package import ApusTransport

/// Decides whether somebody looks at the accounts of a service: while a face is attached, and for a while after the last
/// one has gone, so that short commands do not make the servers switch to and fro.
///
/// Owner of the state: its lock.
package final class FaceActivity: Sendable {
    private struct State {
        var count = 0
        var isActive = true
        var timer: (any LoopTimer)?
    }

    /// How long nobody must be attached for the accounts to become inactive.
    package static let grace = Duration.seconds(30)

    private let state = Locked(State())
    private let clock: any LoopClock
    private let tell: @Sendable (Bool) -> Void

    /// `tell` is called with each change, in order; it begins active, and nobody is attached.
    package init(clock: any LoopClock = EventLoop.shared, tell: @escaping @Sendable (Bool) -> Void) {
        self.clock = clock
        self.tell = tell
        waitForFaces()
    }

    /// So many faces are attached now.
    package func changed(to count: Int) {
        let (timer, wakes) = state.withLock { state -> ((any LoopTimer)?, Bool) in
            state.count = count
            guard count > 0 else { return (nil, false) }
            defer { (state.timer, state.isActive) = (nil, true) }
            return (state.timer, !state.isActive)
        }
        timer?.cancel()
        if wakes { tell(true) }
        if count == 0 { waitForFaces() }
    }

    private func waitForFaces() {
        let timer = clock.schedule(after: Self.grace) { [weak self] in self?.graceEnded() }
        let before = state.withLock { state in
            defer { state.timer = timer }
            return state.timer
        }
        before?.cancel()
    }

    private func graceEnded() {
        let falls = state.withLock { state in
            state.timer = nil
            guard state.count == 0, state.isActive else { return false }
            state.isActive = false
            return true
        }
        if falls { tell(false) }
    }
}
