// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

/// What is changed in rooms, and who comes in.
extension ChatCore {
    /// Changes a room's topic, name or description, or the user's nickname there.
    ///
    /// Waits up to ``entryWait`` while the account is on its way into the room, as after a login.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `notInRoom`, `roomNotReady`.
    public func changeRoom(_ room: JID, _ change: RoomChange, account: JID) async throws(ChatError) {
        // Owners set a room up from outside, too.
        let isNeeded = change.topic != nil || change.nickname != nil
        try await inRoom(room, account, isNeeded: isNeeded) { try await $0.change(room.bare, change) }
        guard change.name != nil else { return }
        let runner = try runner(account)
        if let link = await runner.link { _ = await runner.ask(room.bare, link) }
    }

    /// Gives a room a picture, or takes it away; for owners, who need not be in it (XEP-0486).
    ///
    /// Returns when the room has it. ``Conversation/picture`` names it then, and ``picture(_:)`` has its bytes.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `pictureTooLarge`, `pictureNotAcceptable`.
    public func setRoomPicture(_ bytes: [UInt8]?, of room: JID, account: JID) async throws(ChatError) {
        let picture: Picture?
        do { picture = try bytes.map { try Picture($0) } } catch { throw ChatError(error) }
        try await inRoom(room, account, isNeeded: false) { try await $0.publish(picture, of: room.bare) }
        let row = try runner(account).account
        if let picture { await pictures.keep(picture) }
        do {
            try await store.write { try $0.setPicture(picture?.hash, of: room.bare.description, account: row) }
        } catch {
            throw ChatError(error)
        }
    }

    /// Changes what somebody is to a room, or may do there: a role of `none` puts them out, an affiliation of `outcast` bans
    /// them.
    ///
    /// Waits up to ``entryWait`` while the account is on its way into the room.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `unknownMember`, `notInRoom`,
    ///   `roomNotReady`.
    public func changeMember(
        _ member: RoomMember, of room: JID, to change: RoomMemberChange, reason: String? = nil, account: JID
    ) async throws(ChatError) {
        var isNeeded = false
        if case .role = change { isNeeded = true }
        if case .nickname = member { isNeeded = true }
        try await inRoom(room, account, isNeeded: isNeeded) {
            try await $0.change(member, of: room.bare, to: change, reason: reason)
        }
    }

    /// Takes a message of somebody out of its room; for moderators (XEP-0425).
    ///
    /// The text goes when the room says so.
    ///
    /// - Throws: ``ChatError``: `unknownMessage`; `notChangeable` for one that is in no room or that the room gave no name;
    ///   `notConnected`, `requestFailed`, `notInRoom`, `roomNotReady`.
    public func moderate(_ message: ChatMessage.ID, reason: String? = nil) async throws(ChatError) {
        let known = try await self.message(message)
        guard try await conversation(known.conversation).kind == .room, let id = known.archiveID else {
            throw ChatError(.notChangeable, "the message \(message) cannot be taken out of a room")
        }
        try await inRoom(known.peer, known.account) { try await $0.moderate(id, in: known.peer, reason: reason) }
    }

    /// Ends a room for everybody; for owners.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`.
    public func destroyRoom(_ room: JID, reason: String? = nil, account: JID) async throws(ChatError) {
        try await inRoom(room, account, isNeeded: false) { try await $0.destroyRoom(room.bare, reason: reason) }
        let runner = try runner(account)
        do {
            let row = runner.account
            await runner.decided(room.bare)
            try await store.write { try $0.leaveRoom(account: row, room: room.bare) }
            if (try? await runner.link?.dropBookmark(of: room.bare)) != nil {
                try await store.write { try $0.bookmarked(false, account: row, room: room.bare) }
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// Asks people to come into a room; of a room for members they become members where the user may do that.
    ///
    /// Waits up to ``entryWait`` while the account is on its way into the room.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `notInRoom`, `roomNotReady`.
    public func invite(
        _ people: [JID], to room: JID, reason: String? = nil, account: JID
    ) async throws(ChatError) {
        try await inRoom(room, account) { link in
            let isMembersOnly = try await link.roomFacts(room.bare).isMembersOnly
            for person in people {
                try await link.invite(person.bare, to: room.bare, reason: reason, asMember: isMembersOnly)
            }
        }
    }

    /// The rooms into which somebody asked the user to come, the oldest first; ``joinRoom(_:as:password:account:)`` accepts.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func invitations(account: JID? = nil) async throws(ChatError) -> [RoomInvite] {
        let row = try account.map { jid throws(ChatError) in try runner(jid).account }
        do { return try await store.read { try Queries.invitations($0, account: row) } } catch {
            throw ChatError(error)
        }
    }

    /// The invitations that wait for an answer, and every change.
    public nonisolated func invitationUpdates(account: JID? = nil) -> LiveQuery<RoomInvite> {
        LiveQuery(hub: store.hub) {
            $0.requests
        } fetch: { [weak self] in
            guard let self else { return [] }
            return try await self.invitations(account: account)
        }
    }

    /// Declines an invitation; who asked is told where the room tells it.
    ///
    /// - Throws: ``ChatError``: `unknownRequest`, `unknownAccount`, `notConnected`.
    public func declineInvitation(
        to room: JID, reason: String? = nil, account: JID
    ) async throws(ChatError) {
        let row = try runner(account).account
        guard let invite = try await invitations(account: account).first(where: { $0.room == room.bare }) else {
            throw ChatError(.unknownRequest, "nobody asked you to come into \(room.bare)")
        }
        try await asking(account) { link in
            try await link.decline(
                RoomInvitation(
                    room: invite.room, inviter: invite.inviter, isMediated: invite.isMediated, password: invite.password
                ),
                reason: reason)
        }
        do {
            try await store.write { try $0.removeInvitation(account: row, room: room.bare) }
        } catch {
            throw ChatError(error)
        }
    }
}
