// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

extension AccountSessionStore {
    func receive(_ message: Message, _ transaction: StoreTransaction, _ context: inout ReceiveContext) throws {
        guard message.isCarbon else { return try receive(message, isCarbon: false, transaction, &context) }
        // One that is forged, or has nothing in it, has no effect and counts as handled.
        guard let carbon = message.carbon(for: jid) else { return }
        switch carbon.direction {
        case .received:
            // A copy of what another device got: shown here too, but that device answers for it.
            try receive(carbon.message, isCarbon: true, transaction, &context)
        case .sent:
            try receiveOwn(carbon.message, transaction, context)
        }
    }

    private func receive(
        _ message: Message, isCarbon: Bool, _ transaction: StoreTransaction, _ context: inout ReceiveContext
    ) throws {
        let peer = (message.from ?? jid).bare
        switch message.kind {
        case .groupchat:
            if !isCarbon { try receiveInRoom(message, transaction) }
            return
        case .error:
            try bounced(message, peer: peer, transaction)
            return
        case .chat, .normal, .headline:
            break
        }
        if let id = message.receiptID { try confirmed(id, peer: peer, transaction) }
        if let id = message.displayedID, peer != jid { try displayed(id, peer: peer, transaction) }
        if let invitation = message.roomInvitation { return try transaction.invited(invitation, account: account) }
        if message.isOfRoom { return }
        let archiveID = context.trustsStanzaIDs ? message.stanzaID(by: jid) : nil
        let saying = Saying(
            message: message, speaker: peer == jid ? .own : .peer,
            sent: message.delay?.stamp.milliseconds ?? transaction.now, archiveID: archiveID)
        guard let conversation = try conversation(for: saying, peer: peer, transaction),
            try !transaction.apply(saying, in: conversation), let text = saying.text
        else { return }
        let body = message.body ?? ""
        // A message to oneself that came as a copy, or that this device sent: it is here.
        if peer == jid, let own = message.originID ?? message.id,
            try transaction.copied(own, text: text, archiveID: nil, in: conversation) != nil
        {
            return
        }

        let hash = Self.contentHash(of: message, body: body)
        if let known = try repetition(of: message, hash: hash, archiveID, in: conversation, transaction) {
            if let archiveID { try transaction.identify(message: known, archive: archive, archiveID) }
            return
        }
        var new = newMessage(saying, text: text, direction: .incoming)
        new.state = MessageState.Stored.received
        new.archive = archiveID.map { (archive, $0) }
        new.contentHash = hash
        new.isUnread = peer != jid
        new.isDelayed = message.delay != nil
        new.corrects = try transaction.waitsFor(saying, in: conversation)
        if new.corrects != nil { try transaction.waits(in: conversation) }
        let id = try transaction.insert(new, account: account, conversation: conversation)
        if id != nil, !isCarbon {
            try confirm(message, peer: peer, conversation: conversation.id, transaction, &context)
        }
    }

    /// The conversation in which something was said; nil for what begins none, such as a passing state (B109).
    func conversation(
        for saying: Saying, peer: JID, _ transaction: StoreTransaction
    ) throws -> ConversationRow? {
        let message = saying.message
        let isChange = message.reactions != nil || message.retractedID != nil || message.tombstone != nil
        guard isChange || saying.text != nil else { return nil }
        return try transaction.makeConversation(
            account: account, peer: peer.description, isHidden: isChange)
    }

    /// The row of what somebody said, as far as the message itself tells.
    func newMessage(_ saying: Saying, text: String, direction: ChatMessage.Direction) -> NewMessage {
        let message = saying.message
        let (name, alias) = saying.names
        var new = NewMessage(
            direction: direction, state: MessageState.Stored.acknowledged, sender: (message.from ?? jid).description,
            kind: message.kind.rawValue, body: text, subject: message.subject, language: message.language,
            thread: message.thread, sent: saying.sent, payload: message.unmodelledXML)
        if direction == .outgoing { new.ownID = name } else { new.remoteID = name }
        new.alias = alias
        new.replyTo = message.reply?.id
        new.replyAuthor = message.reply?.author?.description
        new.isMarkable = message.isMarkable
        new.author = saying.speaker.occupant
        new.authorName = saying.speaker.name
        if message.mayHaveFiles { new.files = message.fileDescriptions }
        new.hasFile = !new.files.isEmpty || message.payload(OutOfBandLink.name) != nil
        if message.isEncrypted { new.protection = ChatMessage.Protection.unreadable.rawValue }
        return new
    }

    /// A message that another device of ours sent; also one of ours that comes back.
    private func receiveOwn(
        _ message: Message, _ transaction: StoreTransaction, _ context: ReceiveContext
    ) throws {
        guard message.from == nil || message.from?.bare == jid, let to = message.to?.bare,
            message.kind == .chat || message.kind == .normal, !message.isOfRoom
        else { return }
        let archiveID = context.trustsStanzaIDs ? message.stanzaID(by: jid) : nil
        let saying = Saying(
            message: message, speaker: .own, sent: message.delay?.stamp.milliseconds ?? transaction.now,
            archiveID: archiveID)
        guard let conversation = try conversation(for: saying, peer: to, transaction),
            try !transaction.apply(saying, in: conversation), let text = saying.text
        else { return }
        if let own = message.originID ?? message.id {
            if let known = try transaction.copied(own, text: text, archiveID: archiveID, in: conversation) {
                return try transaction.accepted(message: known)
            }
            if to == jid, try isNote(message, own, in: conversation, transaction) { return }
        }
        var new = newMessage(saying, text: text, direction: .outgoing)
        new.archive = archiveID.map { (archive, $0) }
        new.isDelayed = message.delay != nil
        new.corrects = try transaction.waitsFor(saying, in: conversation)
        if new.corrects != nil { try transaction.waits(in: conversation) }
        let id = try transaction.insert(new, account: account, conversation: conversation)
        // Somebody answers on another device: what came before has been read there.
        if id != nil { try transaction.readElsewhere(conversation: conversation.id) }
    }

