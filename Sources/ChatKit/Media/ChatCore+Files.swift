// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusSQLite
internal import ApusTransport
public import XMPP

/// How a file is sent; the defaults suit one that somebody picked.
public struct FileOptions: Hashable, Sendable {
    /// The name that others see, nil for that of the file.
    public var name: String?
    /// What is written beside it.
    public var text = ""
    /// Names the message: a call with a key that the conversation knows sends nothing.
    public var idempotencyKey: String?
    /// The message that this one answers, in the same conversation.
    public var original: ChatMessage.ID?
    /// A picture goes as it is, with everything that stands in it, also where it was taken.
    ///
    /// Defaults to false.
    public var keepsOriginal = false

    /// Makes the default options.
    public init() {}
}

extension ChatCore {
    /// Queues a file; returns when a copy of it and its message are durable, connected or not.
    ///
    /// Its type is told by its bytes, not by its name. The file is uploaded when the account is online, and its message goes
    /// out when the server has the file, once, whatever breaks in between. ``transferUpdates()`` tells how far it is;
    /// ``cancelFile(_:)`` gives it up; ``retry(_:)`` tries again what failed.
    ///
    /// - Parameters:
    ///   - path: The file; it may change or vanish once this has returned.
    ///   - peer: The other side; a resource in it is left out.
    ///   - account: The account to send from.
    ///   - options: How.
    /// - Throws: ``ChatError``: `fileUnusable`, `fileTooLarge`; `pictureNotAcceptable`, `pictureWorkerMissing` and their like for
    ///   a picture that cannot be prepared and is not to go as it is; `messageTooLong`, `unsendableText`, `unknownAccount`,
    ///   `unknownMessage` for the one that is answered, `diskFull`, `storageFailed`; nothing is queued then.
    @discardableResult
    public func sendFile(
        _ path: String, to peer: JID, account: JID, options: FileOptions = FileOptions()
    ) async throws(ChatError) -> SendReceipt {
        let runner = try runner(account)
        if !options.text.isEmpty { try Self.check(options.text) }
        let id = randomToken()
        let peer = peer.bare
        // A text that cannot be sent is refused here.
        _ = try Message.outgoing(to: peer, body: options.text, id: id).storedXML()
        let (row, sender) = (runner.account, runner.jid.description)
        if let key = options.idempotencyKey, let sent = try await self.sent(under: key, to: peer, row) { return sent }
        let file = try await prepare(path, options)
        let receipt: SendReceipt
        do {
            receipt = try await store.write { transaction in
                if let key = options.idempotencyKey,
                    let known = try Queries.message(
                        transaction.connection, account: row, peer: peer.description, key: key)
                {
                    return SendReceipt(message: known, isRepeated: true)
                }
                let conversation = try transaction.makeConversation(account: row, peer: peer.description)
                var new = NewMessage(
                    direction: .outgoing, state: MessageState.Stored.queued, ownID: id, sender: sender,
                    kind: conversation.isRoom ? "groupchat" : "chat", body: options.text, sent: transaction.now,
                    idempotencyKey: options.idempotencyKey)
                new.hasFile = true
                if let original = options.original {
                    let answered = try transaction.answerable(original.rawValue, in: conversation)
                    (new.replyTo, new.replyAuthor) = (answered.name, answered.author?.description)
                }
                guard let inserted = try transaction.insert(new, account: row, conversation: conversation) else {
                    throw ChatError(.storageFailed, "the message could not be stored")
                }
                try transaction.insert(file, message: inserted, in: conversation)
                transaction.changes.files = true
                guard let message = try Queries.message(transaction.connection, id: inserted) else {
                    throw ChatError(.storageFailed, "the message could not be stored")
                }
                return SendReceipt(message: message, isRepeated: false)
            }
        } catch {
            for name in file.names { media.remove(name) }
            throw ChatError(error)
        }
        if receipt.isRepeated { for name in file.names { media.remove(name) } }
        return receipt
    }

