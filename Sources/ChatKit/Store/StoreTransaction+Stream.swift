// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

extension StoreTransaction {
    func streamState(account: Int64) throws -> SessionState? {
        let row = try connection.first(
            """
            SELECT stream_id, bound_jid, location, received, sent, acknowledged, next_seq FROM stream WHERE account = ?
            """, account
        ) { row in
            var state = SessionState(
                streamID: row.column(0), location: row.column(2), received: row.column(3), sentOnStream: row.column(4),
                acknowledgedOnStream: row.column(5), nextSequence: row.column(6))
            if let bound: String = row.column(1) { state.boundJID = try JID(stored: bound) }
            return state
        }
        return row
    }

    func keep(_ state: SessionState, account: Int64) throws {
        try connection.run(
            """
            INSERT INTO stream (account, stream_id, bound_jid, location, received, sent, acknowledged, next_seq)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET stream_id = excluded.stream_id, bound_jid = excluded.bound_jid,
                location = excluded.location, received = excluded.received, sent = excluded.sent,
                acknowledged = excluded.acknowledged, next_seq = excluded.next_seq
            """,
            account, state.streamID, state.boundJID?.description, state.location, state.received, state.sentOnStream,
            state.acknowledgedOnStream, state.nextSequence)
    }

    func keep(_ stanza: SentStanza, account: Int64) throws {
        try connection.run(
            """
            INSERT INTO unacknowledged (account, seq, kind, stanza_id, bytes) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (account, seq) DO UPDATE SET bytes = excluded.bytes
            """, account, stanza.sequence, stanza.kind.rawValue, stanza.id, stanza.bytes)
    }

    func unacknowledged(account: Int64) throws -> [SentStanza] {
        try connection.rows(
            "SELECT seq, kind, stanza_id, bytes FROM unacknowledged WHERE account = ? ORDER BY seq", account
        ) { row in
            SentStanza(
                sequence: row.column(0), kind: .init(rawValue: row.column(1)) ?? .message, id: row.column(2),
                bytes: row.column(3))
        }
    }

    func trustsStanzaIDs(account: Int64) throws -> Bool {
        try connection.value("SELECT trusts_stanza_ids FROM account WHERE id = ?", account) ?? false
    }

    /// The most rows in quarantine, and the most bytes kept of each.
    static let maximumQuarantine = 1000
    static let maximumQuarantineBytes = 64 * 1024

    /// Keeps a copy of a stanza that could not be applied.
    func quarantine(_ stanza: Stanza, account: Int64, reason: String) throws {
        try connection.run(
            "INSERT INTO quarantine (account, received, reason, stanza) VALUES (?, ?, ?, ?)",
            account, now, reason, stanza.xml.map { String($0.prefix(Self.maximumQuarantineBytes)) })
        try connection.run(
            """
            DELETE FROM quarantine WHERE account = ?1 AND id <=
                (SELECT id FROM quarantine WHERE account = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """, account, Self.maximumQuarantine)
    }
}

extension Stanza {
    /// The stanza as it came, nil for one that was built here.
    var xml: String? {
        switch self {
        case .message(let message): message.receivedElement?.xml
        case .presence(let presence): presence.receivedElement?.xml
        case .iq(let iq): iq.receivedElement?.xml
        }
    }
}
