// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Dispatch

extension XMPPSession {
    /// Sends a file to another program, inside the stream: by Jingle (XEP-0234), or by the protocol before (XEP-0096) to
    /// one that knows no other, as Spark.
    ///
    /// It is slow and burdens both servers: where there is an upload service, ``upload(_:name:mediaType:purpose:access:mediaServer:progress:)`` is
    /// better. Needs ``FileTransferModule``. Waits until the other side has the whole file. Throws ``XMPPError``:
    /// `notSupported` when it knows neither; `offerDeclined`, `transferCancelled`, `transferFailed`, `timedOut`,
    /// `fileUnusable`. Cancelling ends the transfer and tells the other side.
    /// - Parameters:
    ///   - source: The file.
    ///   - jid: The full address of the program.
    ///   - name: The name that the other side sees, nil for that of the file.
    ///   - mediaType: The media type.
    ///   - explanation: What it is, in words for people.
    ///   - patience: How long the other side may think about it. Defaults to 10 minutes.
    ///   - progress: Told how far it is, on a thread that must not be blocked.
    public nonisolated func sendFile(
        _ source: FileSource, to jid: JID, name: String? = nil, mediaType: String? = nil, explanation: String? = nil,
        patience: Duration = .seconds(600), progress: HTTPFiles.Progress? = nil
    ) async throws {
        guard jid.resource != nil else {
            throw XMPPError(.invalidArgument, "\(jid) is no full address: a file goes to one program")
        }
        guard modules.contains(where: { $0 is FileTransferModule }) else {
            throw XMPPError(.invalidArgument, "the session has no FileTransferModule")
        }
        let opened = try OpenedSource(source)
        let metadata = FileMetadata(
            name: FileMetadata(name: name ?? source.name).safeName ?? "file", mediaType: mediaType,
            byteCount: Int(opened.byteCount), explanation: explanation)
        let sender = FileSender(
            session: self, source: opened, peer: jid, patience: patience, progress: progress)
        let info = try await discoverInfo(of: jid)
        if info.supports(JingleFile.namespace), info.supports(JingleContent.inBandName.namespace) {
            try await sender.sendByJingle(metadata)
        } else if info.supports(StreamInitiation.profile), info.supports(InBand.namespace) {
            try await sender.sendByInitiation(metadata)
        } else {
            throw XMPPError(.notSupported, "\(jid) takes no files inside the stream")
        }
    }
}

/// Sends one file to one program.
struct FileSender: Sendable {
    let session: XMPPSession
    let source: OpenedSource
    let peer: JID
    let patience: Duration
    let progress: HTTPFiles.Progress?

    private var clock: any LoopClock { session.configuration.clock }

    /// XEP-0234 §6, XEP-0261 §2.
    @concurrent func sendByJingle(_ metadata: FileMetadata) async throws {
        var metadata = metadata
        metadata.hashes = [try await hash()]
        let own = await session.jid ?? peer
        let randomness = session.configuration.randomness
        var file = JingleFile(metadata)
        file.range = FilePart()
        let content = JingleContent(
            name: "file", description: .file(file),
            transport: .inBand(sid: randomness.token(), blockSize: InBand.usualBlock))
        let jingle = JingleSession(
            JingleStateMachine(.initiator, sid: randomness.token(), content: content), peer: peer)
        let transfers = session.inboxes.transfers
        guard transfers.add(jingle) else {
            throw XMPPError(.transferFailed, "there are too many transfers already", isRetryable: true)
        }
        defer { transfers.remove(jingle) }
        do {
            _ = try await session.set(jingle.decide { $0.initiate(from: own) }.element, to: peer)
            let (stream, size, part) = try await acceptance(jingle)
            guard let bytes = part.bytes(of: source.byteCount) else {
                throw XMPPError(.transferFailed, "\(peer) wants a part of the file that is not there")
            }
            try await send(stream, size, bytes, until: jingle)
            try await completion(jingle)
        } catch {
            jingle.end((error as? XMPPError)?.jingleReason ?? .cancel, session)
            throw error
        }
    }

    private func acceptance(_ jingle: JingleSession) async throws -> (sid: String, blockSize: Int, part: FilePart) {
        while true {
            switch try await jingle.news.next(within: patience, clock: clock) {
            case .accepted(let sid, let size, let part): return (sid, size, part)
            case .ended(let reason): throw XMPPError.ended(reason, peer)
            default: continue
            }
        }
    }

