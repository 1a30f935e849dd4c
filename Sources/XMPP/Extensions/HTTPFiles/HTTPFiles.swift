// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

/// Fetches files that links lead to, and sends files to media servers, under rules (XEP-0363 §7, §11).
///
/// Nothing here runs by itself: a message with a link fetches nothing. Cookies are not kept, no login is sent, and nothing
/// tells the server who asks.
public struct HTTPFiles: Sendable {
    /// The rules.
    public var access: HTTPAccess
    let client = HTTPClient.shared

    /// Makes it with the rules.
    public init(_ access: HTTPAccess = HTTPAccess()) { self.access = access }

    /// Told how far a transfer is, on a thread of its own, which must not be blocked.
    public typealias Progress = @Sendable (TransferProgress) -> Void

    /// Fetches a small file into memory.
    ///
    /// Waits until it is there whole. Throws ``XMPPError``: `badURL`, `forbiddenAddress`, `fileTooLarge`, `httpRefused`,
    /// `transferFailed`, `timedOut`, `tlsFailed`, `contentMismatch`. Cancelling ends the transfer.
    /// - Parameters:
    ///   - url: The address.
    ///   - limit: The most bytes that are taken. Defaults to 5 MiB.
    ///   - expected: What was announced: size and hashes have to fit where they were.
    ///   - progress: Told how far it is.
    public func data(
        from url: String, limit: Int = 5 * 1024 * 1024, expecting expected: FileMetadata? = nil,
        progress: Progress? = nil
    ) async throws -> [UInt8] {
        let sink = DownloadSink(url: url, access: access, limit: limit, expected: expected, file: nil)
        try await fetch(sink, progress: progress)
        return sink.bytes
    }

    /// Fetches a file to the disk.
    ///
    /// It is written beside the path first, readable by its owner only, and gets there when it is whole and what was
    /// announced; otherwise nothing stays. A transfer that breaks off is taken up again where the server can. Waits until it
    /// is there. Throws as ``data(from:limit:expecting:progress:)`` does, and `fileUnusable`, also when there is
    /// something at the path already. Cancelling ends the transfer.
    /// - Parameters:
    ///   - url: The address.
    ///   - path: Where the file is to be; nothing may be there.
    ///   - expected: What was announced: size and hashes have to fit where they were, and no byte more is taken.
    ///   - progress: Told how far it is.
    public func download(
        _ url: String, to path: String, expecting expected: FileMetadata? = nil, progress: Progress? = nil
    ) async throws -> DownloadedFile {
        let file = try NewFile(beside: path)
        let sink = DownloadSink(url: url, access: access, limit: .max, expected: expected, file: file)
        do {
            try await fetch(sink, progress: progress)
            // Waits for the disk.
            try await BlockingQueue.shared.run { () throws(XMPPError) in try file.settle() }
        } catch {
            file.discard()
            throw error
        }
        return sink.result(path)
    }

    private func fetch(_ sink: DownloadSink, progress: Progress?) async throws {
        var action = sink.start()
        while true {
            try Task.checkCancellation()
            switch action {
            case .request(let url, let offset, let validator):
                let location = try access.location(url)
                var request = access.request(location)
                request.maximumBytes = sink.cap
                if let validator {
                    request.headers = [("Range", "bytes=\(offset)-"), ("If-Range", validator)]
                }
                request.receive = { head, bytes in sink.take(head, bytes) }
                if let progress {
                    request.progress = { received, total in
                        progress(
                            TransferProgress(
                                completed: offset + received, total: total.map { $0 + offset } ?? sink.declaredTotal))
                    }
                }
                do throws(TransportError) {
                    action = sink.answered(try await client.send(request), host: location.host)
                } catch { action = sink.failed(XMPPError(http: error, host: location.host)) }
            case .finished: return try sink.verify()
            case .fail(let error):
                if error.code == .disconnected { throw CancellationError() }
                throw error
            }
        }
    }

    /// Sends a file to where it is to be, and gives the answer's status.
    func put(
        _ source: OpenedSource, to location: HTTPLocation, headers: [(name: String, value: String)], mediaType: String?,
        progress: Progress?
    ) async throws -> Int {
        var request = access.request(location)
        request.method = .put(source.body)
        request.headers = [("Content-Type", mediaType ?? "application/octet-stream")] + headers
        request.maximumBytes = 64 * 1024
        if let progress {
            let last = Locked<Int64>(-1)
            request.sendProgress = { sent, total in
                let isNews = last.withLock { last in
                    defer { last = sent }
                    return last != sent
                }
                if isNews { progress(TransferProgress(completed: sent, total: total)) }
            }
        }
        do throws(TransportError) {
            return try await client.send(request).status
        } catch {
            if case .cancelled = error.code { throw CancellationError() }
            throw XMPPError(http: error, host: location.host)
        }
    }
}

/// A file that was fetched.
public struct DownloadedFile: Sendable, Hashable {
    /// Where it is.
    public let path: String
    /// Its size in bytes.
    public let byteCount: Int64
    /// The hash of what came.
    public let hash: ContentHash
    /// What it is by its own bytes, of the kinds that may be shown; nil for all others.
    public let kind: FileKind?
    /// The media type as the server gave it, which nothing may depend on.
    public let announcedType: String?
}

extension XMPPSession {
    /// Fetches and sends files with what the account trusts and its proxy; everything else as the rules say.
    public func httpFiles(_ access: HTTPAccess = HTTPAccess()) -> HTTPFiles {
        var access = access
        access.trust.authorityFiles += account.trust.authorityFiles.filter { !access.trust.authorityFiles.contains($0) }
        if !account.trust.usesSystemRoots { access.trust.usesSystemRoots = false }
        if access.proxy == nil { access.proxy = account.proxy }
        return HTTPFiles(access)
    }
}
