// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
internal import XMPP

/// Sends the files that wait, one after another; a file's message goes out when the server has the file, not before (T148).
///
/// What is to be sent, and that it has been sent, stands in the database, so that after a crash the file goes up again and
/// its message goes out once.
extension AccountRunner {
    /// Looks after files that wait to be sent or fetched; returns when there is nothing left to do now.
    func workOnFiles() async {
        guard files != nil else { return }
        hasFileTrouble = false
        // Neither way waits for the other.
        async let uploads: Void = workOnUploads()
        async let downloads: Void = workOnDownloads()
        _ = await (uploads, downloads)
        await planFileWork()
    }

    private func workOnUploads() async {
        guard !isUploading else { return wantsUploads = true }
        isUploading = true
        defer { isUploading = false }
        repeat {
            wantsUploads = false
            await uploadAll()
        } while wantsUploads
    }

    private func workOnDownloads() async {
        guard !isDownloading else { return wantsDownloads = true }
        isDownloading = true
        defer { isDownloading = false }
        repeat {
            wantsDownloads = false
            await fetchWanted()
        } while wantsDownloads
    }

    /// Ends what is under way, as when the profile is closed; what was to be sent is sent later.
    func stopTransfers() {
        runningUpload?.task.cancel()
        for download in downloads.values { download.task.cancel() }
        fileTimer?.cancel()
    }

    private func uploadAll() async {
        let account = account
        while connection.isOnline, let link, let files {
            let now = store.now
            let next = try? await store.read { connection in
                try Queries.nextFile(
                    connection, account: account, states: FileState.waiting...FileState.uploading, due: now)
            }
            guard let row = next ?? nil, await upload(row, link, files) else { return }
        }
    }

    /// Sends one file; false when nothing more can be done now.
    private func upload(_ row: FileRow, _ link: any SessionLink, _ files: FileServices) async -> Bool {
        if row.created < store.now - AccountSessionStore.maximumAge {
            return (try? await store.write { try $0.hold(row) }) != nil
        }
        let progress = files.transfers
        let id = MessageFile.ID(rawValue: row.id)
        do {
            try await store.write { try $0.set(FileState.uploading, file: row.id) }
            guard let local = row.local else {
                throw ChatError(.fileUnusable, "the file is no longer in the profile")
            }
            let settings = try await settings()
            let rules = try files.access(settings)
            let upload = FileUpload(
                path: files.folder.path(of: local), name: row.shownName,
                mediaType: row.metadata.mediaType ?? "application/octet-stream", access: rules.access,
                mediaServer: rules.mediaServer, prefersMediaServer: settings.prefersMediaServer)
            progress.begin(try await transfer(row, .upload))
            let task = Task { try await link.upload(upload) { progress.progress(id, $0) } }
            runningUpload = (row.id, task)
            defer {
                runningUpload = nil
                progress.end(id)
            }
            let url = try await task.value
            let sendsBodyType = settings.sendsBodyType
            try await store.write { try $0.uploaded(row.id, url: url, sendsBodyType: sendsBodyType) }
            await pump()
            return true
        } catch {
            return await uploadFailed(row, error)
        }
    }

    private func uploadFailed(_ row: FileRow, _ error: any Error) async -> Bool {
        let isOver = link == nil || error is CancellationError
        let isPassing = (error as? XMPPError)?.isRetryable == true || (error as? XMPPError)?.code == .notConnected
        let text = ChatError(error).description
        let written: Void? = try? await store.write { transaction in
            // The user may have given it up meanwhile.
            guard try Queries.file(transaction.connection, id: row.id)?.state == FileState.uploading else { return }
            if isOver {
                try transaction.set(FileState.waiting, file: row.id)
            } else if isPassing, row.attempts + 1 < Self.uploadAttempts {
                try transaction.postpone(row, transaction.now + Self.pause(row.attempts))
            } else {
                let isTooLarge = (error as? XMPPError)?.code == .fileTooLarge
                try transaction.uploadFailed(row, MessageFailure(isTooLarge ? .fileTooLarge : .fileFailed, text: text))
            }
        }
        if written == nil { hasFileTrouble = true }
        return written != nil && !isOver
    }

