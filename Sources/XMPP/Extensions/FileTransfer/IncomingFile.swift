// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Dispatch

/// A file that somebody sends inside the stream, after we agreed to it (XEP-0047, XEP-0261).
///
/// Blocks are judged on the stream's thread in the order of arrival, written on a queue of its own, and acknowledged
/// when they are written: whoever sends goes as fast as the disk. Owners of its state: two locks, one for the decisions,
/// one for the file, which only the queue takes.
final class IncomingFile: Sendable {
    private struct State {
        var machine: InBandReceiverStateMachine
        var hashes: [ContentHash] = []
        /// A hash is told in the end, and is waited for.
        var isHashPromised = false
        /// The last byte is there.
        var isComplete = false
        /// Bytes that are not written yet.
        var waiting = 0
        var lastCount: Int64 = -1
        var isOver = false
        var timer: (any LoopTimer)?
    }

    /// Whoever does not wait for acknowledgements gets no further than this.
    private static let mostWaiting = 4 * 1024 * 1024
    /// No block for so long is the end.
    static let patience: Duration = .seconds(90)

    private let state: Locked<State>
    private let sink: Locked<FileSink>
    private let outcome = TransferMailbox<Result<DownloadedFile, XMPPError>>()
    private let queue = DispatchQueue(label: "apus.incoming-file")
    private let path: String
    private let clock: any LoopClock
    private let total: Int64?
    private let progress: HTTPFiles.Progress?

    init(
        _ metadata: FileMetadata, promised: [String] = [], to path: String, blockSize: Int, limit: Int64,
        clock: any LoopClock, progress: HTTPFiles.Progress?
    ) throws(XMPPError) {
        total = metadata.byteCount.map(Int64.init)
        if let total, total > limit {
            throw XMPPError(.fileTooLarge, "the file has \(total) bytes, more than the \(limit) that are permitted")
        }
        self.path = path
        self.clock = clock
        self.progress = progress
        sink = Locked(FileSink(file: try NewFile(beside: path), expected: metadata, promised: promised))
        state = Locked(
            State(
                machine: InBandReceiverStateMachine(blockSize: blockSize, byteCount: total, limit: limit),
                isHashPromised: !promised.isEmpty))
        watch()
    }

    // MARK: What the other side does, on the stream's thread

    func opened(_ open: InBandOpen) -> RequestAnswer { perform(state.withLock { $0.machine.opened(open) }) }

    func received(_ data: InBandData) -> RequestAnswer {
        let action = state.withLock { state in
            let action = state.machine.received(data.sequence, count: data.bytes.count)
            if action == .take { state.waiting += data.bytes.count }
            guard state.waiting <= Self.mostWaiting else {
                return InBandReceiverStateMachine.Action.fail(
                    StanzaError(.resourceConstraint, kind: .cancel),
                    XMPPError(.transferFailed, "the other side sends faster than it may"))
            }
            return action
        }
        guard action == .take else { return perform(action) }
        queue.async { [self] in write(data.bytes) }
        return .later { [self] in
            await written()
            return isOver ? .error(StanzaError(.notAcceptable, kind: .cancel)) : .result(nil)
        }
    }

    func malformed() -> RequestAnswer { perform(state.withLock { $0.machine.malformed() }) }

    func closed() -> RequestAnswer { perform(state.withLock { $0.machine.closed() }) }

    /// The hash of the file, told after it was offered, even after the last byte (XEP-0234 §8.1).
    func told(_ hashes: [ContentHash]) {
        let isComplete = state.withLock { state in
            state.hashes = Array(hashes.prefix(8))
            return state.isComplete
        }
        if isComplete { queue.async { [self] in finish() } }
    }

    private func perform(_ action: InBandReceiverStateMachine.Action) -> RequestAnswer {
        switch action {
        case .acknowledge, .take: return .result(nil)
        case .refuse(let error): return .error(error)
        case .fail(let error, let reason):
            fail(reason)
            return .error(error)
        case .finish:
            queue.async { [self] in finish() }
            return .later { [self] in
                await written()
                return .result(nil)
            }
        }
    }

    // MARK: The file, on the queue

    private func write(_ bytes: [UInt8]) {
        let count = sink.withLock { sink -> Int64? in
            bytes.withUnsafeBytes { sink.append($0) } ? sink.count : nil
        }
        state.withLock { $0.waiting -= bytes.count }
        guard let count else { return fail(XMPPError(.fileUnusable, "the file cannot be written")) }
        progress?(TransferProgress(completed: count, total: total))
    }

    private func finish() {
        guard !isOver else { return }
        let told = state.withLock { state -> [ContentHash]? in
            state.isComplete = true
            return state.isHashPromised && state.hashes.isEmpty ? nil : state.hashes
        }
        // A promise that is not kept is a file that stops coming.
        guard let hashes = told else { return }
        let result = sink.withLock { sink -> Result<DownloadedFile, XMPPError> in
            do throws(XMPPError) {
                try sink.verify(also: hashes)
                try sink.file?.settle()
                return .success(sink.result(path, announcedType: nil))
            } catch { return .failure(error) }
        }
        end(result)
    }

    private func written() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    // MARK: The end

    private var isOver: Bool { state.withLock { $0.isOver } }

    func fail(_ error: XMPPError) { end(.failure(error)) }

    private func end(_ result: Result<DownloadedFile, XMPPError>) {
        let isFirst = state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        queue.async { [self] in
            if case .failure = result { sink.withLock { $0.file }?.discard() }
            outcome.post(result)
        }
    }

    /// Waits until the file is there, or will not come.
    func result() async throws -> DownloadedFile {
        do {
            return try await outcome.next(within: nil, clock: clock).get()
        } catch {
            if error is CancellationError { fail(XMPPError(.disconnected, "the transfer was given up")) }
            throw error
        }
    }

    /// Looks every now and then whether anything came.
    private func watch() {
        let timer = clock.schedule(after: Self.patience) { [weak self] in self?.check() }
        let isOver = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }

    private func check() {
        let isStill = state.withLock { state in
            defer { state.lastCount = state.machine.count }
            return state.lastCount == state.machine.count || state.machine.phase == .waiting
        }
        guard isStill else { return watch() }
        fail(XMPPError(.timedOut, "nothing of the file came for a while", isRetryable: true))
    }
}