    private func sent(
        under key: String, to peer: JID, _ row: Int64
    ) async throws(ChatError) -> SendReceipt? {
        do {
            return try await store.read { connection in
                try Queries.message(connection, account: row, peer: peer.description, key: key).map {
                    SendReceipt(message: $0, isRepeated: true)
                }
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// Gives up the transfer of a message's files: an upload that is not done or has failed, or what is being fetched.
    ///
    /// A message whose file did not go up stays in the history as failed; ``retry(_:)`` sends it after all.
    ///
    /// - Throws: ``ChatError``: `unknownMessage`, `notUnderWay` when its files have all come to their end.
    public func cancelFile(_ message: ChatMessage.ID) async throws(ChatError) {
        let rows: [FileRow]
        do {
            rows = try await store.write { transaction in
                let rows = try transaction.connection.rows(
                    "SELECT \(FileRow.columns) FROM file f WHERE f.message = ?", message.rawValue
                ) { FileRow($0) }
                for row in rows where row.isUnsent {
                    try transaction.uploadFailed(row, MessageFailure(.discarded), state: FileState.cancelled)
                }
                for row in rows where row.state == FileState.wanted {
                    try transaction.set(FileState.remote, file: row.id)
                }
                return rows
            }
        } catch {
            throw ChatError(error)
        }
        guard !rows.isEmpty else { throw ChatError(.unknownFile, "the message \(message) has no file") }
        var isUnderWay = rows.contains { $0.isUnsent || $0.state == FileState.wanted }
        for row in rows {
            guard let runner = runners.runner(row: row.account) else { continue }
            await runner.stopUpload(of: row.id)
            if await runner.stopDownload(of: row.id) { isUnderWay = true }
        }
        guard isUnderWay else {
            throw ChatError(.notUnderWay, "the file of the message \(message) is not on its way")
        }
    }

    /// Gives a file of a message, fetching it when it is not here; it is fetched once, however many ask.
    ///
    /// What comes has to be what was announced: size and hashes are checked. It comes from a server that its sender chose,
    /// which learns this machine's address; so ask people before, unless they know the sender. Cancelling ends the
    /// transfer.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - index: Which of its files, from 0.
    /// - Throws: ``ChatError``: `unknownFile`, `forbiddenAddress`, `fileTooLarge`, `contentMismatch`, `httpRefused`,
    ///   `transferFailed`, `timedOut`, `diskFull`, `storageFailed`.
    public func fetchFile(_ message: ChatMessage.ID, index: Int = 0) async throws(ChatError) -> LocalFile {
        do {
            let found = try await store.read { try Queries.file($0, message: message.rawValue, index: index) }
            guard var row = found, let runner = runners.runner(row: row.account) else {
                throw ChatError(.unknownFile, "the message \(message) has no such file")
            }
            if !media.has(row.local) { row = try await runner.fetch(row, limit: configuration.maximumFileBytes) }
            let id = row.id
            try await store.write { transaction in
                try transaction.connection.run("UPDATE file SET used = ? WHERE id = ?", transaction.now, id)
            }
            guard let file = row.localFile(media) else { throw ChatError(.unknownFile, "the file is gone") }
            return file
        } catch {
            throw ChatError(error)
        }
    }

    /// Gives a file of a message where it is here; nothing is fetched.
    ///
    /// - Throws: ``ChatError/Code/unknownFile``.
    public func localFile(_ message: ChatMessage.ID, index: Int = 0) async throws(ChatError) -> LocalFile? {
        do {
            let row = try await store.read { try Queries.file($0, message: message.rawValue, index: index) }
            guard let row else { throw ChatError(.unknownFile, "the message \(message) has no such file") }
            return row.localFile(media)
        } catch {
            throw ChatError(error)
        }
    }

    /// The files of a conversation, those of the newest messages first.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - kinds: What they are shown as; empty for all.
    ///   - before: Only those that come after this one in the list.
    ///   - limit: At most so many, no more than ``maximumPage``. Defaults to 50.
    public func files(
        in conversation: Conversation.ID, kinds: Set<MessageFile.Kind> = [], before: MessageFile.ID? = nil,
        limit: Int = 50
    ) async throws(ChatError) -> [MessageFile] {
        let limit = min(max(limit, 1), Self.maximumPage)
        do {
            return try await store.read {
                try Queries.gallery(
                    $0, conversation: conversation.rawValue, kinds: kinds, before: before?.rawValue, limit: limit
                )
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// The transfers that are under way, and every change of theirs, at most ten times a second each.
    public nonisolated func transferUpdates() -> LiveQuery<FileTransfer> {
        LiveQuery(hub: store.hub) {
            $0.transfers
        } fetch: { [transfers] in
            transfers.all
        }
    }
}

extension FileRow {
    /// It is to be sent, or could not be.
    var isUnsent: Bool { state <= FileState.uploading || state == FileState.failed }

    /// The file as it lies in the folder, nil when it is not there.
    func localFile(_ folder: MediaFolder) -> LocalFile? {
        guard let local, folder.has(local) else { return nil }
        let kind = kind.flatMap { FileKind(rawValue: $0) }
        return LocalFile(
            path: folder.path(of: local), name: shownName, mediaType: kind?.rawValue ?? "application/octet-stream",
            byteCount: localSize,
            thumbnail: folder.has(thumbnail) ? thumbnail.map { folder.path(of: $0) } : nil)
    }
}

extension MediaFolder {
    /// Runs what waits for the disk where nobody else waits.
    func onQueue<Result: Sendable>(
        _ work: @escaping @Sendable () throws(ChatError) -> Result
    ) async throws(ChatError) -> Result {
        try await BlockingQueue.shared.run(work)
    }
}