    /// A failure that may pass is followed by another attempt so often.
    static let uploadAttempts = 8

    /// How long to wait before the next one, in milliseconds.
    static func pause(_ attempts: Int) -> Int64 { 2000 << Int64(min(attempts, 8)) }

    /// How long to wait after the profile could not be written, in milliseconds.
    private static let troublePause: Int64 = 2000

    /// Looks again when what failed for now may be tried again.
    private func planFileWork() async {
        fileTimer?.cancel()
        fileTimer = nil
        let account = account
        let due = try? await store.read {
            try Queries.nextDue($0, account: account, states: FileState.waiting...FileState.wanted)
        }
        guard let due = due ?? nil, due < .max, connection.isOnline else { return }
        // What is due now is under way, or waits for a connection; but a disk that failed tells nobody when it is well.
        guard due > store.now || hasFileTrouble else { return }
        let wait = due > store.now ? due - store.now : Self.troublePause
        fileTimer = Task { [weak self] in
            guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
            await self?.workOnFiles()
        }
    }

    /// Ends the transfer of a file, if it is under way.
    func stopUpload(of file: Int64) {
        if let runningUpload, runningUpload.file == file { runningUpload.task.cancel() }
    }

    func settings() async throws -> AccountSettings {
        let account = account
        let json: String? = try await store.read {
            try $0.value("SELECT settings FROM account WHERE id = ?", account)
        }
        return AccountSettings(json: json ?? "{}")
    }

    func transfer(_ row: FileRow, _ direction: FileTransfer.Direction) async throws -> FileTransfer {
        let peer: String? = try await store.read {
            try $0.value("SELECT peer FROM conversation WHERE id = ?", row.conversation)
        }
        return FileTransfer(
            id: .init(rawValue: row.id), message: .init(rawValue: row.message), account: jid,
            peer: try JID(stored: peer ?? ""), direction: direction, completed: 0,
            total: row.local == nil ? row.metadata.byteCount.map(Int64.init) : row.localSize)
    }
}

extension TransferBook {
    func progress(_ id: MessageFile.ID, _ progress: TransferProgress) {
        self.progress(id, completed: progress.completed, total: progress.total)
    }
}

extension StoreTransaction {
    /// The server has the file: its message goes into the outbox, in the same transaction, so that it goes out once.
    func uploaded(_ file: Int64, url: String, sendsBodyType: Bool) throws {
        guard let row = try Queries.file(connection, id: file), row.state == FileState.uploading else { return }
        let message = try connection.first(
            """
            SELECT m.own_id, m.body, m.reply_to, m.reply_author, c.peer, c.kind = 'room' FROM message m
            JOIN conversation c ON c.id = m.conversation WHERE m.id = ? AND m.retracted IS NULL
            """, row.message
        ) { row in
            (
                id: row.column(0, as: String?.self), text: row.column(1, as: String.self),
                reply: row.column(2, as: String?.self), author: row.column(3, as: String?.self),
                peer: row.column(4, as: String.self), isRoom: row.column(5, as: Bool.self)
            )
        }
        guard let message, let id = message.id else { return }
        var stanza = Message.outgoingFile(
            row.shared(url), to: try JID(stored: message.peer), text: message.text, id: id, isRoom: message.isRoom,
            sendsBodyType: sendsBodyType)
        if let reply = message.reply {
            stanza.answer(reply, author: message.author.flatMap { try? JID(stored: $0) }, quoting: nil)
        }
        let payload = try stanza.storedXML()
        try connection.run(
            """
            UPDATE file SET state = ?2, failure = NULL, failure_text = NULL, sources = ?3 WHERE id = ?1
            """, file, FileState.sent, url)
        try connection.run("UPDATE message SET payload = ? WHERE id = ?", payload, row.message)
        try enqueue(
            account: row.account, stanzaID: id, chat: message.peer, payload: payload, message: row.message)
        try changed(message: row.message)
    }

