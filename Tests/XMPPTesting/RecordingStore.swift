// SPDX-License-Identifier: Apache-2.0
import ApusTransport
package import XMPP

/// A store in memory that keeps what a real one would, can fail and can be slow.
///
/// Owner of the state: its lock.
package final class RecordingStore: SessionStore {
    package struct Failure: Error, CustomStringConvertible {
        package init() {}
        package var description: String { "no space left on the device" }
    }

    private struct State {
        var stored: StoredSession?
        var commits: [SessionCommit] = []
        var attempts = 0
        var fails = false
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let watchers = ConditionWaiters<(Int, Int)>()

    package let takesMessagesBack: Bool
    private let permitsResuming = Locked(true)

    package init(_ stored: StoredSession? = nil, takesMessagesBack: Bool = false) {
        self.takesMessagesBack = takesMessagesBack
        state.withLock { $0.stored = stored }
    }

    /// Whether the stream of before may be resumed.
    package func permitResuming(_ permits: Bool) { permitsResuming.withLock { $0 = permits } }

    package func mayResume() async -> Bool { permitsResuming.withLock { $0 } }

    /// Whether commits fail.
    package var fails: Bool {
        get { state.withLock { $0.fails } }
        set { state.withLock { $0.fails = newValue } }
    }
    /// What a restart would find.
    package var stored: StoredSession? { state.withLock { $0.stored } }
    /// All commits that are durable.
    package var commits: [SessionCommit] { state.withLock { $0.commits } }

    package func load() async throws -> StoredSession? { stored }

    package func commit(_ commit: SessionCommit) async throws {
        state.withLock { $0.attempts += 1 }
        notify()
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        let fails = state.withLock { state in
            if !state.fails { Self.apply(commit, to: &state) }
            return state.fails
        }
        if fails { throw Failure() }
        notify()
    }

    private static func apply(_ commit: SessionCommit, to state: inout State) {
        var stored = state.stored ?? StoredSession(state: commit.state, unacknowledged: [])
        stored.state = commit.state
        if commit.givesBack != nil { stored.unacknowledged = [] }
        stored.unacknowledged += commit.sent
        if let sequence = commit.acknowledgedThrough { stored.unacknowledged.removeAll { $0.sequence <= sequence } }
        stored.unacknowledged.removeAll { commit.dropped[$0.sequence] != nil }
        state.stored = stored
        state.commits.append(commit)
    }

    /// Commits wait from now on.
    package func hold() { state.withLock { $0.isHeld = true } }

    /// Commits go on.
    package func release() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until so many commits were tried, and so many of them are durable.
    package func wait(attempts: Int = 0, commits: Int = 0) async {
        await watchers.wait {
            (self.attempts, self.commits.count)
        } until: {
            $0.0 >= attempts && $0.1 >= commits
        }
    }

    /// How many commits were tried.
    package var attempts: Int { state.withLock { $0.attempts } }

    private func notify() { watchers.notify((attempts, commits.count)) }
}
