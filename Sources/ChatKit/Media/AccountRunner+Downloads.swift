// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import Glibc
internal import XMPP

/// Fetches files, each once at a time, whoever wants it (XEP-0363 §7, §11).
extension AccountRunner {
    /// Fetches what may be fetched without asking.
    func fetchWanted() async {
        let account = account
        while connection.isOnline, !isClosing, files != nil {
            let now = store.now
            let next = try? await store.read {
                try Queries.nextFile($0, account: account, states: FileState.wanted...FileState.wanted, due: now)
            }
            guard let row = next ?? nil, let settings = try? await settings() else { return }
            let isDone: Bool
            do {
                _ = try await fetch(row, limit: settings.fetchesFilesUpTo)
                isDone = true
            } catch {
                isDone = await store.isFileSettled(row.id)
                if !isDone { hasFileTrouble = true }
            }
            guard isDone else { return }
        }
    }

    /// A file that is being fetched, for whoever asked for it.
    struct Download {
        let number: Int
        let task: Task<Void, Never>
        var askers: [Int: CheckedContinuation<FileRow, any Error>]
    }

    /// Fetches a file, or waits for whoever is at it; gives its row then.
    ///
    /// Who cancels is out at once; the transfer ends with the last one who asked.
    ///
    /// - Parameter limit: The most bytes.
    func fetch(_ row: FileRow, limit: Int) async throws -> FileRow {
        nextAsker += 1
        let asker = nextAsker
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                if downloads[row.id] != nil {
                    downloads[row.id]?.askers[asker] = continuation
                    return
                }
                let task = Task { await self.run(row, asker, limit: limit) }
                downloads[row.id] = Download(number: asker, task: task, askers: [asker: continuation])
            }
        } onCancel: {
            Task { await self.giveUp(asker, row.id) }
        }
    }

    /// Fetches a file and tells all who asked for it meanwhile.
    ///
    /// - Parameter number: Another one may have begun after all who asked for this one had gone.
    private func run(_ row: FileRow, _ number: Int, limit: Int) async {
        let result: Result<FileRow, any Error>
        do { result = .success(try await download(row, limit: limit)) } catch { result = .failure(error) }
        guard let download = downloads[row.id], download.number == number else { return }
        downloads[row.id] = nil
        for continuation in download.askers.values { continuation.resume(with: result) }
    }

    private func giveUp(_ asker: Int, _ file: Int64) {
        guard let continuation = downloads[file]?.askers.removeValue(forKey: asker) else { return }
        continuation.resume(throwing: CancellationError())
        guard let download = downloads[file], download.askers.isEmpty else { return }
        download.task.cancel()
        // Whoever asks from now on gets a transfer of their own.
        downloads[file] = nil
    }

    /// Ends the transfer of a file, if it is under way; gives whether it was.
    func stopDownload(of file: Int64) -> Bool {
        guard let download = downloads[file] else { return false }
        download.task.cancel()
        return true
    }

    private func download(_ row: FileRow, limit: Int) async throws -> FileRow {
        guard let files else { throw ChatError(.closed, "the profile is closed") }
        let id = MessageFile.ID(rawValue: row.id)
        do {
            let rules = try files.access(try await settings())
            var access = rules.access
            access.maximumBytes = min(access.maximumBytes, limit)
            try files.folder.make()
            files.transfers.begin(try await transfer(row, .download))
            defer { files.transfers.end(id) }
            let fetched = try await Self.fetch(row, access, files.folder) { files.transfers.progress(id, $0) }
            return try await keep(fetched, of: row, files)
        } catch {
            try? await refused(row, error)
            throw error
        }
    }

    /// A file that came, under its name in the folder.
    private struct Fetched {
        let name: String
        let file: DownloadedFile
    }

    /// Tries the addresses one after another.
    private nonisolated static func fetch(
        _ row: FileRow, _ access: HTTPAccess, _ folder: MediaFolder, _ progress: @escaping HTTPFiles.Progress
    ) async throws -> Fetched {
        var failure: any Error = ChatError(.unknownFile, "the message does not say where the file is")
        for url in row.sources.prefix(4) {
            let name = MediaFolder.newName()
            var expected = row.metadata
            // What a picture of a tutorial says of itself is nothing to go by.
            if expected.byteCount == 0 { expected.byteCount = nil }
            do {
                let file = try await HTTPFiles(access).download(
                    url, to: folder.path(of: name), expecting: expected, progress: progress)
                return Fetched(name: name, file: file)
            } catch {
                if Task.isCancelled { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func keep(_ fetched: Fetched, of row: FileRow, _ files: FileServices) async throws -> FileRow {
        let seen = await files.look(at: fetched.name, fetched.file.kind)
        // Who was interrupted has seen nothing of it: it would be kept without its small picture for good.
        guard !Task.isCancelled else {
            files.folder.remove(fetched.name)
            throw CancellationError()
        }
        let thumbnail = await files.write(seen.thumbnail)
        let thumbnailSize = Int64(seen.thumbnail?.bytes.count ?? 0)
        do {
            let kept = try await store.write { transaction -> FileRow? in
                try transaction.connection.run(
                    """
                    UPDATE file SET state = CASE WHEN state < 10 THEN state ELSE 12 END, failure = NULL, failure_text = NULL,
                        local = ?2, local_size = ?3, kind = ?4, used = ?5, width = coalesce(?6, width),
                        height = coalesce(?7, height), thumbnail = ?8, thumbnail_size = ?9
                    WHERE id = ?1
                    """, row.id, fetched.name, fetched.file.byteCount, seen.kind?.rawValue, transaction.now,
                    seen.size?.width, seen.size?.height, thumbnail, thumbnail == nil ? 0 : thumbnailSize)
                guard transaction.connection.changes > 0 else { return nil }
                try transaction.changed(message: row.message)
                transaction.changes.files = true
                return try Queries.file(transaction.connection, id: row.id)
            }
            // Its message was taken back meanwhile.
            guard let kept else { throw ChatError(.unknownFile, "the file is no longer wanted") }
            return kept
        } catch {
            files.folder.remove(fetched.name)
            if let thumbnail { files.folder.remove(thumbnail) }
            throw error
        }
    }

    private func refused(_ row: FileRow, _ error: any Error) async throws {
        let isOver = error is CancellationError || Task.isCancelled
        // Nobody gave it up: what was wanted is fetched when the profile is opened again.
        if isOver, isClosing { return }
        let text = ChatError(error).description
        try await store.write { transaction in
            let state = try Queries.file(transaction.connection, id: row.id)?.state
            guard state == FileState.wanted || state == FileState.remote || state == FileState.refused else { return }
            if isOver { return try transaction.set(FileState.remote, file: row.id) }
            try transaction.set(FileState.refused, file: row.id, MessageFailure(.fileFailed, text: text))
        }
    }
}

extension ChatStore {
    /// Whether nothing is to be done with a file any more.
    func isFileSettled(_ file: Int64) async -> Bool {
        let state = try? await read { try Queries.file($0, id: file)?.state }
        return (state ?? nil) != FileState.wanted
    }
}
