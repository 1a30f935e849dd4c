// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport

/// Holds a task that was begun after its owner.
///
/// Its lock owns the state.
final class TaskBox: Sendable {
    private let task = Locked(Task<Void, Never>?.none)

    func set(_ new: Task<Void, Never>) { task.withLock { $0 = new } }

    func cancel() { task.withLock { $0?.cancel() } }
}
