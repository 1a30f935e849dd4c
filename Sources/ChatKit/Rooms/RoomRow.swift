// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// What the database knows of a room besides the conversation.
struct RoomRow: Sendable, Hashable {
    let conversation: Int64
    let room: JID
    /// The user wants to be in it.
    let isJoined: Bool
    let nick: String
    let password: String?
    let namesOccupants: Bool
    /// Our name there, where the room gives one.
    let occupant: String?
    /// nil: the room was not asked what it is.
    let hasArchive: Bool?
    let isBookmarked: Bool
    /// Why we are out of it until the user goes in again.
    let exit: String?
    let name: String?
    /// When something was said last.
    let lastReceived: Int64?

    fileprivate init(_ row: Statement) throws {
        conversation = row.column(0)
        room = try JID(stored: row.column(1))
        (isJoined, nick, password) = (row.column(2), row.column(3), row.column(4))
        (namesOccupants, occupant) = (row.column(5), row.column(6))
        hasArchive = row.column(7, as: Int64?.self).map { $0 != 0 }
        (isBookmarked, exit, name, lastReceived) = (row.column(8), row.column(9), row.column(10), row.column(11))
    }

    fileprivate static let columns = """
        id, peer, is_joined, coalesce(nick, ''), room_password, names_occupants, occupant, has_archive, is_bookmarked,
        room_exit, name, (SELECT m.received FROM message m WHERE m.id = conversation.last_message)
        """
}

extension Queries {
    /// The rooms of an account in which the user wants to be.
    static func wantedRooms(_ connection: Connection, account: Int64) throws -> [RoomRow] {
        try connection.rows(
            "SELECT \(RoomRow.columns) FROM conversation WHERE account = ? AND kind = 'room' AND is_joined = 1 ORDER BY id",
            account
        ) { try RoomRow($0) }
    }

    static func room(_ connection: Connection, account: Int64, room: JID) throws -> RoomRow? {
        try connection.first(
            "SELECT \(RoomRow.columns) FROM conversation WHERE account = ? AND peer = ? AND kind = 'room'", account,
            room.description
        ) { try RoomRow($0) }
    }
}

extension StoreTransaction {
    func room(_ conversation: Int64) throws -> RoomRow? {
        try connection.first("SELECT \(RoomRow.columns) FROM conversation WHERE id = ? AND kind = 'room'", conversation)
        {
            try RoomRow($0)
        }
    }

    func room(account: Int64, _ room: JID) throws -> RoomRow? {
        try Queries.room(connection, account: account, room: room)
    }

    /// The user wants to be in a room from now on, under that nickname.
    @discardableResult
    func wantRoom(
        account: Int64, room: JID, nick: String, password: String?, name: String?
    ) throws -> ConversationRow {
        let conversation = try makeConversation(account: account, peer: room.description)
        try connection.run(
            """
            UPDATE conversation SET kind = 'room', is_joined = 1, nick = ?2, room_password = ?3, name = coalesce(?4, name),
                is_hidden = 0, room_exit = NULL, room_exit_text = NULL WHERE id = ?1
            """, conversation.id, nick, password, name)
        try removeInvitation(account: account, room: room)
        changes.conversations.insert(conversation.id)
        return try self.conversation(conversation.id) ?? conversation
    }

    /// The user does not want to be in a room any more; what was said there stays.
    func leaveRoom(account: Int64, room: JID) throws {
        guard let conversation = try conversation(account: account, peer: room.description) else { return }
        try connection.run(
            "UPDATE conversation SET is_joined = 0, room_exit = NULL, room_exit_text = NULL WHERE id = ?",
            conversation.id)
        changes.conversations.insert(conversation.id)
    }

    /// A room that was never entered leaves no trace.
    func dropEmptyRoom(_ conversation: Int64) throws {
        try connection.run(
            """
            DELETE FROM conversation WHERE id = ?1 AND is_joined = 0 AND draft IS NULL
                AND NOT EXISTS (SELECT 1 FROM message WHERE conversation = ?1)
            """, conversation)
        changes.conversations.insert(conversation)
    }

