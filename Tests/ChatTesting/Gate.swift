// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// A place where tasks wait until a test lets them on.
package final class Gate: Sendable {
    private struct State {
        var isOpen: Bool
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
        var watchers: [CheckedContinuation<Void, Never>] = []
        var cancelled: Set<Int> = []
        var next = 0
    }

    private let state: Locked<State>

    package init(isOpen: Bool) { state = Locked(State(isOpen: isOpen)) }

    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    package func close() { state.withLock { $0.isOpen = false } }

    /// Waits until the gate is open; false when the task was cancelled.
    package func pass() async -> Bool {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (result, watchers) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.contains(number) { return (false, []) }
                    if state.isOpen { return (true, []) }
                    state.waiters[number] = continuation
                    defer { state.watchers = [] }
                    return (nil, state.watchers)
                }
                if let result { continuation.resume(returning: result) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiters.removeValue(forKey: number)
            }
            waiter?.resume(returning: false)
        }
    }

    /// Waits until some task waits at the gate.
    package func waitForWaiter() async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                if state.waiters.isEmpty { state.watchers.append(continuation) }
                return !state.waiters.isEmpty
            }
            if isWaiting { continuation.resume() }
        }
    }
}
