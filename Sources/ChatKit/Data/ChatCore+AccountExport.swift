// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import Foundation
public import XMPP

/// What an account was given of an exported one.
public struct AccountImport: Hashable, Sendable {
    /// Contacts that are new.
    public var contacts = 0
    /// Addresses that are kept away from now on.
    public var blocked = 0
    /// Messages that are new; they stay in this profile.
    public var messages = 0
    /// The account had told nothing about itself, and now tells what the exported one did.
    public var hasCard = false
}

extension ChatCore {
    private static let accountPage = 500

    /// Writes an account as a document that servers and other programs read (XEP-0227), piece by piece: contacts, requests,
    /// messages of conversations of two, and, while the account is online, its card and whom it keeps away.
    ///
    /// Nothing in it logs in.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - includesMessages: Whether messages are part of it.
    ///   - write: Takes each piece in order; what it throws ends the export.
    /// - Throws: ``ChatError``: `unknownAccount`, `storageFailed`.
    public func exportAccount(
        _ account: JID, includesMessages: Bool = true, to write: (String) async throws -> Void
    ) async throws(ChatError) {
        let runner = try runner(account)
        let row = runner.account
        var portable = PortableAccount(jid: runner.jid)
        portable.contacts = try await contacts(account: account).map { contact in
            RosterItem(
                jid: contact.jid, name: contact.name, groups: contact.groups,
                subscription: .init(rawValue: contact.subscription.rawValue) ?? .none, isRequested: contact.isAsked,
                isApproved: contact.isApproved)
        }
        if let link = try? runner.onlineLink(await runner.link) {
            portable.card = try? await link.card(of: nil)
            portable.blocked = (try? await link.blockedAddresses()) ?? []
        }
        do {
            portable.requests = try await store.read { try Queries.requests($0, account: row) }.map(\.jid)
            try await write(portable.head)
            if includesMessages {
                let ids = try await store.read { try Queries.portable($0, account: row) }
                for start in stride(from: 0, to: ids.count, by: Self.accountPage) {
                    let page = ids[start..<min(start + Self.accountPage, ids.count)]
                    let messages = try await store.read { try Queries.messages($0, ids: page) }
                    try await write(
                        messages.map { PortableAccount.entry(ArchivedMessage($0)) }.joined())
                }
            }
            try await write(PortableAccount.tail)
        } catch {
            throw ChatError(error)
        }
    }

    /// Gives an account what an exported one had: contacts, whom it kept away, its card if the account has none, and its
    /// messages, which only this profile gets.
    ///
    /// Contacts are asked to show their presence where they did. Done again it does what is left: what is there stays as it is.
    ///
    /// - Parameters:
    ///   - document: What ``exportAccount(_:includesMessages:to:)`` or a server wrote.
    ///   - account: The account that gets it; it must be online.
    /// - Throws: ``ChatError``: `invalidExport` for what is none, or has not exactly one account; `unknownAccount`,
    ///   `notConnected`, `requestFailed`. What was done by then stays done. Cancelling ends it between two contacts.
    public func importAccount(_ document: [UInt8], into account: JID) async throws(ChatError) -> AccountImport {
        let runner = try runner(account)
        let found: [PortableAccount]
        do { found = try PortableAccount.read(document) } catch {
            throw ChatError(.invalidExport, "this is no exported account", underlying: error)
        }
        guard let portable = found.first, found.count == 1 else {
            throw ChatError(.invalidExport, "the document has \(found.count) accounts; export one alone")
        }
        var result = AccountImport()
        let link = try runner.onlineLink(await runner.link)
        let known = Set(try await contacts(account: account).map(\.jid))
        for item in portable.contacts where !known.contains(item.jid.bare) && item.jid.bare != runner.jid {
            if Task.isCancelled { throw ChatError(CancellationError()) }
            try await addContact(
                item.jid, account: account, name: item.name, groups: item.groups,
                subscribes: item.showsPresence || item.isRequested)
            result.contacts += 1
        }
        do {
            let blocked = portable.blocked.isEmpty ? [] : Set(try await link.blockedAddresses())
            for jid in portable.blocked where !blocked.contains(jid) {
                _ = try await link.block(jid, reporting: nil)
                result.blocked += 1
            }
            if let card = portable.card, try await link.card(of: nil) ?? VCard() == VCard() {
                _ = try await link.changeCard { $0 = card }
                result.hasCard = true
            }
            result.messages = try await take(portable, runner)
            return result
        } catch {
            throw ChatError(error)
        }
    }

