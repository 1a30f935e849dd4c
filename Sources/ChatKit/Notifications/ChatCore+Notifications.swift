// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
internal import Foundation

extension ChatCore {
    /// What of all that comes in is announced.
    public func notificationRules() async throws(ChatError) -> NotificationRules {
        do { return try await store.read { try Queries.notificationRules($0) } } catch { throw ChatError(error) }
    }

    /// Changes what is announced, from now on and for whatever reads ``notifications()``.
    ///
    /// - Throws: ``ChatError``: `diskFull`, `storageFailed`.
    public func setNotificationRules(_ rules: NotificationRules) async throws(ChatError) {
        do {
            try await store.write { transaction in
                let text = String(decoding: try JSONEncoder().encode(rules), as: UTF8.self)
                try transaction.connection.run(
                    """
                    INSERT INTO note (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                    """, Queries.rulesNote, text)
                transaction.changes.accounts = true
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// Why a message is announced as the rules are now; nil for one that is not.
    public func announces(_ message: ChatMessage) async throws(ChatError) -> ChatNotification.Reason? {
        try await look(at: message)?.reason
    }

    /// Why a message is announced, and how much of it; nil for one that is not.
    ///
    /// All who read events ask for each message that comes: one look into the store is for all of them.
    package func announcement(
        of message: ChatMessage
    ) async throws(ChatError) -> (reason: ChatNotification.Reason, previews: NotificationRules.Previews)? {
        guard message.direction == .incoming else { return nil }
        return try await announcements.value(of: message.id) { () async throws(ChatError) in
            try await self.look(at: message)
        }
    }

    private func look(
        at message: ChatMessage
    ) async throws(ChatError) -> (reason: ChatNotification.Reason, previews: NotificationRules.Previews)? {
        guard message.direction == .incoming else { return nil }
        let date = Date(milliseconds: store.now)
        do {
            let (rules, conversation) = try await store.read { connection in
                (
                    try Queries.notificationRules(connection),
                    try Queries.conversations(connection, id: message.conversation.rawValue).first
                )
            }
            guard let conversation, let reason = rules.reason(for: message, in: conversation, at: date) else {
                return nil
            }
            return (reason, rules.previews)
        } catch {
            throw ChatError(error)
        }
    }

    /// What has to be shown, and taken away again, from now on; the number of messages to look at comes first.
    ///
    /// What comes from conversations that are muted, in quiet hours, from strangers as the rules say, or is read on another
    /// device is not told, or is taken away. One reader; what a slow one has not taken yet is replaced by what is newer.
    /// Leaving the loop, or cancelling its task, ends it.
    public nonisolated func notifications() -> NotificationFeed { NotificationFeed(core: self) }
}

extension Queries {
    static let rulesNote = "notification-rules"

    static func notificationRules(_ connection: Connection) throws -> NotificationRules {
        let text: String? = try connection.value("SELECT value FROM note WHERE name = ?", rulesNote)
        // Rules that nobody can read any more announce everything.
        return text.flatMap { try? JSONDecoder().decode(NotificationRules.self, from: Data($0.utf8)) }
            ?? NotificationRules()
    }
}
