// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Takes the bytes of a file as they come by HTTP (XEP-0363 §7).
///
/// Owner of its state: its lock.
final class DownloadSink: Sendable {
    private struct State {
        var machine: DownloadStateMachine
        var sink: FileSink
        var announcedType: String?
        var isTooLarge = false
    }

    private let state: Locked<State>
    /// The most bytes that are taken: no more than were announced.
    let cap: Int
    /// So many bytes were announced.
    let declaredTotal: Int64?

    init(url: String, access: HTTPAccess, limit: Int, expected: FileMetadata?, file: NewFile?) {
        cap = min(limit, access.maximumBytes, expected?.byteCount ?? limit)
        declaredTotal = expected?.byteCount.map(Int64.init)
        state = Locked(
            State(
                machine: DownloadStateMachine(url: url, maximumRedirects: access.maximumRedirects),
                sink: FileSink(file: file, expected: expected)))
    }

    var bytes: [UInt8] { state.withLock { $0.sink.bytes } }

    func start() -> DownloadStateMachine.Action { state.withLock { $0.machine.start() } }

    func answered(_ response: HTTPResponse, host: String) -> DownloadStateMachine.Action {
        state.withLock { $0.machine.answered(response, host: host) }
    }

    func failed(_ error: XMPPError) -> DownloadStateMachine.Action {
        state.withLock { state in
            guard state.isTooLarge || error.code == .fileTooLarge else { return state.machine.failed(error) }
            return .fail(XMPPError(.fileTooLarge, "the file is larger than \(cap) bytes"))
        }
    }

    /// On the client's thread; false ends the transfer.
    func take(_ head: HTTPResponse, _ piece: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            switch state.machine.placed(head) {
            case .nowhere: return false
            case .beginning:
                state.announcedType = head.contentType
                guard state.sink.clear() else { return false }
            case .end: break
            }
            guard Int64(piece.count) <= Int64(cap) - state.machine.offset else {
                state.isTooLarge = true
                return false
            }
            guard state.sink.append(piece) else { return false }
            state.machine.received(piece.count)
            return true
        }
    }

    func verify() throws(XMPPError) {
        try state.withLock { state throws(XMPPError) in try state.sink.verify() }
    }

    func result(_ path: String) -> DownloadedFile {
        state.withLock { $0.sink.result(path, announcedType: $0.announcedType) }
    }
}
