// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
internal import XMPP

extension ChatCore {
    /// A part of a conversation, with what is next to it.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - place: Which part.
    ///   - limit: At most so many messages, no more than ``maximumPage``. Defaults to 50.
    /// - Throws: ``ChatError``: `unknownConversation`; `unknownMessage` for a place that is not in it.
    public func timeline(
        _ conversation: Conversation.ID, at place: TimelinePlace = .newest, limit: Int = 50
    ) async throws(ChatError) -> TimelinePage {
        let limit = min(max(limit, 1), Self.maximumPage)
        do {
            var page = try await store.read {
                try Queries.timeline($0, conversation.rawValue, place, limit: limit)
            }
            if let first = page.messages.first, let last = page.messages.last {
                page.activities = roomActivities.lines(
                    in: first.peer, account: first.account, from: page.hasOlder ? first.position : .min,
                    through: page.hasNewer ? last.position : .max)
            }
            return page
        } catch {
            throw ChatError(error)
        }
    }

    /// A conversation from a message on to its end, and every change of it.
    ///
    /// What is inserted later never pushes out what was there: the first message that was given stays the beginning. It holds
    /// at most the newest 2000 messages.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - first: Where to begin; nil begins `limit` messages before the end.
    ///   - limit: Defaults to 50.
    public nonisolated func timelineUpdates(
        _ conversation: Conversation.ID, from first: ChatMessage.ID? = nil, limit: Int = 50
    ) -> LiveQuery<ChatMessage> {
        let limit = min(max(limit, 1), Self.maximumPage)
        let start = Locked((id: Int64, sort: Int64)?.none)
        return LiveQuery(hub: store.hub) {
            $0.conversations.contains(conversation.rawValue)
        } fetch: { [store] in
            try await store.read { connection in
                var begin = start.withLock { $0 }
                if let known = begin {
                    // What is filled in before it may move it, and all behind it, further down.
                    let sort: Int64? = try connection.value(
                        "SELECT sort FROM message WHERE id = ? AND conversation = ?", known.id, conversation.rawValue)
                    if let sort { begin?.sort = sort }
                }
                let place =
                    try begin?.sort
                    ?? Queries.start(connection, conversation.rawValue, from: first?.rawValue, limit: limit)
                let rows = try Queries.tail(connection, conversation.rawValue, from: place, limit: 2000)
                // An empty conversation has no beginning yet.
                if let oldest = rows.first, begin == nil { begin = (oldest.id.rawValue, place) }
                let now = begin
                start.withLock { $0 = now }
                return rows
            }
        }
    }
}

extension Queries {
    static func timeline(
        _ connection: Connection, _ conversation: Int64, _ place: TimelinePlace, limit: Int
    ) throws -> TimelinePage {
        let readThrough: Int64?? = try connection.value(
            """
            SELECT (SELECT m.id FROM message m WHERE m.conversation = c.id AND m.sort <= c.read_sort
                ORDER BY m.sort DESC LIMIT 1) FROM conversation c WHERE c.id = ?
            """, conversation)
        guard let readThrough else {
            throw ChatError(.unknownConversation, "there is no conversation \(conversation)")
        }
        let messages = try page(connection, conversation, place, limit: limit)
        let hasNewer = try exists(connection, conversation, ">", messages.last?.position ?? .max)
        var beside: Int64?
        if case .before(let id) = place { beside = id.rawValue }
        return TimelinePage(
            messages: messages,
            hasOlder: try exists(connection, conversation, "<", messages.first?.position ?? .min), hasNewer: hasNewer,
            readThrough: readThrough.map { ChatMessage.ID(rawValue: $0) },
            gaps: try gaps(connection, conversation, messages, beside: beside, isEnd: !hasNewer && beside == nil))
    }

    private static func page(
        _ connection: Connection, _ conversation: Int64, _ place: TimelinePlace, limit: Int
    ) throws -> [ChatMessage] {
        func known(_ id: ChatMessage.ID) throws -> Int64 {
            let found: Int64? = try connection.value(
                "SELECT id FROM message WHERE id = ? AND conversation = ?", id.rawValue, conversation)
            guard let found else { throw ChatError(.unknownMessage, "there is no message \(id) in this conversation") }
            return found
        }
        switch place {
        case .newest:
            return try page(connection, conversation: conversation, before: nil, after: nil, limit: limit)
        case .before(let id):
            return try page(connection, conversation: conversation, before: try known(id), after: nil, limit: limit)
        case .after(let id):
            return try page(connection, conversation: conversation, before: nil, after: try known(id), limit: limit)
        case .around(let id):
            let middle = try known(id)
            let rest = limit - 1
            let after = try page(
                connection, conversation: conversation, before: nil, after: middle, limit: rest - rest / 2)
            let before = try page(
                connection, conversation: conversation, before: middle, after: nil, limit: rest - after.count)
            guard let message = try message(connection, id: middle) else { return before + after }
            return before + [message] + after
        }
    }

    private static func exists(
        _ connection: Connection, _ conversation: Int64, _ relation: String, _ sort: Int64
    ) throws -> Bool {
        try connection.value(
            "SELECT EXISTS (SELECT 1 FROM message WHERE conversation = ? AND sort \(relation) ?)", conversation, sort)
            ?? false
    }

    /// The place at which a live part of a conversation begins.
    static func start(
        _ connection: Connection, _ conversation: Int64, from first: Int64?, limit: Int
    ) throws -> Int64 {
        if let first {
            let sort: Int64? = try connection.value(
                "SELECT sort FROM message WHERE id = ? AND conversation = ?", first, conversation)
            if let sort { return sort }
        }
        let sort: Int64?? = try connection.value(
            """
            SELECT min(sort) FROM
                (SELECT sort FROM message WHERE conversation = ? ORDER BY sort DESC LIMIT ?)
            """, conversation, limit)
        return (sort ?? nil) ?? .min
    }

    /// The newest messages from a place on.
    static func tail(
        _ connection: Connection, _ conversation: Int64, from sort: Int64, limit: Int
    ) throws -> [ChatMessage] {
        var reader = JIDReader()
        let rows = try connection.rows(
            """
            SELECT \(messageColumns) FROM \(messageTables)
            WHERE m.conversation = ? AND m.sort >= ? ORDER BY m.sort DESC, m.id DESC LIMIT ?
            """, conversation, sort, limit
        ) { try message($0, &reader) }
        return try complete(connection, rows.reversed())
    }
}
