// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// What the archive of a room has.
extension AccountSessionStore {
    func take(
        _ archived: CatchUpMessage, of room: RoomRow, _ transaction: StoreTransaction, _ intake: inout ArchiveIntake
    ) throws {
        let message = archived.message
        guard message.kind == .groupchat, let from = message.from, from.bare == room.room,
            let conversation = try intake.conversation(with: room.room) ?? transaction.conversation(room.conversation)
        else { return }
        intake.note(conversation, of: room.room)
        defer { if message.moderation != nil { intake.conversations = [:] } }
        // A moderator took it away, or says so of another one (XEP-0425).
        if let moderation = message.moderationTombstone(stanzaID: archived.id) {
            guard try transaction.message(entry: archived.id, of: room.room.description, in: conversation) != nil
            else { return }
            return try transaction.moderate(archived.id, Moderation(moderation), in: conversation)
        }
        if let moderation = message.moderation {
            return try transaction.moderate(moderation.stanzaID, Moderation(moderation), in: conversation)
        }
        guard let nick = from.resource else { return }
        let speaker = try archivedSpeaker(message, from, nick, room, transaction)
        let saying = Saying(
            message: message, speaker: speaker, sent: archived.stamp ?? transaction.now, archiveID: archived.id)
        let text = saying.text
        _ = try take(
            archived, saying, speaker.isOwn ? .outgoing : .incoming, conversation, transaction, &intake
        ) { new in
            if speaker.isOwn {
                new.state = MessageState.Stored.delivered
            } else {
                new.isUnread = true
                new.isMention = Self.names(room.nick, in: text ?? "")
            }
        }
    }

    /// Who said it: by the room's name for the account.
    ///
    /// A nickname alone proves nothing of the past, when it may have been somebody else's; then a message of ours is one that
    /// is here.
    private func archivedSpeaker(
        _ message: Message, _ from: JID, _ nick: String, _ room: RoomRow, _ transaction: StoreTransaction
    ) throws -> Speaker {
        let id = room.namesOccupants ? RoomMessageFacts(message)?.occupantID : nil
        let isOwn: Bool
        if let mine = room.occupant, let id {
            isOwn = mine == id
        } else if nick == room.nick, let own = message.originID ?? message.id {
            isOwn = try transaction.outgoing(account: account, peer: room.room.description, ownID: own) != nil
        } else {
            isOwn = false
        }
        return Speaker(isOwn: isOwn, occupant: isOwn ? nil : id.map { "id:\($0)" } ?? from.description, name: nick)
    }
}

extension Moderation {
    init(_ moderation: RoomModeration) {
        self.init(by: moderation.moderator?.resource, reason: moderation.reason)
    }
}
