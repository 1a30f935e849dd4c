// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport

extension ChatCore {
    /// So many parts of gaps are fetched for one page that has something to show.
    private static var rounds: Int { 3 }
    /// So long a page waits for the archive.
    private static var patience: Duration { .seconds(10) }

    /// A part of a conversation as ``timeline(_:at:limit:)`` gives it, where the archive is asked first for what is missing
    /// in it: the way back through a conversation goes on at the server where the profile ends.
    ///
    /// Waits up to 10 seconds for the archive; parts of it that have nothing to show, such as receipts alone, are passed over.
    /// What is still missing then, or while the account is offline, stays a gap of the page.
    ///
    /// - Throws: As ``timeline(_:at:limit:)``; that the archive does not answer is no error.
    public func loadTimeline(
        _ conversation: Conversation.ID, at place: TimelinePlace = .newest, limit: Int = 50
    ) async throws(ChatError) -> TimelinePage {
        var page = try await timeline(conversation, at: place, limit: limit)
        let (core, limit) = (self, min(max(limit, 1), Self.maximumPage))
        if case .after = place { return page }
        let end = ContinuousClock.now + Self.patience
        var rounds = 0
        // An empty page would look as if nothing had ever been said.
        while rounds < Self.rounds || page.messages.isEmpty {
            guard let gap = page.gapToFill(at: place, limit: limit), ContinuousClock.now < end else { break }
            rounds += 1
            let isFilled = await Self.first(before: end) {
                (try? await core.fillGap(gap.id, in: conversation, limit: max(limit, 50))) != nil
            }
            guard isFilled == true else { break }
            page = try await timeline(conversation, at: place, limit: limit)
        }
        return page
    }

    /// Fetches the part of a gap that lies next to what is here; gives whether something is still missing.
    ///
    /// - Parameters:
    ///   - gap: The gap, as a page of the timeline told it.
    ///   - conversation: Where it is.
    ///   - limit: At most so many messages. Defaults to 100.
    /// - Throws: ``ChatError``: `unknownConversation`, `notConnected`, `requestFailed` when the archive does not answer.
    @discardableResult
    public func fillGap(
        _ gap: TimelineGap.ID, in conversation: Conversation.ID, limit: Int = 100
    ) async throws(ChatError) -> Bool {
        let limit = min(max(limit, 1), Self.maximumPage)
        do {
            let account: Int64? = try await store.read {
                try $0.value("SELECT account FROM conversation WHERE id = ?", conversation.rawValue)
            }
            guard let account, let runner = runners.runner(row: account) else {
                throw ChatError(.unknownConversation, "there is no conversation \(conversation)")
            }
            return try await runner.fill(gap.rawValue, in: conversation.rawValue, limit: limit)
        } catch {
            throw ChatError(error)
        }
    }

    /// What a body gives, or nil when the time is over; the body goes on then.
    private static func first<Value: Sendable>(
        before end: ContinuousClock.Instant, _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (stream, continuation) = AsyncStream.makeStream(of: Value?.self)
        Task { continuation.yield(await body()) }
        let timer = Task {
            try? await Task.sleep(until: end, clock: .continuous)
            continuation.yield(nil)
        }
        defer { timer.cancel() }
        for await value in stream { return value }
        return nil
    }
}

extension TimelinePage {
    /// The gap that is to be filled before the page can be shown as it is; one at the edge of a full page can wait.
    func gapToFill(at place: TimelinePlace, limit: Int) -> TimelineGap? {
        let isFull = messages.count >= limit
        return gaps.last { gap in
            guard let before = gap.before else { return true }
            return before != messages.first?.id || !isFull
        }
    }
}