    /// Everything was sent: the other side says whether it is what was announced; without a word it is.
    private func completion(_ jingle: JingleSession) async throws {
        do {
            while true {
                switch try await jingle.news.next(within: .seconds(30), clock: clock) {
                case .ended(let reason):
                    guard reason.condition == "success" else { throw XMPPError.ended(reason, peer) }
                    return
                case .received: return jingle.end(.success, session)
                default: continue
                }
            }
        } catch let error as XMPPError where error.code == .timedOut { jingle.end(.success, session) }
    }

    /// XEP-0096 §3, XEP-0047.
    @concurrent func sendByInitiation(_ metadata: FileMetadata) async throws {
        let id = session.configuration.randomness.token()
        let offer = StreamInitiation(id: id, metadata: metadata)
        let reply: IQ
        do {
            reply = try await session.request(IQ(.set, to: peer, payload: offer.element), timeout: patience)
        } catch let error as XMPPError {
            switch error.stanzaError?.condition {
            case .forbidden, .notAcceptable:
                throw XMPPError(
                    .offerDeclined, "\(peer) does not want the file", underlying: error.stanzaError)
            case .badRequest, .serviceUnavailable, .featureNotImplemented:
                throw XMPPError(
                    .notSupported, "\(peer) cannot take files this way", underlying: error.stanzaError)
            default: throw error
            }
        }
        guard StreamInitiation.chosen(reply.payload) == InBand.namespace else {
            throw XMPPError(.invalidReply, "\(peer) wants the file in a way that was not offered")
        }
        try await send(id, InBand.usualBlock, 0..<source.byteCount, until: nil)
    }

    /// Sends the blocks, each when the one before was acknowledged.
    private func send(
        _ sid: String, _ blockSize: Int, _ bytes: Range<Int64>, until jingle: JingleSession?
    ) async throws {
        var machine = InBandSenderStateMachine(bytes: bytes, blockSize: blockSize)
        var action = machine.start()
        var isOpen = false
        do {
            while action != .finished {
                try Task.checkCancellation()
                if jingle?.hasEnded == true { throw await reasonOfEnd(jingle) }
                let payload: Element
                switch action {
                case .open(let size): payload = InBandOpen(sid: sid, blockSize: size).element
                case .send(let sequence, let offset, let count):
                    isOpen = true
                    guard let bytes = await read(offset, count) else {
                        throw XMPPError(.fileUnusable, "the file cannot be read")
                    }
                    payload = InBandData(sid: sid, sequence: sequence, bytes: bytes).element
                case .close:
                    isOpen = false
                    payload = InBandClose(sid: sid).element
                case .finished, .fail: throw XMPPError(.transferFailed, "\(peer) does not take the file")
                }
                do {
                    _ = try await session.request(IQ(.set, to: peer, payload: payload), timeout: .seconds(60))
                    action = machine.acknowledged()
                    progress?(TransferProgress(completed: machine.offset, total: source.byteCount))
                } catch let error as XMPPError {
                    guard let refusal = error.stanzaError else { throw error }
                    if jingle?.hasEnded == true { throw await reasonOfEnd(jingle) }
                    action = machine.refused(refusal)
                    if action == .fail {
                        throw XMPPError(
                            .transferFailed, "\(peer) does not take the file: \(refusal)", underlying: refusal)
                    }
                }
            }
        } catch {
            if isOpen {
                Task.detached { [session, peer] in _ = try? await session.set(InBandClose(sid: sid).element, to: peer) }
            }
            throw error
        }
    }

    private func reasonOfEnd(_ jingle: JingleSession?) async -> XMPPError {
        while let effect = try? await jingle?.news.next(within: .seconds(1), clock: clock) {
            if case .ended(let reason) = effect { return XMPPError.ended(reason, peer) }
        }
        return XMPPError(.transferCancelled, "\(peer) gave the transfer up")
    }

    /// Reads away from the threads that others need.
    private func read(_ offset: Int64, _ count: Int) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { [source] in
                continuation.resume(returning: source.read(at: offset, upTo: count))
            }
        }
    }

    private func hash() async throws -> ContentHash {
        var offset: Int64 = 0
        while offset < source.byteCount {
            try Task.checkCancellation()
            guard let bytes = await read(offset, 256 * 1024) else { break }
            offset += Int64(bytes.count)
        }
        guard let hash = source.hash() else { throw XMPPError(.fileUnusable, "the file cannot be read") }
        return hash
    }
}
