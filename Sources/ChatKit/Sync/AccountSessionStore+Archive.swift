// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// How a page of an archive becomes messages here: each once, in the order of the archive.
extension AccountSessionStore {
    /// The name of the account's own archive.
    var archive: String { jid.description }

    /// Up to where an archive is here; nil is the account's own.
    func anchor(_ scope: ArchiveScope? = nil) async throws -> Anchor? {
        let (account, scope) = (account, scope ?? .own(jid))
        return try await store.read { try StoreTransaction.anchor($0, account: account, archive: scope.name) }
    }

    /// Takes a page over and moves the anchor behind it, both or neither.
    ///
    /// The last page is durable when this returns, and all before it then. Until then a loss of power may take back pages
    /// with their anchors, and they are asked for again.
    ///
    /// - Parameters:
    ///   - page: One that is not stable leaves the anchor where it is.
    ///   - scope: Which archive; nil is the account's own.
    ///   - gap: A gap that ends where the page begins.
    func take(_ page: CatchUpPage, of scope: ArchiveScope? = nil, ending gap: Int64? = nil) async throws {
        let scope = scope ?? .own(jid)
        let followUps = try await writePage(isRelaxed: !page.isComplete) { transaction, isIsolating in
            if let gap, !page.messages.isEmpty { try transaction.end(gap, at: page, scope, self.account) }
            var intake = try self.intake(scope, transaction)
            try self.take(page, transaction, &intake, isIsolating: isIsolating)
            guard page.isStable, let last = page.last else { return intake.context.followUps }
            let before = try transaction.anchor(account: self.account, archive: scope.name)
            let time = page.messages.last?.stamp ?? before?.lastTime ?? transaction.now
            // A clock that is wrong must not hide what comes, should the archive be asked by time one day.
            let latest = min(time, transaction.now + Anchor.overlap)
            try transaction.keep(Anchor(lastID: last, lastTime: latest), account: self.account, archive: scope.name)
            return intake.context.followUps
        }
        if !followUps.isEmpty { onFollowUp(followUps) }
    }

    /// Takes over what is missing of a page that ends at the anchor.
    ///
    /// What lies before the first message of it that is here, or long before the anchor, was never asked for.
    func take(late page: CatchUpPage, before anchor: Anchor) async throws {
        let scope = ArchiveScope.own(jid)
        let followUps = try await writePage { transaction, isIsolating in
            let recent = page.messages.drop { ($0.stamp ?? 0) < anchor.lastTime - Anchor.lateness }
            let known = try recent.drop { try transaction.placeOf($0.id, scope.name, self.account) == nil }
            var intake = try self.intake(scope, transaction)
            intake.cursors = try transaction.cursors(before: known, archive: scope.name, account: self.account)
            let late = CatchUpPage(messages: Array(known), isComplete: true)
            try self.take(late, transaction, &intake, isIsolating: isIsolating)
            return intake.context.followUps
        }
        if !followUps.isEmpty { onFollowUp(followUps) }
    }

    /// Takes a page of the account's own archive over; for measuring.
    package func take(own page: CatchUpPage) async throws { try await take(page, of: nil) }

    /// Takes over a page of what lies in a gap of a conversation, next to its end; gives whether something is still missing.
    func fill(_ page: CatchUpPage, gap: Int64, in conversation: Int64, of scope: ArchiveScope) async throws -> Bool {
        try await writePage { transaction, isIsolating in
            guard let place = try Queries.gapPlace(transaction.connection, gap, in: conversation) else { return false }
            var (page, hasReachedKnown) = (page, false)
            if let floor = place.afterSort {
                // What lies before the gap, and before that, is not in it.
                let known = try page.messages.lastIndex { archived in
                    try transaction.placeOf(archived.id, scope.name, self.account).map { $0 <= floor } ?? false
                }
                if let known {
                    page.messages.removeSubrange(...known)
                    hasReachedKnown = true
                }
            }
            var intake = try self.intake(scope, transaction)
            intake.filling = ArchiveIntake.Filling(
                conversation: conversation,
                places: try transaction.places(for: page.messages, of: scope.name, at: place, in: conversation),
                isUnread: place.isLoss)
            try self.take(page, transaction, &intake, isIsolating: isIsolating)
            guard let filling = intake.filling else { return false }
            let isDone = page.isComplete || page.messages.isEmpty || hasReachedKnown
            try transaction.filled(
                gap, in: conversation, before: filling.first, id: page.messages.first?.id, isClosed: isDone)
            if !place.isLoss, let last = filling.last { try transaction.wasReadLongAgo(conversation, through: last) }
            return !isDone
        }
    }

    private func intake(_ scope: ArchiveScope, _ transaction: StoreTransaction) throws -> ArchiveIntake {
        var intake = ArchiveIntake(scope)
        if let room = scope.room { intake.room = try transaction.room(account: account, room) }
        return intake
    }