    private func take(_ portable: PortableAccount, _ runner: AccountRunner) async throws -> Int {
        let row = runner.account
        var conversations: [JID: [ExportedMessage]] = [:]
        for entry in portable.archive where !entry.message.isOfRoom {
            let isSame = portable.jid == runner.jid
            guard let (peer, message) = ExportedMessage.read(entry, of: portable.jid, isSame: isSame) else { continue }
            conversations[peer, default: []].append(message)
        }
        var count = 0
        for (peer, messages) in conversations.sorted(by: { $0.key < $1.key }) {
            // A page at a time, so that nothing waits for long.
            for start in stride(from: 0, to: messages.count, by: Self.accountPage) {
                let page = Array(messages[start..<min(start + Self.accountPage, messages.count)])
                count += try await store.write { transaction in
                    let conversation = try transaction.makeConversation(account: row, peer: peer.description)
                    return try transaction.takeOver(page, into: conversation, archive: runner.jid)
                }
            }
        }
        return count
    }
}

extension Queries {
    /// The messages of an account that others can read, the oldest first.
    static func portable(_ connection: Connection, account: Int64) throws -> [Int64] {
        try connection.rows(
            """
            SELECT m.id FROM message m JOIN conversation c ON c.id = m.conversation
            WHERE m.account = ? AND c.kind = 'chat' AND m.retracted IS NULL AND m.protection = 'none'
            ORDER BY m.sent, m.id
            """, account
        ) { $0.column(0) }
    }

    /// Messages in the order in which they are named.
    static func messages(_ connection: Connection, ids: ArraySlice<Int64>) throws -> [ChatMessage] {
        var reader = JIDReader()
        let list = "[" + ids.map(String.init).joined(separator: ",") + "]"
        return try connection.rows(
            """
            SELECT \(messageColumns) FROM json_each(?) j CROSS JOIN \(messageTables) WHERE m.id = j.value ORDER BY j.key
            """, list
        ) { try message($0, &reader) }
    }
}

extension ArchivedMessage {
    /// A message of this profile as an archive has it.
    init(_ known: ChatMessage) {
        let isOwn = known.direction == .outgoing
        // A file is not part of an export; where it was is.
        let text = known.body.isEmpty ? known.files.compactMap(\.url).joined(separator: "\n") : known.body
        var message = Message.chat(to: isOwn ? known.peer : known.account, text, id: known.originID)
        message.from = isOwn ? known.account : known.sender
        message.subject = known.subject
        if let id = known.originID, isOwn { message.originID = id }
        let milliseconds = Int64((known.sent.timeIntervalSince1970 * 1000).rounded())
        self.init(
            id: known.archiveID ?? "local-\(known.id)",
            stamp: DateTime(
                seconds: milliseconds / 1000, nanoseconds: Int32(truncatingIfNeeded: milliseconds % 1000 * 1_000_000)),
            message: message)
    }
}

extension ExportedMessage {
    /// A message of an archive; nil for one without a text or a time, or between two others.
    ///
    /// - Parameter isSame: It goes to the account whose archive it was, so that its name there means something.
    static func read(
        _ entry: ArchivedMessage, of account: JID, isSame: Bool
    ) -> (peer: JID, message: ExportedMessage)? {
        let message = entry.message
        guard message.kind == .chat || message.kind == .normal, let body = message.body, !body.isEmpty,
            let stamp = entry.stamp, let from = message.from ?? (message.to == nil ? nil : account)
        else { return nil }
        let isOwn = from.bare == account
        guard let peer = isOwn ? message.to?.bare : from.bare, isOwn || message.to.map({ $0.bare == account }) != false
        else { return nil }
        let archiveID = isSame && !entry.id.hasPrefix("local-") ? entry.id : nil
        return (
            peer,
            ExportedMessage(
                sender: from.description, isOwn: isOwn, body: body, sent: stamp.milliseconds,
                id: message.originID ?? message.id, archiveID: archiveID)
        )
    }
}
