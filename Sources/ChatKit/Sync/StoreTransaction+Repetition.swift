// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension StoreTransaction {
    /// An id of so many bytes is not given twice by chance.
    static let uniqueIDBytes = 16

    /// An incoming message with the same sender, id and content that is here already (key K3).
    ///
    /// Ids that are not long enough to be unique count only while one of the two has no id of the archive: two entries of
    /// the archive with a short id are two messages.
    func repeated(
        id: String?, hash: Int64, archiveID: String?, conversation: Int64, since: Int64?, author: String? = nil
    ) throws -> Int64? {
        guard let id, !id.isEmpty else { return nil }
        let name = MessageName.hash(id, in: conversation)
        if absentNames.contains(name) { return nil }
        return try connection.value(
            """
            SELECT m.id FROM \(MessageName.candidates) CROSS JOIN message m ON m.id = n.message
            WHERE m.conversation = ?2 AND m.remote_id = ?3 AND m.content_hash = ?4 AND m.direction = 0
                AND m.received >= ?5 AND (?6 OR ?7 IS NULL OR m.archive_id IS NULL OR m.archive_id = ?7)
                AND m.author IS ?8
            ORDER BY m.id LIMIT 1
            """, name, conversation, id, hash, since ?? .min,
            id.utf8.count >= Self.uniqueIDBytes, archiveID, author)
    }

    /// The archive has the message under this id; a second id, of a copy that was sent twice, changes nothing.
    ///
    /// Gives whether that is news.
    func archive(message: Int64, as archive: String, _ id: String) throws -> Bool {
        try connection.run(
            """
            UPDATE message SET is_archived = 1, archive_jid = coalesce(archive_jid, ?2),
                archive_id = coalesce(archive_id, ?3)
            WHERE id = ?1 AND is_archived = 0
            """, message, archive, id)
        return connection.changes > 0
    }

    /// The server named the message in passing, unless it is named already, or something else has the name.
    func identify(message: Int64, archive: String, _ id: String) throws {
        try connection.run(
            """
            UPDATE OR IGNORE message SET archive_jid = ?2, archive_id = ?3 WHERE id = ?1 AND archive_id IS NULL
            """, message, archive, id)
    }

    /// The server has a message of ours, whatever its stream said: nothing of it is sent again.
    func accepted(message: Int64) throws {
        try advance(message: message, to: MessageState.Stored.acknowledged)
        try connection.run(
            "DELETE FROM outbox WHERE message = ? AND state IN ('ambiguous', 'held', 'unreflected')", message)
        guard connection.changes > 0 else { return }
        changes.accounts = true
        try release(behind: message)
    }
}
