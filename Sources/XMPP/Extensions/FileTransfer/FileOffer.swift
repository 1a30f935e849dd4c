// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// A file that somebody offers; nothing of it comes before it is accepted (XEP-0234 §6, XEP-0096 §3).
public struct FileOffer: Sendable {
    /// Who offers it, by the full address of the program.
    public let from: JID
    /// What the sender says of it; use ``FileMetadata/safeName`` for its name.
    public let metadata: FileMetadata
    private let answer: any FileOfferAnswer

    init(from: JID, metadata: FileMetadata, answer: any FileOfferAnswer) {
        self.from = from
        self.metadata = metadata
        self.answer = answer
    }

    /// Takes the file.
    ///
    /// Waits until it is there whole, with the size and the hash that were announced; until then it is written beside its
    /// place, readable by its owner only, and nothing of it stays after a failure. Throws ``XMPPError``: `fileTooLarge`;
    /// `fileUnusable`, also when there is something at the path; `offerExpired` when it was answered before or is not open
    /// any more; `transferCancelled`, `transferFailed`, `contentMismatch`, `timedOut`, `connectionLost`. Cancelling ends the
    /// transfer and tells the sender.
    /// - Parameters:
    ///   - path: Where the file is to be.
    ///   - limit: The most bytes that are taken. Defaults to 100 MiB.
    ///   - progress: Told how far it is, on a thread that must not be blocked.
    public func accept(
        to path: String, limit: Int64 = 100 * 1024 * 1024, progress: HTTPFiles.Progress? = nil
    ) async throws -> DownloadedFile {
        try await answer.accept(to: path, limit: limit, progress: progress)
    }

    /// Says that the file is not wanted; nothing happens when the offer is not open any more.
    public func decline() { answer.decline() }
}

/// How an offer is answered, by either protocol.
protocol FileOfferAnswer: Sendable {
    func accept(to path: String, limit: Int64, progress: HTTPFiles.Progress?) async throws -> DownloadedFile
    func decline()
}

/// Whether an offer is open: it is answered once, or runs out.
final class OfferState: Sendable {
    /// So long it is open.
    static let lifetime: Duration = .seconds(300)

    private let timer = Locked<(any LoopTimer)?>(nil)
    private let isOpen = Locked(true)

    /// Calls `onEnd` when the time is over and nobody answered.
    func start(_ clock: any LoopClock, _ onEnd: @escaping @Sendable () -> Void) {
        let made = clock.schedule(after: Self.lifetime) { [self] in if claim() { onEnd() } }
        timer.withLock { $0 = made }
    }

    /// Whether the caller is the one who answers.
    func claim() -> Bool {
        let isFirst = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard isFirst else { return false }
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
        return true
    }

    static let expired = XMPPError(.offerExpired, "the offer is not open any more")
}

/// An offer by Jingle (XEP-0234).
final class JingleOffer: FileOfferAnswer {
    private let session: XMPPSession
    private let jingle: JingleSession
    private let metadata: FileMetadata
    let state = OfferState()

    init(_ session: XMPPSession, _ jingle: JingleSession, _ metadata: FileMetadata) {
        self.session = session
        self.jingle = jingle
        self.metadata = metadata
    }

    func decline() {
        guard state.claim() else { return }
        close(.decline)
    }

    func close(_ reason: JingleReason) {
        jingle.end(reason, session)
        session.inboxes.transfers.remove(jingle)
    }

    func accept(to path: String, limit: Int64, progress: HTTPFiles.Progress?) async throws -> DownloadedFile {
        guard state.claim(), !jingle.hasEnded else { throw OfferState.expired }
        let transfers = session.inboxes.transfers
        defer { transfers.remove(jingle) }
        do {
            let own = await session.jid ?? jingle.peer
            try await agreeOnTransport()
            guard case .inBand(let stream, let size)? = jingle.content.transport else { throw OfferState.expired }
            let file = try IncomingFile(
                metadata, promised: promisedHashes, to: path, blockSize: size, limit: limit,
                clock: session.configuration.clock, progress: progress)
            jingle.attach(file)
            guard transfers.expect(file, from: jingle.peer, sid: stream) else {
                throw XMPPError(.transferFailed, "there is a transfer of that name already")
            }
            defer { transfers.forget(from: jingle.peer, sid: stream) }
            guard let step = jingle.decide({ $0.accept(as: own) }) else { throw OfferState.expired }
            _ = try await session.set(step.element, to: jingle.peer)
            let result = try await file.result()
            jingle.end(.success, session)
            return result
        } catch {
            jingle.end((error as? XMPPError)?.jingleReason ?? .cancel, session)
            throw error
        }
    }

    private var promisedHashes: [String] {
        if case .file(let file)? = jingle.content.description { file.promisedHashes } else { [] }
    }

    /// Where the offer names hosts to connect to, a stream inside the stream is asked for instead (XEP-0166 §6.6).
    private func agreeOnTransport() async throws {
        if case .inBand? = jingle.content.transport { return }
        let stream = session.configuration.randomness.token()
        guard let step = jingle.decide({ $0.replaceTransport(sid: stream, blockSize: InBand.usualBlock) }) else {
            throw OfferState.expired
        }
        _ = try await session.set(step.element, to: jingle.peer)
        while true {
            switch try await jingle.news.next(within: .seconds(60), clock: session.configuration.clock) {
            case .replaced: return
            case .ended(let reason): throw XMPPError.ended(reason, jingle.peer)
            default: continue
            }
        }
    }
}

/// An offer by the protocol before (XEP-0095, XEP-0096): the request itself waits for the decision.
final class InitiationOffer: FileOfferAnswer {
    private let session: XMPPSession
    private let peer: JID
    private let offer: StreamInitiation
    private let decision = TransferMailbox<RequestAnswer>()
    let state = OfferState()

    init(_ session: XMPPSession, _ peer: JID, _ offer: StreamInitiation) {
        self.session = session
        self.peer = peer
        self.offer = offer
    }

    /// What the request is answered, when that is known.
    func answer() async -> RequestAnswer {
        (try? await decision.next(within: nil, clock: session.configuration.clock)) ?? .error(StreamInitiation.declined)
    }

    func decline() {
        guard state.claim() else { return }
        refuse(StreamInitiation.declined)
    }

    func refuse(_ error: StanzaError) {
        decision.post(.error(error))
        session.inboxes.transfers.closed(peer, offer.id)
    }

    func accept(to path: String, limit: Int64, progress: HTTPFiles.Progress?) async throws -> DownloadedFile {
        guard state.claim() else { throw OfferState.expired }
        let transfers = session.inboxes.transfers
        defer { transfers.closed(peer, offer.id) }
        let file: IncomingFile
        do {
            file = try IncomingFile(
                offer.metadata, to: path, blockSize: InBand.largestBlock, limit: limit,
                clock: session.configuration.clock, progress: progress)
            guard transfers.expect(file, from: peer, sid: offer.id) else {
                throw XMPPError(.transferFailed, "there is a transfer of that name already")
            }
        } catch {
            decision.post(.error(StreamInitiation.declined))
            throw error
        }
        defer { transfers.forget(from: peer, sid: offer.id) }
        decision.post(.result(StreamInitiation.accept(InBand.namespace)))
        do {
            return try await file.result()
        } catch {
            // The sender hears that its stream is closed.
            Task.detached { [session, peer, offer] in
                _ = try? await session.set(InBandClose(sid: offer.id).element, to: peer)
            }
            throw error
        }
    }
}
