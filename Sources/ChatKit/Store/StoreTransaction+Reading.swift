// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusSQLite
internal import XMPP

/// What the user has read, on any device, and what the other side has.
extension StoreTransaction {
    /// The user read a conversation here, up to a place or wholly: the other devices, and the other side, are told.
    ///
    /// - Parameter marks: Whether the other side is told.
    func read(_ conversation: ConversationRow, through sort: Int64?, marks: Bool) throws {
        try markRead(conversation: conversation.id, through: sort)
        guard marks else { return try mute(conversation) }
        let markable = try connection.first(
            """
            SELECT coalesce(m.alias, m.remote_id), m.archive_id, m.sort FROM message m
            JOIN conversation c ON c.id = m.conversation
            WHERE m.conversation = ? AND m.sort > c.marked_sort AND m.sort <= c.read_sort AND m.is_markable = 1
                AND m.direction = 0 AND m.retracted IS NULL ORDER BY m.sort DESC LIMIT 1
            """, conversation.id
        ) { ($0.column(0, as: String?.self), $0.column(1, as: String?.self)) }
        try mute(conversation)
        guard let name = conversation.isRoom ? markable?.1 : markable?.0, !name.isEmpty,
            try mayKnowOfUs(conversation)
        else { return }
        let marker = Message.displayedMarker(
            name, to: try JID(stored: conversation.peer), kind: conversation.isRoom ? .groupchat : .chat)
        guard let id = marker.id else { return }
        try enqueue(
            account: conversation.account, stanzaID: id, chat: conversation.peer, payload: try marker.storedXML())
    }

    /// The user read everything on another device, which tells whoever has to know.
    func readElsewhere(conversation: Int64, through sort: Int64? = nil) throws {
        try markRead(conversation: conversation, through: sort)
        try connection.run(
            "UPDATE conversation SET marked_sort = max(marked_sort, read_sort) WHERE id = ?", conversation)
    }

    /// Nothing up to here is told to the other side any more.
    private func mute(_ conversation: ConversationRow) throws {
        try connection.run(
            "UPDATE conversation SET marked_sort = max(marked_sort, read_sort) WHERE id = ?", conversation.id)
    }

    /// Whether the other side may know that we are here: a contact who sees our presence, somebody we wrote to, a room.
    func mayKnowOfUs(_ conversation: ConversationRow) throws -> Bool {
        if conversation.isRoom { return true }
        if try contact(account: conversation.account, jid: conversation.peer)?.subscription.showsOurs == true {
            return true
        }
        return try hasOutgoing(conversation: conversation.id)
    }

    /// Another device of the account has read a conversation up to a message of the archive, here already or not (XEP-0490).
    ///
    /// Gives what the devices know now when that is less than was told them: two told it at once, and the last one counts.
    @discardableResult
    func displayedElsewhere(_ state: DisplayedState, account: Int64) throws -> PutBackReading? {
        guard let conversation = try conversation(account: account, peer: state.conversation.description) else {
            return nil
        }
        let by = state.message.by.description
        guard let row = try message(archived: state.message.id, by: by, in: conversation) else {
            try connection.run(
                "UPDATE conversation SET displayed_id = ? WHERE id = ?", state.message.id, conversation.id)
            return nil
        }
        let read: Int64? = try connection.value(
            "SELECT read_sort FROM conversation WHERE id = ? AND synced_sort > ?", conversation.id, row.sort)
        try wasRead(conversation.id, through: row.sort)
        return read.map { PutBackReading(conversation: conversation.id, sort: row.sort, read: $0) }
    }

    /// The account's other devices know of a conversation that it was read up to a place.
    func told(_ conversation: Int64, through sort: Int64) throws {
        try connection.run("UPDATE conversation SET synced_sort = ? WHERE id = ?", sort, conversation)
    }

    private func wasRead(_ conversation: Int64, through sort: Int64) throws {
        try connection.run("UPDATE conversation SET displayed_id = NULL WHERE id = ?", conversation)
        let known: Int64 = try connection.value("SELECT read_sort FROM conversation WHERE id = ?", conversation) ?? 0
        try connection.run(
            """
            UPDATE conversation SET synced_sort = max(synced_sort, ?2), marked_sort = max(marked_sort, ?2) WHERE id = ?1
            """, conversation, sort)
        if sort > known { try markRead(conversation: conversation, through: sort) }
    }

