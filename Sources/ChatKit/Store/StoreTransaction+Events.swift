// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// What a row of the event log tells of.
enum EventKind: String {
    case message
    case messageChanged = "message-changed"
    case messageRemoved = "message-removed"
    case contact
    case contactRemoved = "contact-removed"
    case request
    case invitation
    case requestRemoved = "request-removed"
}

extension StoreTransaction {
    /// Adds a row to the event log.
    func record(
        _ kind: EventKind, account: Int64, jid: String? = nil, message: Int64? = nil, detail: String? = nil
    ) throws {
        changes.events = true
        if kind == .message, let message, gathered?.note(message, account: account) == true { return }
        try settleGathered()
        try connection.run(
            "INSERT INTO event (account, time, kind, jid, message, detail) VALUES (?, ?, ?, ?, ?, ?)",
            account, now, kind.rawValue, jid, message, detail)
        if connection.lastInsertedRow % Self.eventsBetweenPrunings == 0 { try pruneEvents() }
    }

    /// Adds a row for each of these new messages.
    func record(messages: [Int64], account: Int64) throws {
        if messages.isEmpty { return }
        try connection.run(
            "INSERT INTO event (account, time, kind, message) SELECT ?, ?, ?, value FROM json_each(?)", account, now,
            EventKind.message.rawValue, JSONText.array(messages))
        let last = connection.lastInsertedRow
        if last / Self.eventsBetweenPrunings != (last - Int64(messages.count)) / Self.eventsBetweenPrunings {
            try pruneEvents(atMost: max(Self.maximumPruned, 2 * Int64(messages.count)))
        }
    }

    /// The most rows that the event log keeps, or a few more; older ones go as new ones come.
    static let maximumEvents: Int64 = 200_000
    private static let eventsBetweenPrunings: Int64 = 256
    /// So many go at once at most, so that nobody waits for it.
    static let maximumPruned: Int64 = 4 * eventsBetweenPrunings

    func pruneEvents(atMost limit: Int64 = maximumPruned) throws {
        try connection.run(
            """
            DELETE FROM event WHERE cursor <= min((SELECT max(cursor) FROM event) - ?,
                (SELECT min(cursor) FROM event) + ?)
            """, Self.maximumEvents, limit)
    }
}
