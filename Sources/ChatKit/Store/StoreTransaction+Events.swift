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
        try connection.run(
            "INSERT INTO event (account, time, kind, jid, message, detail) VALUES (?, ?, ?, ?, ?, ?)",
            account, now, kind.rawValue, jid, message, detail)
        changes.events = true
    }

    /// The most rows that the event log keeps; older ones go when the profile is opened.
    static let maximumEvents: Int64 = 200_000

    func pruneEvents() throws {
        try connection.run(
            "DELETE FROM event WHERE cursor <= (SELECT max(cursor) FROM event) - ?", Self.maximumEvents)
    }
}
