// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// What changes a message that is here, or one that comes later: in either order the end is the same.
extension StoreTransaction {
    /// The most changes that wait in one conversation for messages that are not here.
    static let maximumWaiting = 1000

    /// Carries out what somebody said about an earlier message; false for what is to be shown itself.
    ///
    /// A correction of a message that is not here is shown until that comes; one of somebody else's message is shown for
    /// good, and changes nothing (T115).
    func apply(_ saying: Saying, in conversation: ConversationRow) throws -> Bool {
        let message = saying.message
        if let reactions = message.reactions,
            message.body == nil || message.isOnlyFallback(for: [Reactions.namespace])
        {
            try react(reactions.emojis, to: reactions.id, by: saying.speaker, sent: saying.sent, in: conversation)
            return true
        }
        if let target = message.retractedID {
            try retract(target, by: saying.speaker, sent: saying.sent, in: conversation)
            return true
        }
        guard let target = message.correctedID, let text = saying.text else { return false }
        guard let row = try self.message(named: target, by: saying.speaker, in: conversation) else {
            return try isTakenBack(target, by: saying.speaker, in: conversation)
        }
        // Of what was taken back nothing is shown any more, whatever comes late or once more.
        if row.isRetracted { return true }
        guard message.isEncrypted || !row.isUnreadable else { return false }
        try revise(
            row, name: saying.names.first ?? "", text: text, sent: saying.sent, archiveID: saying.archiveID)
        // What came before may be about the correction.
        if conversation.isWaiting {
            let names = [saying.names.first, saying.names.other, saying.archiveID]
            try settle(Set(names.compactMap(\.self)), row, in: conversation)
        }
        return true
    }

    /// The name of the message that a correction waits for; nil when it waits for none.
    func waitsFor(_ saying: Saying, in conversation: ConversationRow) throws -> String? {
        guard let target = saying.message.correctedID,
            try message(named: target, in: conversation) == nil
        else { return nil }
        return target
    }

    // MARK: Corrections

    /// Gives a message another text; the newest by time is the one that is shown, and all are kept (XEP-0308).
    ///
    /// - Parameter archiveID: The name that the archive gave the correction.
    func revise(_ row: MessageRow, name: String, text: String, sent: Int64, archiveID: String? = nil) throws {
        try connection.run(
            "INSERT OR IGNORE INTO revision (message, name, body, sent) VALUES (?, '', ?, ?)", row.id, row.body,
            row.sent)
        // A correction is newer than what it corrects, whatever the clocks say.
        try connection.run(
            "INSERT OR IGNORE INTO revision (message, name, body, sent, archive_id) VALUES (?, ?, ?, ?, ?)", row.id,
            name,
            text, max(sent, row.sent + 1), archiveID)
        guard connection.changes > 0 else {
            // It was here before its archive named it.
            guard let archiveID, !name.isEmpty else { return }
            return try connection.run(
                "UPDATE revision SET archive_id = ? WHERE message = ? AND name = ? AND archive_id IS NULL", archiveID,
                row.id, name)
        }
        try unindex(message: row.id)
        try connection.run(
            """
            UPDATE message SET (body, edited) =
                (SELECT r.body, r.sent FROM revision r WHERE r.message = ?1 ORDER BY r.sent DESC, r.id DESC LIMIT 1)
            WHERE id = ?1
            """, row.id)
        try index(message: row.id)
        if !row.isOutgoing { try lookForMention(in: row.id) }
        try changed(message: row.id)
    }

    /// Another text may name the user where the former one did not, and the other way round.
    private func lookForMention(in message: Int64) throws {
        let found = try connection.first(
            """
            SELECT m.body, m.is_mention, coalesce(c.nick, ''), c.id FROM message m JOIN conversation c ON c.id = m.conversation
            WHERE m.id = ? AND c.kind = 'room'
            """, message
        ) { row in
            (
                body: row.column(0, as: String.self), isMention: row.column(1, as: Bool.self),
                nick: row.column(2, as: String.self), conversation: row.column(3, as: Int64.self)
            )
        }
        guard let found else { return }
        let isMention = AccountSessionStore.names(found.nick, in: found.body)
        guard isMention != found.isMention else { return }
        try connection.run("UPDATE message SET is_mention = ? WHERE id = ?", isMention, message)
        try countUnread(conversation: found.conversation)
    }

    // MARK: Retractions

    /// Takes a message of the speaker back, now or when it comes; one of somebody else stays.
    func retract(
        _ target: String, by speaker: Speaker, sent: Int64, in conversation: ConversationRow
    ) throws {
        if let row = try message(named: target, by: speaker, in: conversation) {
            return try erase(row, sent: sent, in: conversation)
        }
        guard try message(named: target, in: conversation) == nil else { return }
        for correction in try corrections(of: target, in: conversation) {
            guard isAuthor(speaker, of: correction.row, in: conversation) else { continue }
            try removeForGood(correction.row.id, of: conversation)
        }
        try wait(in: conversation, "retraction")
        try connection.run(
            "INSERT OR IGNORE INTO retraction (conversation, target, author, sent) VALUES (?, ?, ?, ?)",
            conversation.id, target, speaker.key, sent)
    }

