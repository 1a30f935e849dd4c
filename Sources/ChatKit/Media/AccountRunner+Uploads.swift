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

    /// Ends what is under way because the profile is closed; what was to be sent or fetched is so when it is opened again.
    func stopTransfers() {
        isClosing = true
        runningUpload?.task.cancel()
        for download in downloads.values { download.task.cancel() }
        fileTimer?.cancel()
    }

    private func uploadAll() async {
        let account = account
        while connection.isOnline, !isClosing, let link, let files {
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
            guard try await store.write({ try $0.beginUpload(row.id) }) else { return true }
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
            runningUpload = (row.id, row.message, task)
            defer {
                runningUpload = nil
                progress.end(id)
            }
            // Who gave it up before this could be cancelled.
            if try await !store.read({ try Queries.file($0, id: row.id)?.state == FileState.uploading }) {
                task.cancel()
            }
            let url = try await task.value
            try await store.write { try $0.uploaded(row.id, url: url) }
            await pump()
            return true
        } catch {
            return await uploadFailed(row, error)
        }
    }

    private func uploadFailed(_ row: FileRow, _ error: any Error) async -> Bool {
        let isOver = link == nil || isClosing || error is CancellationError
        let isPassing = (error as? XMPPError)?.isRetryable == true || (error as? XMPPError)?.code == .notConnected
        let text = ChatError(error).description
        let isStillWanted: Bool? = try? await store.write { transaction in
            // The user may have given it up meanwhile.
            guard try Queries.file(transaction.connection, id: row.id)?.state == FileState.uploading else {
                return false
            }
            if isOver {
                try transaction.set(FileState.waiting, file: row.id)
            } else if isPassing, row.attempts + 1 < Self.uploadAttempts {
                try transaction.postpone(row, transaction.now + Self.pause(row.attempts))
            } else {
                let isTooLarge = (error as? XMPPError)?.code == .fileTooLarge
                try transaction.uploadFailed(row, MessageFailure(isTooLarge ? .fileTooLarge : .fileFailed, text: text))
            }
            return true
        }
        if isStillWanted == nil { hasFileTrouble = true }
        // What the user gave up holds up nothing that waits behind it.
        if isStillWanted == false { return link != nil && !isClosing }
        return isStillWanted != nil && !isOver
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
        guard let due = due ?? nil, due < .max, connection.isOnline, !isClosing else { return }
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

    /// Ends the transfer of a message's file, if it is under way.
    func stopUpload(of message: ChatMessage) {
        if let runningUpload, runningUpload.message == message.id.rawValue { runningUpload.task.cancel() }
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
