// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

extension AccountSessionStore {
    /// A message of a room: it counts only from a room in which the user wants to be (T127).
    func receiveInRoom(_ message: Message, _ transaction: StoreTransaction) throws {
        guard let from = message.from,
            let conversation = try transaction.conversation(account: account, peer: from.bare.description),
            conversation.isRoom, let room = try transaction.room(conversation.id), room.isJoined
        else { return }
        // Only the room itself moderates (T119).
        if let moderation = message.moderation {
            return try transaction.moderate(moderation.stanzaID, Moderation(moderation), in: conversation)
        }
        // XEP-0045 §8.1: a subject beside a body or a thread is part of a message.
        if let topic = message.subject, message.body == nil, message.thread == nil {
            return try transaction.setTopic(topic, in: conversation)
        }
        guard let nick = from.resource else { return }
        let speaker = speaker(of: message, from, nick, room)
        if let id = message.displayedID, !speaker.isOwn {
            try transaction.displayed(id, by: speaker, in: conversation)
        }
        // Only the room itself can say when something was said (T122).
        let delay = message.delays.first { $0.from == from.bare }
        let archiveID = message.stanzaID(by: from.bare)
        let saying = Saying(
            message: message, speaker: speaker, sent: delay?.stamp.milliseconds ?? transaction.now,
            archiveID: archiveID)
        let isChange = message.reactions != nil || message.retractedID != nil || message.correctedID != nil
        guard isChange || saying.text != nil, try !transaction.apply(saying, in: conversation), let text = saying.text
        else { return }
        let body = message.body ?? ""
        if speaker.isOwn,
            let known = try reflected(message, text, archiveID, isLive: delay == nil, in: conversation, transaction)
        {
            // The room gave it to everybody.
            try transaction.accepted(message: known)
            try transaction.reflected(message: known)
            if let archiveID { try transaction.identify(message: known, archive: conversation.peer, archiveID) }
            return
        }
        let hash = Self.contentHash(of: message, body: body)
        if archiveID == nil, delay != nil,
            try transaction.repeated(
                id: message.originID ?? message.id, hash: hash, archiveID: nil, conversation: conversation.id,
                since: nil, author: speaker.occupant)
                != nil
        {
            return
        }
        var new = newMessage(saying, text: text, direction: speaker.isOwn ? .outgoing : .incoming)
        new.archive = archiveID.map { (conversation.peer, $0) }
        new.isDelayed = delay != nil
        new.corrects = try transaction.waitsFor(saying, in: conversation)
        if new.corrects != nil { try transaction.waits(in: conversation) }
        if speaker.isOwn {
            new.state = MessageState.Stored.delivered
        } else {
            new.state = MessageState.Stored.received
            (new.contentHash, new.isUnread) = (hash, true)
            new.isMention = Self.names(room.nick, in: text)
        }
        _ = try transaction.insert(new, account: account, conversation: conversation)
    }

    /// Our row that a room gives back: by its id, else, in a room that gives messages other ids, by its text.
    private func reflected(
        _ message: Message, _ text: String, _ archiveID: String?, isLive: Bool, in conversation: ConversationRow,
        _ transaction: StoreTransaction
    ) throws -> Int64? {
        if let own = message.originID ?? message.id,
            let known = try transaction.copied(own, text: text, archiveID: archiveID, in: conversation)
        {
            return known
        }
        guard isLive, !text.isEmpty else { return nil }
        return try transaction.connection.value(
            """
            SELECT id FROM message WHERE conversation = ? AND direction = 1 AND state IN (1, 2) AND body = ?
            ORDER BY sort LIMIT 1
            """, conversation.id, text)
    }

    /// Our own presence in a room says which nickname it gave us, and which name.
    func receiveInRoom(_ presence: Presence, _ transaction: StoreTransaction) throws {
        guard presence.kind == .available, presence.payload(RoomNames.user) != nil, let from = presence.from,
            let nick = from.resource, let told = RoomPresence(presence), told.statuses.contains(.selfPresence),
            let room = try transaction.room(account: account, from.bare), room.isJoined
        else { return }
        let occupant = room.namesOccupants ? told.occupantID ?? room.occupant : room.occupant
        guard nick != room.nick || occupant != room.occupant else { return }
        try transaction.connection.run(
            "UPDATE conversation SET nick = ?, occupant = ? WHERE id = ?", nick, occupant, room.conversation)
        transaction.changes.conversations.insert(room.conversation)
    }

    /// Who said it: by the room's name for the account where it announces such names (T133), else by the nickname.
    private func speaker(of message: Message, _ from: JID, _ nick: String, _ room: RoomRow) -> Speaker {
        let id = room.namesOccupants ? RoomMessageFacts(message)?.occupantID : nil
        let isOwn =
            if let own = room.occupant, let id { own == id } else { nick == room.nick }
        return Speaker(isOwn: isOwn, occupant: isOwn ? nil : id.map { "id:\($0)" } ?? from.description, name: nick)
    }

    /// Whether a text names somebody: the nickname stands there as a word, in whatever case.
    static func names(_ nick: String, in text: String) -> Bool {
        guard !nick.isEmpty else { return false }
        let (text, nick) = (ContactSections.folded(text), ContactSections.folded(nick))
        var rest = text[...]
        while let found = rest.firstRange(of: nick) {
            let before = found.lowerBound > text.startIndex ? text[text.index(before: found.lowerBound)] : " "
            let after = found.upperBound < text.endIndex ? text[found.upperBound] : " "
            let isIdeograph = nick.unicodeScalars.allSatisfy { $0.value >= 0x2E80 }
            if isIdeograph || !Self.isPart(before) && !Self.isPart(after) { return true }
            rest = rest[rest.index(after: found.lowerBound)...]
        }
        return false
    }

    private static func isPart(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