    /// Almost always every message of a page can be applied; only when one cannot is the work done again, one by one.
    private func writePage<Result: Sendable>(
        isRelaxed: Bool = false, _ body: @Sendable (StoreTransaction, _ isIsolating: Bool) throws -> Result
    ) async throws -> Result {
        do {
            return try await store.write(isRelaxed: isRelaxed) { try body($0, false) }
        } catch let error where Self.isFaultOfStanza(error) {
            return try await store.write(isRelaxed: isRelaxed) { try body($0, true) }
        }
    }

    private func take(
        _ page: CatchUpPage, _ transaction: StoreTransaction, _ intake: inout ArchiveIntake, isIsolating: Bool
    ) throws {
        transaction.gathered = GatheredMessages()
        intake.known = try transaction.archived(
            page.messages.lazy.map(\.id), by: intake.scope.name, account: account)
        let peers = page.messages.map { peer(of: $0.message) }
        if intake.scope.room == nil { try look(for: peers, transaction, &intake) }
        let names = zip(page.messages, peers).compactMap { archived, peer -> Int64? in
            let conversation = intake.room?.conversation ?? intake.conversations[peer]?.id
            guard let conversation, let name = archived.message.originID ?? archived.message.id else { return nil }
            return MessageName.hash(name, in: conversation)
        }
        try transaction.look(for: Set(names))
        defer { transaction.absentNames = [] }
        for (archived, peer) in zip(page.messages, peers) {
            guard isIsolating else {
                try take(archived, peer, transaction, &intake)
                continue
            }
            do {
                try transaction.attempt { try self.take(archived, peer, transaction, &intake) }
            } catch let error where Self.isFaultOfStanza(error) {
                intake.conversations = [:]
                try transaction.quarantine(
                    .message(archived.message), account: account, reason: String(describing: error))
            }
        }
        try transaction.settleGathered()
        transaction.gathered = nil
        try transaction.settleDisplayed(account: account)
    }

    /// With whom a message of the account's own archive was exchanged.
    private func peer(of message: Message) -> JID {
        guard let from = message.from?.bare else { return jid }
        return from == jid ? message.to?.bare ?? jid : from
    }

    /// Finds the conversations of a page, all at once.
    private func look(
        for peers: [JID], _ transaction: StoreTransaction, _ intake: inout ArchiveIntake
    ) throws {
        let peers = Set(peers)
        let known = try transaction.conversations(account: account, peers: peers)
        let rows = Dictionary(known.map { ($0.row.peer, $0) }) { first, _ in first }
        for peer in peers {
            guard let found = rows[peer.description] else { continue }
            intake.note(found.row, of: peer)
            if intake.cursors[found.row.id] == nil { intake.cursors[found.row.id] = found.archivedSort }
        }
    }

    private func take(
        _ archived: CatchUpMessage, _ peer: JID, _ transaction: StoreTransaction, _ intake: inout ArchiveIntake
    ) throws {
        if let room = intake.room { return try take(archived, of: room, transaction, &intake) }
        guard intake.scope.room == nil else { return }
        let message = archived.message
        let isOwn = message.from?.bare == jid
        if message.kind == .groupchat { return }
        if message.kind == .error { return try bounced(message, peer: peer, transaction) }
        if !isOwn, let id = message.receiptID { try confirmed(id, peer: peer, transaction) }
        if !isOwn, let id = message.displayedID { try displayed(id, peer: peer, transaction) }
        let stamp = archived.stamp ?? message.delay?.stamp.milliseconds
        let isRecent = intake.filling == nil && stamp.map({ transaction.now - $0 < Self.maximumAge }) == true
        if !isOwn, let invitation = message.roomInvitation {
            if isRecent { try transaction.invited(invitation, account: account) }
            return
        }
        guard !message.isOfRoom else { return }
        let saying = Saying(
            message: message, speaker: isOwn ? .own : .peer, sent: stamp ?? transaction.now, archiveID: archived.id)
        guard let conversation = try conversation(for: saying, peer: peer, transaction, &intake) else { return }
        let isOutgoing = isOwn && peer != jid
        let inserted = try take(
            archived, saying, isOutgoing ? .outgoing : .incoming, conversation, transaction, &intake
        ) { new in
            if !isOutgoing { new.isUnread = peer != jid }
        }
        guard let inserted, intake.filling == nil else { return }
        if isOutgoing {
            // Somebody answered on another device: what came before has been read there.
            transaction.gathered?.read(conversation.id, through: inserted)
        } else if isRecent {
            try confirm(message, peer: peer, conversation: conversation.id, transaction, &intake.context)
        }
    }

