// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Dispatch
import Glibc

/// Counts how often something was called, from any thread.
final class Counter: Sendable {
    private let count = Locked(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }

    /// Looks again and again, for a minute at most; false when it did not come true.
    static func waited(until isTrue: @escaping @Sendable () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<3000 where !isTrue() { poll(nil, 0, 20) }
                continuation.resume(returning: isTrue())
            }
        }
    }
}
