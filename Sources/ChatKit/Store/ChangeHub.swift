// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport

/// Tells every waiting reader that something it looks at has changed.
package final class ChangeHub: Sendable {
    private struct State {
        var next = 0
        var signals: [Int: Entry] = [:]
        var isClosed = false
    }

    private struct Entry {
        let concerns: @Sendable (StoreChanges) -> Bool
        let core: ChangeSignal.Core
    }

    private let state = Locked(State())

    package init() {}

    /// A signal that is set at first, and again whenever `concerns` is true of a change.
    package func subscribe(_ concerns: @escaping @Sendable (StoreChanges) -> Bool) -> ChangeSignal {
        let core = ChangeSignal.Core()
        let number = state.withLock { state in
            state.next += 1
            if state.isClosed { core.finish() }
            state.signals[state.next] = Entry(concerns: concerns, core: core)
            return state.next
        }
        return ChangeSignal(core: core) { [weak self] in
            _ = self?.state.withLock { $0.signals.removeValue(forKey: number) }
        }
    }

    package func publish(_ changes: StoreChanges) {
        if changes.isEmpty { return }
        let entries = state.withLock { Array($0.signals.values) }
        for entry in entries where entry.concerns(changes) { entry.core.set() }
    }

    /// Ends every wait, now and later.
    package func close() {
        let entries = state.withLock { state in
            state.isClosed = true
            return Array(state.signals.values)
        }
        for entry in entries { entry.core.finish() }
    }

    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// How many readers there are; for tests.
    package var count: Int { state.withLock { $0.signals.count } }
}

/// A flag with one waiter: set any number of times, taken once.
package final class ChangeSignal: Sendable {
    /// What the hub and the reader share.
    final class Core: Sendable {
        private struct State {
            var isSet = true
            var isFinished = false
            var waiter: CheckedContinuation<Bool, Never>?
        }

        private let state = Locked(State())

        func set() {
            let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let waiter = state.waiter else {
                    state.isSet = true
                    return nil
                }
                state.waiter = nil
                return waiter
            }
            waiter?.resume(returning: true)
        }

        func take() { state.withLock { $0.isSet = false } }

        func finish() {
            let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                state.isFinished = true
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: false)
        }

        func wait() async -> Bool {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let answer = state.withLock { state -> Bool? in
                        if state.isFinished { return false }
                        if state.isSet {
                            state.isSet = false
                            return true
                        }
                        state.waiter = continuation
                        return nil
                    }
                    if let answer { continuation.resume(returning: answer) }
                }
            } onCancel: {
                finish()
            }
        }
    }

    private let core: Core
    private let onRelease: @Sendable () -> Void

    init(core: Core, onRelease: @escaping @Sendable () -> Void) {
        self.core = core
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    /// Waits until the flag is set and takes it; false when the task is cancelled or the hub is closed.
    package func wait() async -> Bool { await core.wait() }

    /// Takes the flag without waiting.
    func take() { core.take() }
}
