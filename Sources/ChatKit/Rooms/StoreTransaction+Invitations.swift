// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP
internal import struct Foundation.Date

extension StoreTransaction {
    /// Keeps an invitation until it is answered; a room in which the user wants to be needs none (T127: nobody goes in by
    /// itself).
    func invited(_ invitation: RoomInvitation, account: Int64) throws {
        let room = invitation.room.description
        if let known = try self.room(account: account, invitation.room), known.isJoined, known.exit == nil { return }
        let count: Int =
            try connection.value(
                "SELECT count(*) FROM room_invitation WHERE account = ? AND room != ?", account, room) ?? 0
        guard count < Self.maximumRequests else { return }
        try connection.run(
            """
            INSERT INTO room_invitation (account, room, inviter, reason, password, is_mediated, received)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (account, room) DO UPDATE SET inviter = coalesce(excluded.inviter, inviter),
                reason = coalesce(excluded.reason, reason), password = coalesce(excluded.password, password),
                is_mediated = max(excluded.is_mediated, is_mediated)
            """, account, room, invitation.inviter?.description, invitation.reason, invitation.password,
            invitation.isMediated, now)
        changes.requests = true
        try record(.invitation, account: account, jid: room)
    }

    func removeInvitation(account: Int64, room: JID) throws {
        try connection.run(
            "DELETE FROM room_invitation WHERE account = ? AND room = ?", account, room.bare.description)
        guard connection.changes > 0 else { return }
        changes.requests = true
        try record(.requestRemoved, account: account, jid: room.bare.description)
    }
}

extension Queries {
    /// The rooms into which somebody asked the user to come, the oldest first.
    static func invitations(_ connection: Connection, account: Int64? = nil) throws -> [RoomInvite] {
        var jid = JIDReader()
        return try connection.rows(
            """
            SELECT a.jid, r.room, r.inviter, r.reason, r.received, r.password, r.is_mediated FROM room_invitation r
            JOIN account a ON a.id = r.account WHERE ?1 IS NULL OR r.account = ?1 ORDER BY r.received, r.room
            """, account
        ) { row in
            RoomInvite(
                id: .init(account: try jid(row.column(0)), room: try jid(row.column(1))),
                inviter: row.column(2, as: String?.self).flatMap { try? JID(stored: $0) }, reason: row.column(3),
                received: Date(milliseconds: row.column(4)), password: row.column(5), isMediated: row.column(6))
        }
    }
}