    /// Whether a message that is not here was taken back by the speaker, or by a moderator.
    private func isTakenBack(
        _ target: String, by speaker: Speaker, in conversation: ConversationRow
    ) throws -> Bool {
        try connection.value(
            "SELECT EXISTS (SELECT 1 FROM retraction WHERE conversation = ? AND target = ? AND author IN (?, ?))",
            conversation.id, target, speaker.key, Self.moderatorKey) ?? false
    }

    /// Removes the text of a message, its former texts and what was said to it; the place stays (T183).
    func erase(
        _ row: MessageRow, sent: Int64, in conversation: ConversationRow, moderation: Moderation? = nil
    ) throws {
        if row.isRetracted { return }
        try unindex(message: row.id)
        try connection.run(
            """
            UPDATE message SET body = '', subject = NULL, payload = NULL, wire = NULL, content_hash = NULL, retracted = ?2,
                edited = NULL, has_file = 0, is_mention = 0, reply_to = NULL, reply_author = NULL, moderator = ?3,
                moderation_reason = ?4
            WHERE id = ?1
            """, row.id, sent, moderation?.by, moderation?.reason)
        try index(message: row.id)
        // The names of its corrections stay: what they name is still this message.
        try connection.run("DELETE FROM revision WHERE message = ? AND name = ''", row.id)
        try connection.run("UPDATE revision SET body = '' WHERE message = ?", row.id)
        try connection.run("DELETE FROM reaction WHERE message = ?", row.id)
        try connection.run("DELETE FROM file WHERE message = ?", row.id)
        if connection.changes > 0 { changes.files = true }
        if !row.isOutgoing { try countUnread(conversation: conversation.id) }
        try changed(message: row.id)
        try Scrubber.want(connection)
        changes.erased = true
    }

    // MARK: Reactions

    /// Puts all that somebody has to say to a message in pictures in the place of what they said before (XEP-0444).
    func react(
        _ emojis: [String], to target: String, by speaker: Speaker, sent: Int64, in conversation: ConversationRow
    ) throws {
        let row = try message(named: target, in: conversation)
        if row?.isRetracted == true { return }
        if row == nil { try wait(in: conversation, "reaction") }
        try connection.run(
            """
            INSERT INTO reaction (conversation, target, author, name, emojis, sent, message) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (conversation, target, author) DO UPDATE SET emojis = excluded.emojis, sent = excluded.sent,
                name = excluded.name, message = excluded.message
            WHERE excluded.sent >= sent AND (excluded.emojis != emojis OR excluded.message IS NOT message)
            """,
            conversation.id, target, speaker.key, speaker.name, emojis.joined(separator: "\n"), sent, row?.id)
        guard connection.changes > 0, let row else { return }
        try keepLastReactions(to: row.id)
        try changed(message: row.id)
    }

    /// A message goes by several names: of what somebody said under two of them the last counts, as under one.
    private func keepLastReactions(to message: Int64) throws {
        try connection.run(
            """
            DELETE FROM reaction WHERE message = ?1 AND EXISTS (SELECT 1 FROM reaction o WHERE o.message = ?1
                AND o.author = reaction.author AND (o.sent, o.target) > (reaction.sent, reaction.target))
            """, message)
    }

    // MARK: What came first

    /// From now on each new message of the conversation is looked at for what came before it.
    func waits(in conversation: ConversationRow) throws {
        try connection.run("UPDATE conversation SET is_waiting = 1 WHERE id = ? AND is_waiting = 0", conversation.id)
    }

    /// Notes that something waits for a message that is not here; a flood of it drops the oldest.
    func wait(in conversation: ConversationRow, _ table: String) throws {
        try waits(in: conversation)
        let isReaction = table == "reaction"
        let condition = isReaction ? "message IS NULL AND" : ""
        let count: Int =
            try connection.value("SELECT count(*) FROM \(table) WHERE \(condition) conversation = ?", conversation.id)
            ?? 0
        guard count >= Self.maximumWaiting else { return }
        try connection.run(
            """
            DELETE FROM \(table) WHERE (conversation, target, author) IN (SELECT conversation, target, author FROM \(table)
                WHERE \(condition) conversation = ? ORDER BY sent LIMIT 1)
            """, conversation.id)
    }