    /// A displayed marker: it counts only from the address that the messages went to (T078).
    func displayed(_ id: String, peer: JID, _ transaction: StoreTransaction) throws {
        guard let conversation = try transaction.conversation(account: account, peer: peer.description),
            !conversation.isRoom
        else { return }
        try transaction.displayed(id, by: .peer, in: conversation)
    }

    /// A receipt: it counts only from the address that the message went to, as the conversation says (T078).
    func confirmed(_ id: String, peer: JID, _ transaction: StoreTransaction) throws {
        guard let known = try transaction.outgoing(account: account, peer: peer.description, ownID: id) else { return }
        try transaction.advance(message: known.id, to: MessageState.Stored.delivered, allowsFailed: true)
    }

    /// A message of ours that came back: it fails, and never becomes a text of the other side (RFC 6121 §5.2.2).
    func bounced(_ message: Message, peer: JID, _ transaction: StoreTransaction) throws {
        guard let id = message.id, let error = message.error,
            let known = try transaction.outgoing(account: account, peer: peer.description, ownID: id)
        else { return }
        let failure = MessageFailure(.init(rawValue: error.condition.name), text: error.text)
        try transaction.fail(message: known.id, failure)
    }

    /// Queues the receipt, if one is asked for, to a sender that may know that we are here: a contact who sees our presence, or somebody we
    /// wrote to (T080).
    ///
    /// It goes through the outbox, so that a crash does not swallow it.
    func confirm(
        _ message: Message, peer: JID, conversation: Int64, _ transaction: StoreTransaction,
        _ context: inout ReceiveContext
    ) throws {
        guard peer != jid, let receipt = Message.receipt(for: message), let stanzaID = receipt.id else { return }
        let entry = try transaction.contact(account: account, jid: peer.description)
        if entry?.subscription.showsOurs != true {
            guard try transaction.hasOutgoing(conversation: conversation) else { return }
        }
        try transaction.enqueue(
            account: account, stanzaID: stanzaID, chat: peer.description, payload: try receipt.storedXML())
        if !context.followUps.contains(.sendOutbox) { context.followUps.append(.sendOutbox) }
    }

    /// Whether a copy of what another device wrote to ourselves came as the message already; a short id counts for as long as
    /// the two are under way.
    private func isNote(
        _ message: Message, _ id: String, in conversation: ConversationRow, _ transaction: StoreTransaction
    ) throws -> Bool {
        let isLong = id.utf8.count >= StoreTransaction.uniqueIDBytes
        return try transaction.repeated(
            id: id, hash: Self.contentHash(of: message, body: message.body ?? ""), archiveID: nil,
            conversation: conversation.id, since: transaction.now - (isLong ? Self.repetitionWindow : 10_000)) != nil
    }

    /// How far back a repeated message is looked for, in milliseconds.
    private static let repetitionWindow: Int64 = 7 * 24 * 60 * 60 * 1000

    /// The row of the same message that came before, under another archive id or none.
    ///
    /// A sender that does not know whether its message went out sends it again, and the server archives both. Looked for
    /// only where a repetition is likely: the message was held on its way, or its id is so long that nobody gives it
    /// twice by chance. Sender, id and content must all be the same; an id alone proves nothing, since clients reuse
    /// short ones.
    private func repetition(
        of message: Message, hash: Int64, _ archiveID: String?, in conversation: ConversationRow,
        _ transaction: StoreTransaction
    ) throws -> Int64? {
        guard let id = message.originID ?? message.id,
            message.delay != nil || id.utf8.count >= StoreTransaction.uniqueIDBytes
        else { return nil }
        return try transaction.repeated(
            id: id, hash: hash, archiveID: archiveID, conversation: conversation.id,
            since: transaction.now - Self.repetitionWindow)
    }

    /// Over what makes two copies the same; a chosen collision hides nothing but the sender's own message.
    static func contentHash(of message: Message, body: String) -> Int64 {
        contentHash(kind: message.kind, subject: message.subject, body: body)
    }

    static func contentHash(kind: Message.Kind, subject: String?, body: String) -> Int64 {
        var hash = StableHash()
        hash.mix(kind.rawValue)
        hash.mix(subject ?? "")
        hash.mix(body)
        return Int64(bitPattern: hash.value)
    }

    /// Takes a chat state in; what was held on its way tells nothing of this moment (B108).
    func noteTyping(_ message: Message) -> Bool {
        guard message.kind != .error, message.kind != .groupchat, message.delay == nil,
            let from = message.from?.bare, from != jid
        else { return false }
        let hasBody = message.body != nil
        guard hasBody || message.chatState != nil else { return false }
        let isTyping = !hasBody && message.chatState == .composing
        return typing.set(isTyping, account: jid, peer: from, now: store.now)
    }
}

extension DateTime {
    /// Milliseconds since 1970.
    var milliseconds: Int64 { seconds &* 1000 &+ Int64(nanoseconds / 1_000_000) }
}
