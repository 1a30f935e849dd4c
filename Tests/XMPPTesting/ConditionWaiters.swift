// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Those who wait for something that a test double will be told of; cancelling one, as a time limit does, ends its wait.
///
/// Owner of the list: its lock.
final class ConditionWaiters<Value: Sendable>: Sendable {
    private struct Waiter {
        var number: Int
        var condition: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var waiters: [Waiter] = []
        var numbers = 0
    }

    private let state = Locked(State())

    /// Returns when the condition holds, now or after a later ``notify(_:)``; `current` reads the present value.
    func wait(current: @Sendable () -> Value, until condition: @escaping @Sendable (Value) -> Bool) async {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.waiters.append(Waiter(number: number, condition: condition, continuation: continuation))
                }
                // Whoever changes the value from here on finds the waiter; what changed before is seen now.
                notify(current())
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Wakes those whose condition the value meets.
    func notify(_ value: Value) { wake { $0.condition(value) } }

    private func cancel(_ number: Int) { wake { $0.number == number } }

    private func wake(_ isReady: (Waiter) -> Bool) {
        let ready = state.withLock { state in
            let ready = state.waiters.filter(isReady)
            state.waiters.removeAll { waiter in ready.contains { $0.number == waiter.number } }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}
