// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// A file that was uploaded, ready to be sent.
public struct UploadedFile: Sendable, Hashable {
    /// Where everybody can fetch it, byte for byte as the server gave it.
    public let url: String
    /// What it is, with the hash of what was uploaded.
    public let metadata: FileMetadata

    /// What a message needs to share it: `Message.file(uploaded.shared, to: friend)`.
    public var shared: SharedFile { SharedFile(metadata: metadata, urls: [url], disposition: .inline) }
}

extension XMPPSession {
    /// Finds the upload service of the account's server (XEP-0363 §3); nil when it has none.
    ///
    /// Asks the server and at most twenty of what it lists, once for each stream. Throws ``XMPPError`` when the server does
    /// not answer. Cancelling ends the wait.
    public func uploadService() async throws -> UploadService? {
        if let known = inboxes.uploadService.withLock({ $0 }) { return known }
        let server = try serverAddress()
        var found: [UploadService] = []
        for item in try await discoverItems(of: server).prefix(20) where item.node == nil && item.jid.local == nil {
            do {
                if let service = UploadService(item.jid, try await discoverInfo(of: item.jid)) { found.append(service) }
            } catch let error as XMPPError where error.stanzaError != nil { continue }
        }
        if found.isEmpty, let service = UploadService(server, try await discoverInfo(of: server)) {
            found.append(service)
        }
        let best = found.first { !$0.isLegacy } ?? found.first
        inboxes.uploadService.withLock { $0 = best }
        return best
    }

    /// Asks for a place for a file, for those who put it there themselves (XEP-0363 §4).
    ///
    /// Throws ``XMPPError``: `fileTooLarge`, before anything is sent where the service told its limit; `requestFailed`, with
    /// ``XMPPError/uploadRetryDate`` where it says when to come back; `invalidReply`. Cancelling ends the wait.
    /// - Parameters:
    ///   - name: The name, without a path; the address that others see mostly has it.
    ///   - byteCount: The size: the file must have exactly this one.
    ///   - mediaType: The media type, which has to be sent with the file then.
    ///   - purpose: What it is for, told to services that make a difference.
    ///   - service: The service.
    public func requestUploadSlot(
        name: String, byteCount: Int64, mediaType: String? = nil, purpose: UploadPurpose = .message,
        at service: UploadService
    ) async throws -> UploadSlot {
        if let limit = service.maximumBytes, byteCount > limit { throw XMPPError.tooLarge(limit, service.jid) }
        let request = Upload.request(
            service, name: name, byteCount: byteCount, mediaType: mediaType,
            purpose: service.supports(purpose) ? purpose : nil)
        let reply: IQ
        do {
            reply = try await get(request, to: service.jid)
        } catch let error as XMPPError { throw XMPPError.upload(error, service: service) }
        guard let slot = reply.payload.flatMap({ UploadSlot($0) }) else {
            throw XMPPError(.invalidReply, "\(service.jid) gave no place for the file")
        }
        return slot
    }

    /// Uploads a file, so that it can be sent as a link (XEP-0363).
    ///
    /// ```swift
    /// let file = try await session.upload(.file("/home/ann/tea.jpg"), mediaType: "image/jpeg")
    /// try await session.send(.file(file.shared, to: friend))
    /// ```
    /// Waits until the server has the whole file, and only then gives its address; a failure on the way is followed by a
    /// new place and all of the file again, three times at most. Both addresses have to be `https`, unless the rules say
    /// otherwise; of the fields that the server asks for only `Authorization`, `Cookie` and `Expires` are sent. When the
    /// server has no service and there is a media server, the file goes there.
    ///
    /// Throws ``XMPPError``: `notSupported` without either; `fileTooLarge`, with ``XMPPError/uploadLimit``;
    /// `fileUnusable` also when the file changed meanwhile; `httpRefused`, `transferFailed`, `timedOut`,
    /// `forbiddenAddress`; else as ``requestUploadSlot(name:byteCount:mediaType:purpose:at:)``. Cancelling ends the
    /// transfer.
    /// - Parameters:
    ///   - source: The file.
    ///   - name: The name that others see, nil for that of the file.
    ///   - mediaType: The media type.
    ///   - purpose: What it is for.
    ///   - access: The rules. Hosts that the server names are not trusted by that alone.
    ///   - mediaServer: Where to put it when the account's server has no upload service.
    ///   - progress: Told how far it is, on a thread that must not be blocked; from the beginning for each attempt.
    public func upload(
        _ source: FileSource, name: String? = nil, mediaType: String? = nil, purpose: UploadPurpose = .message,
        access: HTTPAccess = HTTPAccess(), mediaServer: MediaServer? = nil, progress: HTTPFiles.Progress? = nil
    ) async throws -> UploadedFile {
        let opened = try OpenedSource(source)
        let name = FileMetadata(name: name ?? source.name).safeName ?? "file"
        let files = httpFiles(access)
        guard let service = try await uploadService() else {
            guard let mediaServer else {
                throw XMPPError(.notSupported, "\(account.jid.domain) has no upload service")
            }
            return try await files.put(opened, name: name, mediaType: mediaType, to: mediaServer, progress: progress)
        }
        var machine = UploadStateMachine()
        var action = machine.start()
        while true {
            try Task.checkCancellation()
            switch action {
            case .requestSlot:
                do {
                    let slot = try await requestUploadSlot(
                        name: name, byteCount: opened.byteCount, mediaType: mediaType, purpose: purpose, at: service)
                    // Whoever gets the link could not fetch it otherwise.
                    _ = try files.access.location(slot.getURL)
                    action = machine.received(slot)
                } catch let error as XMPPError { action = machine.failed(error) }
            case .put(let slot):
                do {
                    let location = try files.access.location(slot.putURL)
                    let status = try await files.put(
                        opened, to: location, headers: slot.fields.map { ($0.name, $0.value) }, mediaType: mediaType,
                        progress: progress)
                    action = machine.answered(status, host: location.host)
                } catch let error as XMPPError { action = machine.failed(error) }
            case .finished(let slot):
                return try UploadedFile(opened, url: slot.getURL, name: name, mediaType: mediaType)
            case .fail(let error): throw error
            }
        }
    }
}

extension UploadedFile {
    /// What was uploaded; throws when the file is not the same any more.
    init(_ source: OpenedSource, url: String, name: String, mediaType: String?) throws(XMPPError) {
        guard let hash = source.hash() else {
            throw XMPPError(.fileUnusable, "the file changed while it was sent")
        }
        self.url = url
        metadata = FileMetadata(
            name: name, mediaType: mediaType, byteCount: Int(source.byteCount), hashes: [hash])
    }
}
