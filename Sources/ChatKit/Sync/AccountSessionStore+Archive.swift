// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// How a page of the archive becomes messages here: each once, in the order of the archive.
extension AccountSessionStore {
    /// The name of the account's own archive.
    var archive: String { jid.description }

    func anchor() async throws -> Anchor? {
        let (account, archive) = (account, archive)
        return try await store.read { try StoreTransaction.anchor($0, account: account, archive: archive) }
    }

    /// Takes a page over and moves the anchor behind it, both or neither.
    ///
    /// - Parameter position: Where the page was asked for; one that is not stable leaves the anchor there.
    func take(_ page: CatchUpPage, from position: CatchUpPosition) async throws {
        let followUps = try await store.write { transaction in
            var context = ReceiveContext(followUps: [], trustsStanzaIDs: true)
            var places: [Int64: Int64] = [:]
            for archived in page.messages {
                do {
                    try transaction.attempt { try self.take(archived, transaction, &context, &places) }
                } catch let error where Self.isFaultOfStanza(error) {
                    try transaction.quarantine(
                        .message(archived.message), account: self.account, reason: String(describing: error))
                }
            }
            try transaction.settleDisplayed(account: self.account)
            guard page.isStable, let last = page.last else { return context.followUps }
            let before = try transaction.anchor(account: self.account, archive: self.archive)
            let time = page.messages.last?.stamp ?? before?.lastTime ?? transaction.now
            try transaction.keep(
                Anchor(lastID: last, lastTime: time), account: self.account, archive: self.archive)
            return context.followUps
        }
        if !followUps.isEmpty { onFollowUp(followUps) }
    }

    private func take(
        _ archived: CatchUpMessage, _ transaction: StoreTransaction, _ context: inout ReceiveContext,
        _ places: inout [Int64: Int64]
    ) throws {
        let message = archived.message
        let isOwn = message.from?.bare == jid
        let peer = isOwn ? message.to?.bare ?? jid : (message.from ?? jid).bare
        if message.kind == .groupchat { return }
        if message.kind == .error { return try bounced(message, peer: peer, transaction) }
        if !isOwn, let id = message.receiptID { try confirmed(id, peer: peer, transaction) }
        if !isOwn, let id = message.displayedID { try displayed(id, peer: peer, transaction) }
        guard !message.isOfRoom else { return }
        let stamp = archived.stamp ?? message.delay?.stamp.milliseconds
        let saying = Saying(message: message, speaker: isOwn ? .own : .peer, sent: stamp ?? transaction.now)
        guard let conversation = try conversation(for: saying, peer: peer, transaction) else { return }
        if try bury(archived, saying, conversation, transaction) { return }
        guard try !transaction.apply(saying, in: conversation), let text = saying.text else { return }
        let body = message.body ?? ""

        var cursor = try places[conversation.id] ?? transaction.archivedSort(conversation: conversation.id)
        defer { places[conversation.id] = cursor }
        if let known = try known(archived, body: body, isOwn: isOwn, peer: peer, conversation, transaction) {
            // Servers hand over what they kept for a resumed stream mixed with what is new; the archive has the order.
            // Messages of ours stay where they were written.
            let isMisplaced = known.isNew && !isOwn && known.sort < cursor
            let sort = isMisplaced ? try transaction.move(known.row, behind: cursor, in: conversation) : known.sort
            cursor = max(cursor, sort)
            return
        }
        let isOutgoing = isOwn && peer != jid
        var new = newMessage(saying, text: text, direction: isOutgoing ? .outgoing : .incoming)
        new.archive = (archive, archived.id)
        new.isDelayed = true
        new.isArchived = true
        new.place = try transaction.place(behind: cursor, in: conversation.id)
        if !isOutgoing {
            new.state = MessageState.Stored.received
            new.contentHash = Self.contentHash(of: message, body: body)
            new.isUnread = peer != jid
        }
        new.corrects = try transaction.waitsFor(saying, in: conversation)
        if new.corrects != nil { try transaction.waits(in: conversation) }
        guard let id = try transaction.insert(new, account: account, conversation: conversation) else { return }
        cursor = try transaction.connection.value("SELECT sort FROM message WHERE id = ?", id) ?? cursor
        if isOutgoing {
            // Somebody answered on another device: what came before has been read there.
            try transaction.readElsewhere(conversation: conversation.id, through: cursor)
        } else if stamp.map({ transaction.now - $0 < Self.maximumAge }) == true {
            try confirm(message, peer: peer, conversation: conversation.id, transaction, &context)
        }
    }

    /// What the archive has in the place of a message that was taken back (XEP-0424 §4); true when this is such a one.
    private func bury(
        _ archived: CatchUpMessage, _ saying: Saying, _ conversation: ConversationRow, _ transaction: StoreTransaction
    ) throws -> Bool {
        guard let tombstone = archived.message.tombstone else { return false }
        guard let row = try transaction.message(archived: archived.id, by: archive, in: conversation) else {
            return true
        }
        try transaction.erase(row, sent: tombstone.stamp?.milliseconds ?? saying.sent, in: conversation)
        return true
    }

    private struct Known {
        let row: Int64
        /// Its place.
        let sort: Int64
        /// The archive has not been gone through up to it before.
        let isNew: Bool
    }

    /// The row that is this message, if there is one; it is the archive's from now on (keys K1 to K3).
    private func known(
        _ archived: CatchUpMessage, body: String, isOwn: Bool, peer: JID, _ conversation: ConversationRow,
        _ transaction: StoreTransaction
    ) throws -> Known? {
        let message = archived.message
        let own = message.originID ?? message.id
        var row: Int64? = try transaction.connection.value(
            "SELECT id FROM message WHERE archive_jid = ? AND archive_id = ?", archive, archived.id)
        if row == nil, isOwn, let own,
            let outgoing = try transaction.outgoing(account: account, peer: peer.description, ownID: own)
        {
            row = outgoing.id
            try transaction.accepted(message: outgoing.id)
        } else if row == nil, !isOwn || peer == jid {
            row = try transaction.repeated(
                id: own, hash: Self.contentHash(of: message, body: body), archiveID: archived.id,
                conversation: conversation.id, since: nil)
        }
        guard let row else { return nil }
        let isNew = try transaction.archive(message: row, as: archive, archived.id)
        let sort: Int64? = try transaction.connection.value("SELECT sort FROM message WHERE id = ?", row)
        return sort.map { Known(row: row, sort: $0, isNew: isNew) }
    }
}