    /// It is tried again at that time.
    func postpone(_ row: FileRow, _ due: Int64) throws {
        try connection.run("UPDATE file SET attempts = attempts + 1, due = ? WHERE id = ?", due, row.id)
        try set(FileState.waiting, file: row.id)
    }

    func uploadFailed(_ row: FileRow, _ failure: MessageFailure, state: Int64 = FileState.failed) throws {
        try set(state, file: row.id, failure)
        try fail(message: row.message, failure, replaces: state == FileState.cancelled)
    }

    /// A file that waited too long goes out only when the user says so.
    func hold(_ row: FileRow) throws {
        try connection.run("UPDATE file SET state = ?, due = ? WHERE id = ?", FileState.waiting, Int64.max, row.id)
        try connection.run("UPDATE message SET state = 6 WHERE id = ? AND direction = 1 AND state < 2", row.message)
        try changed(message: row.message)
    }

    /// Puts the file of a message back into the queue; false when it has none that waits for that.
    func requeueFile(of message: Int64) throws -> Bool {
        let found = try connection.first(
            "SELECT id, local IS NOT NULL FROM file WHERE message = ? AND state IN (0, 3, 4) ORDER BY id LIMIT 1",
            message
        ) { ($0.column(0, as: Int64.self), $0.column(1, as: Bool.self)) }
        guard let (file, isHere) = found else { return false }
        guard isHere else { throw ChatError(.fileUnusable, "the file is no longer in the profile") }
        try connection.run(
            "UPDATE file SET state = 0, attempts = 0, due = 0, created = ?2, failure = NULL WHERE id = ?1", file, now)
        try connection.run("UPDATE message SET state = 0, failure = NULL, failure_text = NULL WHERE id = ?", message)
        changes.files = true
        try changed(message: message)
        return true
    }
}

extension FileRow {
    /// The file as others are told of it.
    func shared(_ url: String) -> SharedFile {
        var metadata = metadata
        metadata.name = shownName
        if let preview {
            metadata.thumbnails = [Thumbnail(uri: preview, mediaType: Preview.mediaType(of: preview))]
        }
        return SharedFile(metadata: metadata, urls: [url], disposition: isInline == false ? .attachment : .inline)
    }
}

extension Preview {
    /// The media type that a `data:` URL names.
    static func mediaType(of uri: String) -> String? {
        let type = uri.dropFirst("data:".count).prefix { $0 != ";" && $0 != "," }
        return type.isEmpty ? nil : String(type)
    }
}

extension Message {
    /// A file of the user: file sharing for programs that know it (XEP-0447), its address as the text for all others
    /// (XEP-0066), behind what the user wrote beside it.
    static func outgoingFile(
        _ file: SharedFile, to peer: JID, text: String, id: String, isRoom: Bool, sendsBodyType: Bool
    ) -> Message {
        var file = file
        if !text.isEmpty { file.metadata.explanation = text }
        var message = Message.file(file, to: peer, kind: isRoom ? .groupchat : .chat, id: id)
        message.originID = id
        message.isMarkable = true
        if !isRoom {
            message.requestsReceipt = true
            message.chatState = .active
        }
        let isPicture = file.metadata.mediaType?.hasPrefix("image/") == true
        if sendsBodyType, isPicture { message.bodyType = .picture }
        // A tutorial's program takes the whole text for the address; it cannot show more than that.
        if !text.isEmpty, message.bodyType == nil, let url = file.urls.first {
            let start = text.unicodeScalars.count
            message.body = text + "\n" + url
            message.fallbacks = [
                Fallback(for: SharedFile.namespace, body: [.init(start..<(start + 1 + url.unicodeScalars.count))])
            ]
        }
        return message
    }
}