    /// An address in which the user never was turned out to be no room for them: what was there before stays what it was.
    func neverEntered(_ conversation: Int64, wasChat: Bool) throws {
        guard wasChat else { return try dropEmptyRoom(conversation) }
        try connection.run(
            "UPDATE conversation SET kind = 'chat', nick = NULL, room_password = NULL WHERE id = ? AND is_joined = 0",
            conversation)
        changes.conversations.insert(conversation)
    }

    /// Whether the user talks with somebody of that address, who is no room then.
    func isPerson(account: Int64, _ jid: JID) throws -> Bool {
        try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM conversation c WHERE c.account = ?1 AND c.peer = ?2 AND c.kind = 'chat'
                AND (c.has_sent OR EXISTS (SELECT 1 FROM contact k WHERE k.account = ?1 AND k.jid = ?2)))
            """, account, jid.description) ?? false
    }

    /// The list of rooms on the server has it, or has not.
    func bookmarked(_ isBookmarked: Bool, account: Int64, room: JID) throws {
        try connection.run(
            "UPDATE conversation SET is_bookmarked = ?3 WHERE account = ?1 AND peer = ?2 AND is_bookmarked != ?3",
            account, room.description, isBookmarked)
    }

    /// What a room says about itself and about us; gives its conversation.
    @discardableResult
    func learn(_ news: RoomNews, account: Int64) throws -> Int64? {
        guard let conversation = try conversation(account: account, peer: news.room.description), conversation.isRoom
        else { return nil }
        var isNews = false
        switch news.kind {
        case .joined(let nick, let occupant):
            try connection.run(
                """
                UPDATE conversation SET nick = ?2, occupant = coalesce(?3, occupant), room_exit = NULL, room_exit_text = NULL
                WHERE id = ?1 AND (nick IS NOT ?2 OR occupant IS NOT coalesce(?3, occupant) OR room_exit IS NOT NULL)
                """, conversation.id, nick, occupant)
            isNews = connection.changes > 0
            try unpark(conversation)
            try sendRefusedAgain(conversation)
        case .renamed(let nick):
            try connection.run(
                "UPDATE conversation SET nick = ?2 WHERE id = ?1 AND nick IS NOT ?2", conversation.id, nick)
            isNews = connection.changes > 0
        case .facts(let facts):
            try connection.run(
                """
                UPDATE conversation SET name = coalesce(?2, name), names_occupants = ?3, has_archive = ?4, is_members_only = ?5
                WHERE id = ?1 AND (name IS NOT coalesce(?2, name) OR names_occupants != ?3 OR has_archive IS NOT ?4
                    OR is_members_only IS NOT ?5)
                """, conversation.id, facts.name, facts.namesOccupants, facts.hasArchive, facts.isMembersOnly)
            isNews = connection.changes > 0
        case .state(let state):
            let live = LiveRoomState(state)
            guard live.isFinal else { break }
            try connection.run(
                "UPDATE conversation SET room_exit = ?, room_exit_text = ? WHERE id = ?", live.reason?.rawValue,
                live.text, conversation.id)
            isNews = true
        case .occupant: break
        }
        if isNews { changes.conversations.insert(conversation.id) }
        return conversation.id
    }

    /// What is talked about.
    func setTopic(_ topic: String, in conversation: ConversationRow) throws {
        try connection.run(
            "UPDATE conversation SET topic = ?2 WHERE id = ?1 AND topic IS NOT ?2", conversation.id,
            topic.isEmpty ? nil : topic)
        if connection.changes > 0 { changes.conversations.insert(conversation.id) }
    }

    /// A moderator took a message away, which is here or comes later (XEP-0425).
    func moderate(_ id: String, _ moderation: Moderation, in conversation: ConversationRow) throws {
        if let row = try message(entry: id, of: conversation.peer, in: conversation) {
            return try erase(row, sent: now, in: conversation, moderation: moderation)
        }
        try wait(in: conversation, "retraction")
        try connection.run(
            """
            INSERT OR IGNORE INTO retraction (conversation, target, author, sent, moderator, reason)
            VALUES (?, ?, ?, ?, ?, ?)
            """, conversation.id, id, Self.moderatorKey, now, moderation.by, moderation.reason)
    }
}