    /// Carries out on a new message what came before it.
    func settle(message id: Int64, in conversation: ConversationRow) throws {
        let row = try connection.first(
            """
            SELECT \(MessageRow.columns), m.own_id, m.remote_id, m.alias, m.archive_id FROM message m WHERE m.id = ?
            """, id
        ) { row in
            (
                row: MessageRow(row),
                names: (8...11).compactMap { row.column($0, as: String?.self) }
            )
        }
        if let row { try settle(Set(row.names), row.row, in: conversation) }
    }

    /// Carries out on a message what came before it, or before a correction of it, under these names.
    private func settle(_ names: Set<String>, _ row: MessageRow, in conversation: ConversationRow) throws {
        // First of all: nothing that was said of it, and no text, comes back to what was taken back.
        var isTakenBack = row.isRetracted
        for name in names where !isTakenBack { isTakenBack = try settleRetraction(name, row, conversation) }
        for name in names {
            try settleCorrections(name, row, conversation, &isTakenBack)
            try settleReactions(name, row, conversation, isTakenBack)
        }
    }

    private func settleReactions(
        _ name: String, _ row: MessageRow, _ conversation: ConversationRow, _ isTakenBack: Bool
    ) throws {
        if isTakenBack {
            return try connection.run(
                "DELETE FROM reaction WHERE conversation = ? AND target = ? AND message IS NULL", conversation.id, name)
        }
        try connection.run(
            "UPDATE reaction SET message = ?3 WHERE conversation = ?1 AND target = ?2 AND message IS NULL",
            conversation.id, name, row.id)
        guard connection.changes > 0 else { return }
        try keepLastReactions(to: row.id)
        try changed(message: row.id)
    }

    /// Gives whether the message was taken back before it came.
    private func settleRetraction(_ name: String, _ row: MessageRow, _ conversation: ConversationRow) throws -> Bool {
        let waiting = try connection.rows(
            "SELECT author, sent, moderator, reason FROM retraction WHERE conversation = ? AND target = ?",
            conversation.id, name
        ) { row in
            (
                author: row.column(0, as: String.self), sent: row.column(1, as: Int64.self),
                moderation: Moderation(by: row.column(2), reason: row.column(3))
            )
        }
        for change in waiting {
            let isModerated = change.author == Self.moderatorKey
            guard isModerated || isAuthor(speaker(change.author), of: row, in: conversation) else { continue }
            // It stays noted: a correction of the message may come again, under whatever name.
            try erase(row, sent: change.sent, in: conversation, moderation: isModerated ? change.moderation : nil)
            return true
        }
        return false
    }

    /// A correction that came first was shown as a message; now it becomes the text of the one that it corrects.
    private func settleCorrections(
        _ name: String, _ row: MessageRow, _ conversation: ConversationRow, _ isTakenBack: inout Bool
    ) throws {
        for correction in try corrections(of: name, in: conversation) {
            guard correction.row.id != row.id, correction.row.isOutgoing == row.isOutgoing,
                correction.row.author == row.author
            else { continue }
            if isTakenBack || correction.row.isRetracted {
                // Whoever took the last text back took the message back.
                if !isTakenBack { try erase(row, sent: now, in: conversation) }
                isTakenBack = true
                try removeForGood(correction.row.id, of: conversation)
                continue
            }
            try revise(
                row, name: correction.name, text: correction.row.body, sent: correction.row.sent,
                archiveID: correction.archiveID)
            try remove(message: correction.row.id, of: conversation)
        }
    }

    /// What stands in the place of a message that is not here.
    private func corrections(
        of name: String, in conversation: ConversationRow
    ) throws -> [(row: MessageRow, name: String, archiveID: String?)] {
        try connection.rows(
            """
            SELECT \(MessageRow.columns), coalesce(m.own_id, m.remote_id, ''), m.archive_id FROM message m
            WHERE m.conversation = ? AND m.corrects = ? ORDER BY m.sort LIMIT 100
            """, conversation.id, name
        ) { (row: MessageRow($0), name: $0.column(8, as: String.self), archiveID: $0.column(9, as: String?.self)) }
    }

    private func speaker(_ key: String) -> Speaker {
        key == "=" ? .own : key.isEmpty ? .peer : Speaker(occupant: key)
    }

    /// The author of what a room's moderators did.
    static let moderatorKey = "*"

    /// Takes a row out, and tells everybody.
    func remove(message: Int64, of conversation: ConversationRow) throws {
        try unindex(message: message)
        try unname(message: message)
        try connection.run("DELETE FROM message WHERE id = ?", message)
        try findLast(conversation: conversation.id)
        try countUnread(conversation: conversation.id)
        changes.messages.insert(message)
        try record(.messageRemoved, account: conversation.account, jid: conversation.peer, detail: String(message))
    }

    /// The same, so that nothing of its text stays in the files either (T183).
    private func removeForGood(_ message: Int64, of conversation: ConversationRow) throws {
        try remove(message: message, of: conversation)
        try Scrubber.want(connection)
        changes.erased = true
    }
}
