// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

/// A private folder that is removed with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "apus-chatkit-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    static func mode(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? -1
    }
}

/// Time that moves only when a test says so, in milliseconds.
final class ManualTime: Sendable {
    private let value = Locked(Int64(1_800_000_000_000))

    var now: Int64 { value.withLock { $0 } }
    func advance(_ milliseconds: Int64) { value.withLock { $0 += milliseconds } }
    var clock: @Sendable () -> Int64 { { self.now } }
}

/// A profile's database with the account ann@example.org, and its session store.
final class StoreFixture: Sendable {
    let folder: TemporaryFolder
    let time: ManualTime
    let store: ChatStore
    let account: Int64
    let session: AccountSessionStore
    let presence: PresenceBook
    let typing: TypingBook
    let followUps: Locked<[AccountSessionStore.FollowUp]>

    static let ann = "ann@example.org"
    static let jid = JID(wire: ann)

    private init(
        folder: TemporaryFolder, time: ManualTime, store: ChatStore, account: Int64, jid: JID
    ) {
        self.folder = folder
        self.time = time
        self.store = store
        self.account = account
        let followUps = Locked([AccountSessionStore.FollowUp]())
        self.followUps = followUps
        presence = PresenceBook()
        typing = TypingBook()
        session = AccountSessionStore(store: store, account: account, jid: jid, presence: presence, typing: typing) {
            new in followUps.withLock { $0 += new }
        }
    }

    static func make(folder: TemporaryFolder? = nil, time: ManualTime = ManualTime()) async throws -> StoreFixture {
        let folder = try folder ?? TemporaryFolder()
        let store = try await ChatStore(.file(folder.file("chat.db")), clock: time.clock)
        let account = try await store.write { transaction in
            let known: Int64? = try transaction.connection.value("SELECT id FROM account WHERE jid = ?", ann)
            return try known ?? transaction.addAccount(jid: ann, settings: AccountSettings())
        }
        return StoreFixture(
            folder: folder, time: time, store: store, account: account, jid: try #require(JID(wire: ann)))
    }

    /// What a crash leaves: nothing of this process's memory, the file as it is.
    func reopened() async throws -> StoreFixture {
        await store.close()
        return try await Self.make(folder: folder, time: time)
    }

    /// Commits received stanzas, given as XML in the namespace of clients.
    func receive(_ stanzas: String..., state: SessionState = SessionState(streamID: "s1")) async throws {
        try await session.commit(SessionCommit(received: try stanzas.map(Self.stanza), state: state))
    }

    /// Stores an outgoing message to bo@example.net and gives its row; `own` is its id.
    @discardableResult
    func queue(_ body: String, own: String, to peer: String = "bo@example.net") async throws -> Int64 {
        let account = account
        return try await store.write { transaction in
            let payload = try Message.outgoing(to: JID(stored: peer), body: body, id: own).storedXML()
            let conversation = try transaction.makeConversation(account: account, peer: peer)
            let row = try transaction.insert(
                NewMessage(
                    direction: .outgoing, state: MessageState.Stored.queued, ownID: own, sender: Self.ann,
                    kind: "chat", body: body, sent: transaction.now, payload: payload),
                account: account, conversation: conversation)
            let message = try #require(row)
            try transaction.enqueue(
                account: account, stanzaID: own, chat: peer, payload: payload, message: message)
            return message
        }
    }

    /// All messages with a peer, oldest first.
    func messages(with peer: String = "bo@example.net") async throws -> [ChatMessage] {
        let account = account
        return try await store.read { connection in
            let conversation: Int64? = try connection.value(
                "SELECT id FROM conversation WHERE account = ? AND peer = ?", account, peer)
            return try conversation.map {
                try Queries.page(connection, conversation: $0, before: nil, after: nil, limit: 500)
            } ?? []
        }
    }

    func bodies(with peer: String = "bo@example.net") async throws -> [String] {
        try await messages(with: peer).map(\.body)
    }

    func state(of message: Int64) async throws -> MessageState? {
        try await store.read { try Queries.message($0, id: message)?.state }
    }

    func outbox() async throws -> [OutboxRow] {
        let account = account
        return try await store.read { try StoreTransaction.queued($0, account: account, after: 0, limit: 100) }
    }

    func roster() async throws -> [RosterEntry] {
        let account = account
        return try await store.read { try StoreTransaction.roster($0, account: account) }
    }

    func contact(_ jid: String, _ subscription: Contact.Subscription, isAsked: Bool = false) async throws {
        let account = account
        try await store.write {
            try $0.upsert(
                RosterEntry(
                    jid: jid, subscription: subscription, isAsked: isAsked, isApproved: false, groups: []),
                account: account)
        }
    }

    func count(_ table: String) async throws -> Int {
        try await store.read { try $0.value("SELECT count(*) FROM \(table)") ?? -1 }
    }

    static func sent(
        _ sequence: UInt64, _ id: String?, kind: SentStanza.Kind = .message, bytes: String = "<message/>"
    ) -> SentStanza {
        SentStanza(sequence: sequence, kind: kind, id: id, bytes: Array(bytes.utf8))
    }

    /// Reads one stanza the way a session does.
    static func stanza(_ xml: String) throws -> Stanza {
        var parser = XMLStreamParser(limits: .afterLogin)
        let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
        for var text in [header, xml] { text.withUTF8 { parser.append(UnsafeRawBufferPointer($0)) } }
        guard case .open = try parser.next(), case .stanza(let element) = try parser.next() else {
            throw ChatError(.other, "no stanza: \(xml)")
        }
        var decoder = StanzaDecoder()
        return switch element.localName {
        case "message": .message(try decoder.message(element))
        case "presence": .presence(try decoder.presence(element))
        default: .iq(try decoder.iq(element))
        }
    }
}
