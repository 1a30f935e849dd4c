// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// Each room's archive is gone through when we come in, and again after much was said; then it is known whether the room has
/// what we wrote (T139).
extension AccountRunner {
    /// So many rooms are asked at once.
    private static var width: Int { 4 }
    /// So much of what was said before is fetched of a room that is new here.
    private static var beginning: Int { 50 }

    /// Goes through the archive of a room soon.
    func wantCatchUp(of room: JID) {
        if !roomsToCatchUp.contains(room) { roomsToCatchUp.append(room) }
        guard roomCatchUps < Self.width else { return }
        roomCatchUps += 1
        Task { await self.catchUpRooms() }
    }

    private func catchUpRooms() async {
        while let index = roomsToCatchUp.firstIndex(where: { !roomsCatchingUp.contains($0) }) {
            let room = roomsToCatchUp.remove(at: index)
            roomsCatchingUp.insert(room)
            await catchUp(room)
            roomsCatchingUp.remove(room)
        }
        roomCatchUps -= 1
    }

    private func catchUp(_ address: JID) async {
        guard let link, let sessionStore, connection.isOnline else { return }
        let (account, stream) = (account, streamNumber)
        guard let room = try? await store.read({ try Queries.room($0, account: account, room: address) }),
            room.isJoined,
            let unreflected = try? await store.read({ try StoreTransaction.unreflected($0, account, address) })
        else { return }
        let scope = ArchiveScope(room: address)
        var isAvailable = room.hasArchive == true
        do {
            guard isAvailable else { throw CatchUpError.unavailable }
            let isNew = try await sessionStore.anchor(scope) == nil
            try await page(link, sessionStore, scope)
            if isNew { await fillBeginning(of: room) }
        } catch let error as CatchUpError where error != .interrupted {
            isAvailable = false
        } catch {
            return
        }
        // The room's answer comes behind what it said before.
        if !isAvailable, !unreflected.isEmpty, await !link.checkRoom(address) { return }
        guard stream == streamNumber, connection.isOnline, !unreflected.isEmpty else { return }
        let mayRepeat = !isAvailable
        _ = try? await store.write { transaction in
            for row in unreflected { try transaction.sendToRoomAgain(row, mayRepeat: mayRepeat) }
        }
        await pump()
    }

    /// Shows what was said last in a room that is new here.
    private func fillBeginning(of room: RoomRow) async {
        let gaps = try? await store.read { try Queries.gapPlaces($0, in: room.conversation) }
        guard let gap = gaps?.first?.gap else { return }
        _ = try? await fill(gap, in: room.conversation, limit: Self.beginning)
    }
}

/// What a room was sent and has not given back.
extension StoreTransaction {
    /// A stay in a room is over: nobody knows whether the room has what the own server took and the room did not give back.
    ///
    /// - Parameter room: The conversation; nil: all rooms of the account.
    func doubtReflections(account: Int64, room: Int64?) throws {
        try connection.run(
            """
            INSERT OR IGNORE INTO outbox (account, stanza_id, message, chat, payload, created, state, attempts)
            SELECT m.account, m.own_id, m.id, c.peer, m.payload, m.sent, 'unreflected', 1
            FROM message m JOIN conversation c ON c.id = m.conversation
            WHERE c.account = ?1 AND c.kind = 'room' AND (?3 IS NULL OR c.id = ?3) AND m.direction = 1 AND m.state IN (1, 2) AND m.own_id IS NOT NULL
                AND m.payload IS NOT NULL AND m.sent > ?2 AND m.retracted IS NULL
                AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.message = m.id)
            ORDER BY m.sort
            """, account, now - AccountSessionStore.maximumAge, room)
    }

    static func unreflected(_ connection: Connection, _ account: Int64, _ room: JID) throws -> [Int64] {
        try connection.rows(
            "SELECT id FROM outbox WHERE account = ? AND chat = ? AND state = 'unreflected' ORDER BY id", account,
            room.description
        ) { $0.column(0) }
    }

    /// The rooms of which it is not known whether they have all of what was sent.
    func unreflectedRooms(account: Int64) throws -> [JID] {
        try connection.rows(
            "SELECT DISTINCT chat FROM outbox WHERE account = ? AND state = 'unreflected'", account
        ) { try JID(stored: $0.column(0)) }
    }

    /// What a room does not have is sent to it again, with its id.
    func sendToRoomAgain(_ row: Int64, mayRepeat: Bool) throws {
        let found = try connection.first(
            "SELECT account, message FROM outbox WHERE id = ? AND state = 'unreflected'", row
        ) { ($0.column(0, as: Int64.self), $0.column(1, as: Int64?.self)) }
        guard let (account, message) = found else { return }
        try requeue(row: row)
        changes.outbox.insert(account)
        guard let message else { return }
        try connection.run(
            "UPDATE message SET state = 0, may_be_duplicated = may_be_duplicated OR ?2 WHERE id = ?1 AND state IN (1, 2)",
            message, mayRepeat)
        try release(behind: message)
        try changed(message: message)
    }

    /// The room gave a message of ours to everybody.
    func reflected(message: Int64) throws {
        try advance(message: message, to: MessageState.Stored.delivered, allowsFailed: true)
    }
}
