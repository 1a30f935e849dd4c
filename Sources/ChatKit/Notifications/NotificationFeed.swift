// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport
internal import struct Foundation.Date

/// What a program that shows notifications has to do, as it happens; see ``ChatCore/notifications()``.
///
/// Owner of the decisions: the lock of its state.
public final class NotificationFeed: AsyncSequence, Sendable {
    /// One thing to do.
    public typealias Element = NotificationChange
    /// Nothing fails; the feed ends when the profile is closed.
    public typealias Failure = Never

    private struct State {
        var machine: NotificationStateMachine?
        var waiting: [NotificationChange] = []
        var focus: Conversation.ID?
    }

    private let core: ChatCore
    private let state = Locked(State())
    private let signal = ChangeSignal.Core()

    init(core: ChatCore) { self.core = core }

    /// The user looks at a conversation, of which nothing is told meanwhile, or at none.
    public func focus(on conversation: Conversation.ID?) {
        state.withLock { $0.focus = conversation }
        take(.focus(conversation))
    }

    /// Starts reading; one reader at a time.
    public func makeAsyncIterator() -> Iterator {
        let readers = Task { [self] in
            let rules = (try? await core.notificationRules()) ?? NotificationRules()
            state.withLock { state in
                var machine = NotificationStateMachine(rules: rules)
                _ = machine.take(.focus(state.focus), at: Date(milliseconds: core.store.now))
                state.machine = machine
            }
            let (lives, live) = AsyncStream.makeStream(of: Void.self)
            await withTaskGroup { group in
                group.addTask {
                    await self.readEvents { live.finish() }
                    live.finish()
                }
                // The first number is told when nothing that comes from then on is missed.
                group.addTask {
                    for await _ in lives {}
                    await self.readConversations()
                }
                group.addTask { await self.readRules() }
            }
            signal.finish()
        }
        return Iterator(feed: self, readers: readers)
    }

    /// The reader of one feed.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: NotificationFeed
        private let reading: Reading

        fileprivate init(feed: NotificationFeed, readers: Task<Void, Never>) {
            self.feed = feed
            reading = Reading(task: readers)
        }

        /// The next thing to do; nil when the task is cancelled or the profile is closed.
        public mutating func next() async -> NotificationChange? { await feed.next() }

        /// The next thing to do; nil when the task is cancelled or the profile is closed.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> NotificationChange? {
            await feed.next()
        }
    }

    /// Ends the readers with the iterator.
    private final class Reading: Sendable {
        private let task: Task<Void, Never>

        init(task: Task<Void, Never>) { self.task = task }

        deinit { task.cancel() }
    }

    private func next() async -> NotificationChange? {
        while true {
            let change = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
            if let change { return change }
            guard await signal.wait() else { return nil }
        }
    }

    private func take(_ event: NotificationStateMachine.Event) {
        let date = Date(milliseconds: core.store.now)
        state.withLock { state in
            guard let changes = state.machine?.take(event, at: date) else { return }
            for change in changes {
                state.waiting.removeAll { $0.isReplaced(by: change) }
                state.waiting.append(change)
            }
        }
        signal.set()
    }

    private func readEvents(_ isLiveNow: () -> Void) async {
        do throws(ChatError) {
            var isLive = false
            for try await event in core.events() {
                switch event.kind {
                case .live:
                    isLive = true
                    isLiveNow()
                case .message(let message) where isLive && message.direction == .incoming:
                    // A conversation that is gone by now has nothing to tell.
                    guard let conversation = try? await core.conversation(message.conversation) else { continue }
                    take(.message(message, conversation))
                case .messageChanged(let message): take(.changed(message))
                case .request(let request) where isLive: take(.request(request))
                case .requestRemoved(let id): take(.requestGone(id))
                default: break
                }
            }
        } catch {
            // The profile cannot be read: nothing can be told of it.
        }
    }

    private func readConversations() async {
        do throws(ChatError) {
            for try await changes in core.conversationUpdates() { take(.conversations(changes.rows)) }
        } catch {
            // As above.
        }
    }

    private func readRules() async {
        let wake = core.store.hub.subscribe { $0.accounts }
        while await wake.wait() {
            if let rules = try? await core.notificationRules() { take(.rules(rules)) }
        }
    }
}

extension NotificationChange {
    /// Whether this need not be done any more when something newer is to be done.
    func isReplaced(by newer: NotificationChange) -> Bool {
        switch (self, newer) {
        case (.badge, .badge): true
        case (.post(let old), .post(let new)): old.id == new.id
        case (.post(let old), .withdraw(let id)): old.id == id
        case (.withdraw(let old), .post(let new)): old == new.id
        default: false
        }
    }
}
