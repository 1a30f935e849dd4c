// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

extension ChatCore {
    /// The messages of ours that the server does not have for certain, the oldest first: those that wait to be sent, and
    /// those that need the user's word, files that could not be sent among them.
    ///
    /// - Parameter account: The account; nil for all.
    public func waitingMessages(of account: JID? = nil) async throws(ChatError) -> [ChatMessage] {
        var row: Int64?
        if let account { row = try runner(account).account }
        do {
            let wanted = row
            return try await store.read { try Queries.waiting($0, account: wanted) }
        } catch {
            throw ChatError(error)
        }
    }

    /// Decides that a message which needs confirmation, or whose file could not be sent, is not sent; it stays in the history
    /// as failed.
    ///
    /// - Throws: ``ChatError``: `unknownMessage`, `notWaiting`.
    public func discard(_ id: ChatMessage.ID) async throws(ChatError) {
        do {
            try await store.write { try $0.discard(message: id.rawValue) }
        } catch {
            throw ChatError(error)
        }
    }
}

extension Queries {
    /// What is in the outbox, in the order in which it was queued.
    static func waiting(_ connection: Connection, account: Int64?) throws -> [ChatMessage] {
        let rows: [Int64] = try connection.rows(
            """
            SELECT message FROM (
                SELECT message, created FROM outbox WHERE message IS NOT NULL AND (?1 IS NULL OR account = ?1)
                UNION ALL SELECT message, created FROM file WHERE state IN (0, 1, 3) AND (?1 IS NULL OR account = ?1))
            ORDER BY created, message LIMIT 10000
            """, account
        ) { $0.column(0) }
        return try rows.compactMap { try message(connection, id: $0) }
    }
}

extension StoreTransaction {
    func discard(message: Int64) throws {
        let state: Int64? = try connection.value("SELECT state FROM message WHERE id = ? AND direction = 1", message)
        guard let state else { throw ChatError(.unknownMessage, "there is no message \(message) of ours") }
        guard state == MessageState.Stored.needsConfirmation else {
            throw ChatError(.notWaiting, "the message \(message) does not wait for a decision")
        }
        try fail(message: message, MessageFailure(.discarded))
        try connection.run("DELETE FROM outbox WHERE message = ?", message)
        try connection.run(
            "UPDATE file SET state = ?2 WHERE message = ?1 AND state = ?3", message, FileState.cancelled,
            FileState.waiting)
        changes.accounts = true
    }
}
