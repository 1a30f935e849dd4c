// SPDX-License-Identifier: Apache-2.0
package import Dispatch
import Glibc

/// Lines over one connected socket, both ways.
///
/// Owner of the descriptor and of both buffers; everything runs on `queue`, which is never blocked.
// All mutable state is confined to `queue`; the class is handed between tasks only to post work onto that queue.
package final class FrameChannel: @unchecked Sendable {
    package static let queue = DispatchQueue(label: "apus.profile-socket")

    /// Above this many bytes that the kernel has not taken, `send` waits.
    package static let highWaterBytes = 256 * 1024
    /// Above this many, the peer is taken for stuck and the connection is cut.
    package static let outputBytes = 64 << 20

    private let descriptor: Int32
    private var decoder: LineDecoder
    private var output: [UInt8] = []
    private var written = 0
    private var waiters: [Waiter] = []
    private var readSource: (any DispatchSourceRead)?
    private var writeSource: (any DispatchSourceWrite)?
    private var liveSources = 0
    private var receive: ((_ line: [UInt8]) -> Void)?
    private var closed: ((_ error: ChatAPIError?) -> Void)?
    private var isFlushing = false
    private var isFinished = false

    /// Takes over a connected, non-blocking descriptor.
    ///
    /// `lineBytes` is the longest line accepted.
    package init(descriptor: Int32, lineBytes: Int) {
        self.descriptor = descriptor
        decoder = LineDecoder(limit: lineBytes)
    }

    /// Starts reading.
    ///
    /// Both closures run on `queue`; `closed` runs once, with nil when the peer ended the connection between two lines
    /// or we closed it.
    package func start(
        receive: @escaping @Sendable ([UInt8]) -> Void, closed: @escaping @Sendable (ChatAPIError?) -> Void
    ) {
        Self.queue.async { self.open(receive, closed) }
    }

    /// Sends a line that ends with its line feed; returns at once.
    package func post(_ line: [UInt8]) {
        Self.queue.async { self.enqueue(line, waiter: nil) }
    }

    /// Sends a line; returns when few enough bytes wait for the peer.
    ///
    /// Cancelling ends the wait, not the sending.
    package func send(_ line: [UInt8]) async throws(ChatAPIError) {
        let waiter = Waiter()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async {
                    waiter.continuation = continuation
                    self.enqueue(line, waiter: waiter)
                }
            }
        } onCancel: {
            Self.queue.async {
                waiter.isCancelled = true
                waiter.finish(.failure(.cancelled))
            }
        }
        try result.get()
    }

    /// Closes when everything posted before has gone out, or after a second.
    package func close() {
        Self.queue.async {
            guard !self.isFinished else { return }
            self.isFlushing = true
            self.flush()
            Self.queue.asyncAfter(deadline: .now() + .seconds(1)) { self.finish(nil) }
        }
    }

    /// Closes now.
    package func abort() {
        Self.queue.async { self.finish(nil) }
    }
}

extension FrameChannel {
    // Confined to `queue` like the channel that it belongs to.
    private final class Waiter: @unchecked Sendable {
        var continuation: CheckedContinuation<Result<Void, ChatAPIError>, Never>?
        var isCancelled = false

        func finish(_ result: Result<Void, ChatAPIError>) {
            continuation?.resume(returning: result)
            continuation = nil
        }
    }

    private func open(
        _ receive: @escaping @Sendable ([UInt8]) -> Void, _ closed: @escaping @Sendable (ChatAPIError?) -> Void
    ) {
        guard !isFinished else { return closed(nil) }
        self.receive = receive
        self.closed = closed
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler { self.readAvailable() }
        source.setCancelHandler { self.sourceEnded() }
        liveSources += 1
        readSource = source
        source.activate()
    }

    private func readAvailable() {
        var rounds = 0
        while !isFinished, rounds < 16 {
            rounds += 1
            let (count, number) = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 { decoder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                return (count, errno)
            }
            if count > 0 {
                deliver()
            } else if count == 0 {
                return finish(decoder.bufferedBytes == 0 ? nil : Self.lost("it ended in the middle of a frame"))
            } else if number == EAGAIN || number == EWOULDBLOCK {
                return
            } else if number != EINTR {
                return finish(Self.lost(String(cString: strerror(number))))
            }
        }
    }

    private func deliver() {
        do throws(LineDecoder.LineTooLong) {
            while !isFinished, !isFlushing, let line = try decoder.next() { receive?(line) }
        } catch {
            finish(
                ChatAPIError(
                    .tooLarge, "a frame on the profile's socket is longer than \(error.limit) bytes",
                    hint: "check that the other program is Apus of the same version"))
        }
    }

    private func enqueue(_ line: [UInt8], waiter: Waiter?) {
        guard !isFinished, !isFlushing else {
            waiter?.finish(.failure(Self.lost("it is closed")))
            return
        }
        output.append(contentsOf: line)
        flush()
        let pending = output.count - written
        if let waiter, !waiter.isCancelled, !isFinished, pending > Self.highWaterBytes {
            waiters.append(waiter)
        } else {
            waiter?.finish(waiter?.isCancelled == true ? .failure(.cancelled) : .success(()))
        }
        if pending > Self.outputBytes { finish(Self.lost("the other side does not read")) }
    }

    private func flush() {
        while !isFinished, written < output.count {
            let (count, number) = output.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                return (Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL)), errno)
            }
            if count >= 0 {
                written += count
            } else if number == EAGAIN || number == EWOULDBLOCK {
                waitForWriting()
                break
            } else if number != EINTR {
                return finish(Self.lost(String(cString: strerror(number))))
            }
        }
        if written == output.count {
            output.removeAll(keepingCapacity: output.count <= Self.highWaterBytes)
            written = 0
            writeSource?.cancel()
            writeSource = nil
            if isFlushing { finish(nil) }
        } else if written > 1 << 20 {
            output.removeFirst(written)
            written = 0
        }
        if output.count - written <= Self.highWaterBytes { release(.success(())) }
    }

    private func waitForWriting() {
        guard writeSource == nil else { return }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler { self.flush() }
        source.setCancelHandler { self.sourceEnded() }
        liveSources += 1
        writeSource = source
        source.activate()
    }

    private func release(_ result: Result<Void, ChatAPIError>) {
        let released = waiters
        waiters = []
        for waiter in released { waiter.finish(result) }
    }

    private func finish(_ error: ChatAPIError?) {
        guard !isFinished else { return }
        isFinished = true
        release(.failure(error ?? Self.lost("it is closed")))
        let closed = closed
        (self.closed, receive) = (nil, nil)
        readSource?.cancel()
        writeSource?.cancel()
        (readSource, writeSource) = (nil, nil)
        if liveSources == 0 { Glibc.close(descriptor) }
        closed?(error)
    }

    private func sourceEnded() {
        liveSources -= 1
        if isFinished, liveSources == 0 { Glibc.close(descriptor) }
    }

    static func lost(_ cause: String) -> ChatAPIError {
        ChatAPIError(
            .connectionLost, "the connection to the process that holds the profile broke: \(cause)",
            hint: "run the command again", isRetryable: true)
    }
}
