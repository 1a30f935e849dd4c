// SPDX-License-Identifier: Apache-2.0
public import Observation

/// A live list for the main thread: a view that reads ``rows`` is drawn again when they change.
///
/// The list is read and compared elsewhere; only what came out of that arrives on the main thread. It ends with this
/// object.
@MainActor
@Observable
public final class ListModel<Row: Identifiable & Hashable & Sendable> where Row.ID: Sendable {
    /// The list as it was last; empty before ``isLoaded``.
    public private(set) var rows: [Row] = []
    /// The list was read once.
    public private(set) var isLoaded = false
    /// Why the list is not kept up to date any more; nil while it is.
    public private(set) var error: ChatError?
    /// What was different in ``rows`` at the last change; for views that move rows instead of drawing all of them.
    @ObservationIgnored public private(set) var lastChanges: Changes<Row>?
    private let reading: Reading

    /// Follows a live query, such as ``ChatCore/conversationUpdates()``.
    public init(_ query: LiveQuery<Row>) {
        let reading = Reading()
        self.reading = reading
        reading.begin { [weak self] in
            do throws(ChatError) {
                for try await changes in query {
                    guard await Self.hand(changes, to: self) else { return }
                }
            } catch {
                await self?.fail(error)
            }
        }
    }

    /// Gives the changes to the model; false when that is gone.
    private static func hand(_ changes: Changes<Row>, to model: ListModel<Row>?) -> Bool {
        guard let model else { return false }
        model.lastChanges = changes
        model.rows = changes.rows
        model.isLoaded = true
        return true
    }

    private func fail(_ error: ChatError) { self.error = error }
}

/// A task that ends with its owner.
final class Reading: Sendable {
    private let task = TaskBox()

    /// Runs `body` away from the main thread.
    func begin(_ body: @escaping @concurrent @Sendable () async -> Void) { task.set(Task(operation: body)) }

    deinit { task.cancel() }
}
