// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP
internal import struct Foundation.Date

/// One row of the event log, before the things that it names are looked up.
struct EventRow: Sendable {
    let cursor: Int64
    let account: String
    let time: Int64
    let kind: String
    let jid: String?
    let message: Int64?
    let detail: String?
}

extension Queries {
    /// The next rows of the event log after a cursor.
    static func events(_ connection: Connection, after cursor: Int64, limit: Int) throws -> [EventRow] {
        try connection.rows(
            """
            SELECT e.cursor, a.jid, e.time, e.kind, e.jid, e.message, e.detail FROM event e JOIN account a ON a.id = e.account
            WHERE e.cursor > ? ORDER BY e.cursor LIMIT ?
            """, cursor, limit
        ) { row in
            EventRow(
                cursor: row.column(0), account: row.column(1), time: row.column(2), kind: row.column(3),
                jid: row.column(4), message: row.column(5), detail: row.column(6))
        }
    }

    /// The cursor of the newest row ever written, 0 when there is none.
    static func lastCursor(_ connection: Connection) throws -> Int64 {
        try connection.value("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
    }

    /// The cursor before the oldest row that is left.
    static func firstCursor(_ connection: Connection) throws -> Int64 {
        let oldest: Int64?? = try connection.value("SELECT min(cursor) FROM event")
        return (oldest ?? nil).map { $0 - 1 } ?? 0
    }
}

extension Queries {
    /// A row of the event log with what it names as it is now; nil when that is gone.
    static func event(_ connection: Connection, _ row: EventRow, _ presence: PresenceBook) throws -> ChatEvent? {
        guard let kind = EventKind(rawValue: row.kind) else { return nil }
        let subject = try row.jid.map { Contact.ID(account: try JID(stored: row.account), jid: try JID(stored: $0)) }
        let value: ChatEvent.Kind
        switch kind {
        case .message, .messageChanged:
            guard let message = try row.message.flatMap({ try message(connection, id: $0) }) else { return nil }
            value = kind == .message ? .message(message) : .messageChanged(message)
        case .messageRemoved:
            guard let subject, let id = row.detail.flatMap({ Int64($0) }) else { return nil }
            value = .messageRemoved(.init(rawValue: id), account: subject.account, peer: subject.jid)
        case .contact:
            guard let subject, let contact = try contact(connection, subject, presence) else { return nil }
            value = .contact(contact)
        case .request:
            guard let subject, let request = try requests(connection).first(where: { $0.id == subject }) else {
                return nil
            }
            value = .request(request)
        case .invitation:
            guard let subject,
                let invite = try invitations(connection).first(where: {
                    $0.account == subject.account && $0.room == subject.jid
                })
            else { return nil }
            value = .invitation(invite)
        case .contactRemoved:
            guard let subject else { return nil }
            value = .contactRemoved(subject)
        case .requestRemoved:
            guard let subject else { return nil }
            value = .requestRemoved(subject)
        }
        return ChatEvent(cursor: .init(rawValue: row.cursor), date: Date(milliseconds: row.time), kind: value)
    }

    private static func contact(
        _ connection: Connection, _ id: Contact.ID, _ presence: PresenceBook
    ) throws -> Contact? {
        let account: Int64? = try connection.value("SELECT id FROM account WHERE jid = ?", id.account.description)
        guard let account else { return nil }
        return try contacts(connection, account: account, jid: id.jid, presence: presence).first
    }
}