    /// Looks whether what another device has read has come meanwhile.
    func settleDisplayed(account: Int64) throws {
        let found = try connection.rows(
            """
            SELECT c.id, m.sort FROM conversation c JOIN account a ON a.id = c.account
            JOIN message m ON m.archive_id = c.displayed_id
                AND m.archive_jid = CASE c.kind WHEN 'room' THEN c.peer ELSE a.jid END AND m.conversation = c.id
            WHERE c.account = ? AND c.displayed_id IS NOT NULL
            """, account
        ) { ($0.column(0, as: Int64.self), $0.column(1, as: Int64.self)) }
        for (conversation, sort) in found { try wasRead(conversation, through: sort) }
    }

    /// Somebody read everything of ours up to a message (XEP-0333); only whom it went to can know (T078).
    func displayed(_ name: String, by speaker: Speaker, in conversation: ConversationRow) throws {
        guard let row = try message(named: name, in: conversation) else { return }
        let isKnown: Int64? = try connection.value(
            """
            SELECT 1 FROM reader r JOIN message m ON m.id = r.message
            WHERE r.conversation = ? AND r.author = ? AND m.sort >= ?
            """, conversation.id, speaker.key, row.sort)
        if isKnown != nil { return }
        try connection.run(
            """
            INSERT INTO reader (conversation, author, name, message, time) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (conversation, author) DO UPDATE SET message = excluded.message, time = excluded.time,
                name = excluded.name
            """, conversation.id, speaker.key, speaker.name, row.id, now)
        guard !conversation.isRoom else { return }
        let ours: [Int64] = try connection.rows(
            """
            SELECT id FROM message WHERE conversation = ?1 AND direction = 1 AND state BETWEEN 1 AND 3 AND sort <= ?2
                AND sort > coalesce((SELECT sort FROM message WHERE conversation = ?1 AND direction = 1 AND state = 4
                    AND sort <= ?2 ORDER BY sort DESC LIMIT 1), -1)
            ORDER BY sort DESC LIMIT 1000
            """, conversation.id, row.sort
        ) { $0.column(0) }
        for message in ours.reversed() { try advance(message: message, to: MessageState.Stored.displayed) }
    }
}

/// What the account's other devices know is less than what was read here.
struct PutBackReading: Sendable, Hashable {
    let conversation: Int64
    /// The place that they know, and the one that was read.
    let sort: Int64
    let read: Int64
}

/// What the account's other devices are to be told.
struct UnsyncedReading: Sendable, Hashable {
    let conversation: Int64
    let peer: String
    let sort: Int64
    /// What they know.
    let synced: Int64
    let archive: String
    let id: String
}

extension Queries {
    /// Up to where conversations were read here and the other devices do not know it; places without an id in the archive
    /// cannot be told.
    static func unsynced(_ connection: Connection, account: Int64) throws -> [UnsyncedReading] {
        try connection.rows(
            """
            SELECT c.id, c.peer, m.sort, m.archive_jid, m.archive_id, c.synced_sort FROM conversation c
            JOIN account a ON a.id = c.account
            JOIN message m ON m.id = (SELECT o.id FROM message o WHERE o.conversation = c.id AND o.sort > c.synced_sort
                AND o.sort <= c.read_sort AND o.archive_id IS NOT NULL
                AND o.archive_jid = CASE c.kind WHEN 'room' THEN c.peer ELSE a.jid END ORDER BY o.sort DESC LIMIT 1)
            WHERE c.account = ? AND c.read_sort > c.synced_sort LIMIT 100
            """, account
        ) { row in
            UnsyncedReading(
                conversation: row.column(0), peer: row.column(1), sort: row.column(2), synced: row.column(5),
                archive: row.column(3), id: row.column(4))
        }
    }
}

extension Message {
    /// Says that everything up to a message was displayed (XEP-0333 §4.2).
    static func displayedMarker(_ name: String, to peer: JID, kind: Kind) -> Message {
        var marker = Message(
            to: peer, kind: kind, id: randomToken(), payloads: [DisplayedMarker(id: name).element])
        marker.hints = .store
        return marker
    }
}