    /// The conversation in which something was said; one that is known from the page is not looked for again.
    private func conversation(
        for saying: Saying, peer: JID, _ transaction: StoreTransaction, _ intake: inout ArchiveIntake
    ) throws -> ConversationRow? {
        guard saying.text != nil else { return try conversation(for: saying, peer: peer, transaction) }
        if let known = intake.conversation(with: peer) { return known }
        let row = try conversation(for: saying, peer: peer, transaction)
        if let row { intake.note(row, of: peer) }
        return row
    }

    /// Takes over what somebody said, in the place that the archive gives it; gives the place of a message that is new.
    func take(
        _ archived: CatchUpMessage, _ saying: Saying, _ direction: ChatMessage.Direction,
        _ conversation: ConversationRow, _ transaction: StoreTransaction, _ intake: inout ArchiveIntake,
        _ complete: (inout NewMessage) -> Void
    ) throws -> Int64? {
        if let filling = intake.filling, filling.conversation != conversation.id { return nil }
        if try bury(archived, saying, conversation, intake.scope, transaction) { return nil }
        guard try !transaction.apply(saying, in: conversation), let text = saying.text else {
            intake.forget(conversation)
            return nil
        }
        let body = archived.message.body ?? ""

        var cursor = try intake.cursors[conversation.id] ?? transaction.archivedSort(conversation: conversation.id)
        defer { intake.cursors[conversation.id] = cursor }
        if let known = try known(archived, body: body, saying, conversation, intake, transaction) {
            if intake.filling != nil {
                intake.filling?.saw(known.row)
                return nil
            }
            // Servers hand over what they kept for a resumed stream mixed with what is new, and each device shows at once what
            // it wrote; the archive has the order.
            let isMisplaced = known.isNew && known.sort < cursor
            if isMisplaced { intake.forget(conversation) }
            let sort = isMisplaced ? try transaction.move(known.row, behind: cursor, in: conversation) : known.sort
            cursor = max(cursor, sort)
            return nil
        }
        var new = newMessage(saying, text: text, direction: direction)
        new.archive = (intake.scope.name, archived.id)
        new.isDelayed = true
        new.isArchived = true
        if direction == .incoming {
            new.state = MessageState.Stored.received
            new.contentHash = Self.contentHash(of: archived.message, body: body)
        }
        complete(&new)
        if let filling = intake.filling {
            new.place = filling.places[archived.id]
            new.isHistory = true
            new.isUnread = new.isUnread && filling.isUnread
        } else {
            // Behind the end there is nothing to make room in.
            if cursor < conversation.lastSort {
                new.place = try transaction.place(behind: cursor, in: conversation.id)
                intake.forget(conversation)
            }
        }
        new.corrects = try transaction.waitsFor(saying, in: conversation)
        if new.corrects != nil {
            try transaction.waits(in: conversation)
            intake.forget(conversation)
        }
        guard let (id, sort) = try transaction.put(new, account: account, conversation: conversation) else {
            return nil
        }
        if intake.filling != nil {
            intake.filling?.saw(id)
            intake.filling?.last = sort
        } else {
            cursor = sort
        }
        intake.lastSorts[conversation.id] = max(conversation.lastSort, sort)
        return sort
    }

    /// What the archive has in the place of a message that was taken back (XEP-0424 §4); true when this is such a one.
    private func bury(
        _ archived: CatchUpMessage, _ saying: Saying, _ conversation: ConversationRow, _ scope: ArchiveScope,
        _ transaction: StoreTransaction
    ) throws -> Bool {
        guard let tombstone = archived.message.tombstone else { return false }
        guard let row = try transaction.message(entry: archived.id, of: scope.name, in: conversation) else {
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
        _ archived: CatchUpMessage, body: String, _ saying: Saying, _ conversation: ConversationRow,
        _ intake: ArchiveIntake, _ transaction: StoreTransaction
    ) throws -> Known? {
        let (message, scope) = (archived.message, intake.scope)
        let own = message.originID ?? message.id
        var row = intake.known[archived.id]
        if row == nil, saying.speaker.isOwn, let own,
            let outgoing = try transaction.copied(
                own, text: saying.text ?? "", archiveID: archived.id, in: conversation)
        {
            row = outgoing
            try transaction.accepted(message: outgoing)
            if scope.room != nil { try transaction.reflected(message: outgoing) }
        } else if row == nil, !saying.speaker.isOwn || conversation.peer == jid.description {
            row = try transaction.repeated(
                id: own, hash: Self.contentHash(of: message, body: body), archiveID: archived.id,
                conversation: conversation.id, since: nil, author: saying.speaker.occupant)
        }
        guard let row else { return nil }
        let isNew = try transaction.archive(message: row, as: scope.name, archived.id)
        let sort: Int64? = try transaction.connection.value("SELECT sort FROM message WHERE id = ?", row)
        return sort.map { Known(row: row, sort: $0, isNew: isNew) }
    }
}
