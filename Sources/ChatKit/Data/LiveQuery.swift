// SPDX-License-Identifier: Apache-2.0

/// A list that is looked at again after every change that can concern it.
///
/// The first value holds the whole list; each later one what became different. A reader that is slow gets fewer and
/// larger differences, never old ones. Leaving the loop, or cancelling its task, ends the query.
public struct LiveQuery<Row: Identifiable & Hashable & Sendable>: AsyncSequence, Sendable where Row.ID: Sendable {
    /// One difference.
    public typealias Element = Changes<Row>
    /// Reading the database can fail.
    public typealias Failure = ChatError

    /// What one reader looks at, and how; it may remember what it has seen.
    package struct Look: Sendable {
        let concerns: @Sendable (StoreChanges) -> Bool
        let fetch: @Sendable () async throws -> [Row]

        package init(
            concerns: @escaping @Sendable (StoreChanges) -> Bool, fetch: @escaping @Sendable () async throws -> [Row]
        ) {
            self.concerns = concerns
            self.fetch = fetch
        }
    }

    private let hub: ChangeHub
    private let makeLook: @Sendable () -> Look

    package init(
        hub: ChangeHub, concerns: @escaping @Sendable (StoreChanges) -> Bool,
        fetch: @escaping @Sendable () async throws -> [Row]
    ) {
        self.init(hub: hub) { Look(concerns: concerns, fetch: fetch) }
    }

    package init(hub: ChangeHub, makeLook: @escaping @Sendable () -> Look) {
        self.hub = hub
        self.makeLook = makeLook
    }

    /// Starts looking; changes from this call on are not missed.
    public func makeAsyncIterator() -> Iterator {
        let look = makeLook()
        return Iterator(signal: hub.subscribe(look.concerns), hub: hub, fetch: look.fetch)
    }

    /// The reader of one live query.
    public struct Iterator: AsyncIteratorProtocol {
        private let signal: ChangeSignal
        private let hub: ChangeHub
        private let fetch: @Sendable () async throws -> [Row]
        private var rows: [Row]?
        /// Nobody looks again before this.
        private var rest: ContinuousClock.Instant?

        fileprivate init(signal: ChangeSignal, hub: ChangeHub, fetch: @escaping @Sendable () async throws -> [Row]) {
            self.signal = signal
            self.hub = hub
            self.fetch = fetch
        }

        /// The next difference, or nil when the task is cancelled or the core is closed.
        public mutating func next() async throws(ChatError) -> Changes<Row>? {
            try await look()
        }

        /// The next difference, or nil when the task is cancelled or the core is closed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ChatError) -> Changes<Row>? {
            try await look()
        }

        private mutating func look() async throws(ChatError) -> Changes<Row>? {
            while await signal.wait() {
                if let rest, rest > .now {
                    try? await Task.sleep(until: rest, clock: .continuous)
                    // What was changed meanwhile is seen now.
                    signal.take()
                }
                let start = ContinuousClock.now
                let now: [Row]
                do {
                    now = try await fetch()
                } catch {
                    if hub.isClosed { return nil }
                    throw ChatError(error)
                }
                guard let before = rows else {
                    rows = now
                    return Changes(from: [], to: now)
                }
                let changes = before == now ? nil : Changes(from: before, to: now)
                rows = now
                pause(after: start.duration(to: .now))
                if let changes { return changes }
            }
            return nil
        }

        /// A list that takes long to look at is looked at less often: a burst of changes becomes a few large differences.
        private mutating func pause(after cost: Duration) {
            rest = cost < .milliseconds(5) ? nil : .now + Swift.min(cost * 4, .milliseconds(250))
        }
    }
}
