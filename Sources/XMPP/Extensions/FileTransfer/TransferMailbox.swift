// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// News of a transfer for the one task that waits for them (XEP-0166 §5).
///
/// Owner of its state: its lock.
final class TransferMailbox<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiter: CheckedContinuation<Value, any Error>?
        var waits = 0
    }

    private let state = Locked(State())

    func post(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard let waiter = state.waiter else {
                // Nobody needs more of what one session can tell.
                if state.values.count < 64 { state.values.append(value) }
                return nil
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the next news; throws `timedOut` when none come in time, `CancellationError` when the task is cancelled.
    func next(within limit: Duration?, clock: any LoopClock) async throws -> Value {
        let number = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        let timer = limit.map { limit in
            clock.schedule(after: limit) { [weak self] in
                self?.fail(
                    number, XMPPError(.timedOut, "the other side did not answer within \(limit)", isRetryable: true))
            }
        }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ready = state.withLock { state -> Result<Value, any Error>? in
                    if !state.values.isEmpty { return .success(state.values.removeFirst()) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiter = continuation
                    return nil
                }
                if let ready { continuation.resume(with: ready) }
            }
        } onCancel: {
            fail(number, CancellationError())
        }
    }

    private func fail(_ number: Int, _ error: any Error) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard state.waits == number else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(throwing: error)
    }
}
