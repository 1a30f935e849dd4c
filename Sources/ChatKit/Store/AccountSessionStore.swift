// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
package import XMPP

/// Keeps one account's session in the profile's database: what a commit received, its effects and the counters of
/// the stream become durable in one transaction, or not at all.
package final class AccountSessionStore: SessionStore {
    /// What is to be done on the wire once a commit is durable.
    package enum FollowUp: Sendable, Hashable {
        /// Accept a request to see our presence, and ask back if `addsBack`.
        case accept(JID, addsBack: Bool)
        /// Decline one.
        case decline(JID)
        /// The outbox has new rows.
        case sendOutbox
        /// The server does not count: only its answer to something later proves that it has what was written.
        case proveWritten(through: UInt64)
        /// Much has come since the archive was looked at.
        case catchUp
        /// Much was said in a room since its archive was looked at.
        case catchUpRoom(JID)
        /// Somebody has another picture.
        case fetchPictures
    }

    /// So many messages come before the archive is gone through again: the next stream then has little to ask for.
    static let messagesBetweenCatchUps = 256

    /// Older messages that were never acknowledged are not sent again without asking.
    package static let maximumAge: Int64 = 24 * 60 * 60 * 1000

    let store: ChatStore
    let account: Int64
    /// The bare address of the account.
    let jid: JID
    let presence: PresenceBook
    let typing: TypingBook
    /// Which pictures contacts announce.
    let avatars = Locked(AvatarBook())
    /// The stream of the last commit.
    private let streamID = Locked(String?.none)
    let acceptLimit = Locked(RateLimit(count: 10, milliseconds: 60_000))
    private let messagesSinceCatchUp = Locked(0)
    private let roomMessagesSinceCatchUp = Locked([JID: Int]())
    let onFollowUp: @Sendable ([FollowUp]) -> Void

    package init(
        store: ChatStore, account: Int64, jid: JID, presence: PresenceBook = PresenceBook(),
        typing: TypingBook = TypingBook(), onFollowUp: @escaping @Sendable ([FollowUp]) -> Void = { _ in }
    ) {
        self.store = store
        self.account = account
        self.jid = jid.bare
        self.presence = presence
        self.typing = typing
        self.onFollowUp = onFollowUp
    }

    package func load() async throws -> StoredSession? {
        let account = account
        let loaded = try await store.write { transaction -> (StoredSession, [StoredPresence])? in
            guard var state = try transaction.streamState(account: account) else { return nil }
            if try transaction.hasWritten(account: account, before: transaction.now - Self.maximumAge) {
                // Resuming would send it again, and the stream of that time is gone as well.
                (state.streamID, state.location, state.boundJID) = (nil, nil, nil)
                try transaction.keep(state, account: account)
            }
            if state.streamID == nil { try transaction.forgetPresence(account: account) }
            let session = StoredSession(
                state: state, unacknowledged: try transaction.unacknowledged(account: account))
            return (session, try transaction.presence(account: account))
        }
        guard let (session, presences) = loaded else { return nil }
        streamID.withLock { $0 = session.state.streamID }
        for stored in presences { presence.restore(stored.resource, of: stored.contact, account: jid) }
        return session
    }

    package func commit(_ commit: SessionCommit) async throws {
        // Presence belongs to the stream that told it.
        let isNewStream = streamID.withLock { $0 } != commit.state.streamID
        let followUps = try await store.write { transaction in
            // Almost always every stanza can be applied; only when one cannot is the work done again one by one.
            do {
                return try transaction.attempt {
                    try self.apply(commit, to: transaction, isNewStream, isolating: false)
                }
            } catch let error where Self.isFaultOfStanza(error) {
                return try self.apply(commit, to: transaction, isNewStream, isolating: true)
            }
        }
        if isNewStream {
            streamID.withLock { $0 = commit.state.streamID }
            presence.reset(jid, isOnline: true)
            store.hub.publish(StoreChanges(presence: [account]))
        }
        publishTransient(commit.received)
        if countMessages(commit.received) { onFollowUp([.catchUp]) }
        for room in countRoomMessages(commit.received) { onFollowUp([.catchUpRoom(room)]) }
        if !followUps.isEmpty { onFollowUp(followUps) }
    }

    package var takesMessagesBack: Bool { true }

    /// What waited for a day is not sent again without asking, and resuming would.
    package func mayResume() async -> Bool {
        let account = account
        let old = try? await store.read { connection in
            try StoreTransaction.hasWritten(connection, account: account, before: self.store.now - Self.maximumAge)
        }
        return old != true
    }

    /// Whether enough has come to look at the archive again.
    private func countMessages(_ stanzas: [Stanza]) -> Bool {
        let count = stanzas.reduce(0) { if case .message = $1 { $0 + 1 } else { $0 } }
        guard count > 0 else { return false }
        return messagesSinceCatchUp.withLock { messages in
            messages += count
            guard messages >= Self.messagesBetweenCatchUps else { return false }
            messages = 0
            return true
        }
    }

    /// The rooms in which enough was said to look at their archives again.
    private func countRoomMessages(_ stanzas: [Stanza]) -> [JID] {
        var full: [JID] = []
        for case .message(let message) in stanzas where message.kind == .groupchat {
            guard let room = message.from?.bare else { continue }
            let isFull = roomMessagesSinceCatchUp.withLock { rooms in
                rooms[room, default: 0] += 1
                guard rooms[room, default: 0] >= Self.messagesBetweenCatchUps else { return false }
                rooms[room] = nil
                return true
            }
            if isFull { full.append(room) }
        }
        return full
    }

    /// Writes one commit into the transaction.
    ///
    /// - Parameter isolating: Each stanza gets a savepoint, and one that cannot be applied goes into quarantine: it is
    ///   counted as handled, or the server would send it again for ever.
    private func apply(
        _ commit: SessionCommit, to transaction: StoreTransaction, _ isNewStream: Bool, isolating: Bool
    ) throws -> [FollowUp] {
        var context = ReceiveContext(followUps: [])
        if isNewStream { try transaction.forgetPresence(account: account) }
        if !commit.received.isEmpty {
            context.trustsStanzaIDs = try transaction.trustsStanzaIDs(account: account)
        }
        for stanza in commit.received {
            if isolating {
                do {
                    try transaction.attempt { try receive(stanza, transaction, &context) }
                } catch let error where Self.isFaultOfStanza(error) {
                    try transaction.quarantine(stanza, account: account, reason: String(describing: error))
                }
            } else {
                try receive(stanza, transaction, &context)
            }
        }
        if !commit.received.isEmpty { try transaction.settleDisplayed(account: account) }
        if let left = commit.givesBack {
            if let sequence = commit.acknowledgedThrough {
                try transaction.acknowledged(account: account, through: sequence)
            }
            try transaction.takeBack(account: account, left)
        }
        // A server that does not count will never acknowledge.
        let isCounted = commit.state.sentOnStream > 0
        for stanza in commit.sent {
            if isCounted { try transaction.keep(stanza, account: account) }
            if stanza.kind == .message, let id = stanza.id {
                try transaction.wrote(
                    account: account, stanzaID: id, sequence: stanza.sequence, session: commit.state.streamID)
            }
        }
        if !isCounted, let last = commit.sent.last(where: { $0.kind == .message }) {
            context.followUps.append(.proveWritten(through: last.sequence))
        }
        if let sequence = commit.acknowledgedThrough, isCounted, commit.givesBack == nil {
            try transaction.acknowledged(account: account, through: sequence)
        }
        for (sequence, error) in commit.dropped.sorted(by: { $0.key < $1.key }) {
            try transaction.dropped(account: account, sequence: sequence, MessageFailure(dropped: error))
        }
        try transaction.keep(commit.state, account: account)
        return context.followUps
    }

    private func receive(
        _ stanza: Stanza, _ transaction: StoreTransaction, _ context: inout ReceiveContext
    ) throws {
        switch stanza {
        case .message(let message): try receive(message, transaction, &context)
        case .presence(let presence): try receive(presence, transaction, &context)
        case .iq(let iq): try receive(iq, transaction)
        }
    }

    /// Presence and typing live in memory: they are shown once their stanzas are handled for good.
    private func publishTransient(_ stanzas: [Stanza]) {
        var changes = StoreChanges()
        var hasPictures = false
        for stanza in stanzas {
            switch stanza {
            case .presence(let presence):
                // Whoever is in a room is no contact; the room itself may have a picture.
                if presence.from?.isBare == false, presence.payload(RoomNames.user) != nil { continue }
                if presence.avatar != nil, avatars.withLock({ $0.received(presence) }) { hasPictures = true }
                guard presence.from?.bare != jid else { continue }
                if self.presence.apply(presence, account: jid) { changes.presence.insert(account) }
            case .message(let message):
                if noteTyping(message) { changes.typing = true }
            case .iq: break
            }
        }
        store.hub.publish(changes)
        if hasPictures { onFollowUp([.fetchPictures]) }
    }

    /// Whether an error says something about the stanza, not about the disk.
    static func isFaultOfStanza(_ error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return true }
        return error.kind == .constraint || error.kind == .misuse
    }
}

/// What the stanzas of one commit share while they are applied.
struct ReceiveContext {
    var followUps: [AccountSessionStore.FollowUp]
    /// The server is known to remove forged archive ids (XEP-0359 §6).
    var trustsStanzaIDs = false
}

extension MessageFailure {
    /// Why the session gave a message up.
    init(dropped error: XMPPError) {
        switch error.code {
        case .undeliverable: self.init(.undeliverable)
        case .unsendableText: self.init(.unsendable)
        default: self.init(.init(rawValue: error.code.rawValue), text: error.description)
        }
    }
}

/// So many in a span of time, and no more.
struct RateLimit {
    let count: Int
    let milliseconds: Int64
    private var times: [Int64] = []

    init(count: Int, milliseconds: Int64) {
        self.count = count
        self.milliseconds = milliseconds
    }

    /// Takes one, if there is one left.
    mutating func take(now: Int64) -> Bool {
        times.removeAll { now - $0 >= milliseconds || $0 > now }
        guard times.count < count else { return false }
        times.append(now)
        return true
    }
}
