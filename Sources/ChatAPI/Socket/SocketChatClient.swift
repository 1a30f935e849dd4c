// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Dispatch
import Synchronization

/// The chat core in another process, over its Unix socket.
///
/// When that process stops or dies, calls under way end with `leaving` (nothing was done) or `connectionLost`.
// The calls and streams under way are confined to `FrameChannel.queue`; the rest is immutable or atomic.
package final class SocketChatClient: ChatClient, @unchecked Sendable {
    /// What the core said of itself.
    package struct Core: Hashable, Sendable {
        package var version: Int
        package var program: String
        package var role: String
        package var process: Int32
        /// The directory of the profile that it holds.
        package var directory: String
    }

    package let core: Core
    let channel: FrameChannel
    private let lastID = Atomic<UInt64>(0)
    private var calls: [UInt64: PendingCall] = [:]
    private var streams: [UInt64: PendingStream] = [:]
    private var end: ChatAPIError?

    fileprivate init(core: Core, channel: FrameChannel) {
        self.core = core
        self.channel = channel
    }

    /// Ends the connection; every call under way ends with `connectionLost`.
    package func close() { channel.abort() }

    func call<Method: ChatMethod>(_ method: Method) async throws(ChatAPIError) -> Method.Reply {
        let id = nextID()
        var header = Wire.Header(.call, id: id)
        header.method = Method.name
        let frame = try Wire.encode(header, params: method)
        guard frame.count <= Wire.callBytes else {
            throw ChatAPIError(.tooLarge, "the request has \(frame.count) bytes, \(Wire.callBytes) is the most")
        }
        let pending = PendingCall()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                FrameChannel.queue.async {
                    pending.continuation = continuation
                    self.begin(id, pending, frame)
                }
            }
        } onCancel: {
            FrameChannel.queue.async { self.cancel(id, pending) }
        }
        return try Wire.result(Method.Reply.self, try result.get())
    }

    func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    private func begin(_ id: UInt64, _ pending: PendingCall, _ frame: [UInt8]) {
        if pending.isCancelled { return pending.finish(.failure(.cancelled)) }
        if let end { return pending.finish(.failure(end)) }
        calls[id] = pending
        channel.post(frame)
    }

    private func cancel(_ id: UInt64, _ pending: PendingCall) {
        pending.isCancelled = true
        if calls.removeValue(forKey: id) != nil { postCancel(id) }
        pending.finish(.failure(.cancelled))
    }

    func begin(_ id: UInt64, _ stream: PendingStream, _ frame: [UInt8]) {
        if stream.isFinished { return }
        if let end { return stream.end(.failure(end)) }
        streams[id] = stream
        channel.post(frame)
    }

    func finish(_ id: UInt64, _ stream: PendingStream) {
        stream.isFinished = true
        stream.end(.success(()))
        if streams.removeValue(forKey: id) != nil { postCancel(id) }
    }

    private func postCancel(_ id: UInt64) {
        if let frame = try? Wire.encode(Wire.Header(.cancel, id: id)) { channel.post(frame) }
    }
}

extension SocketChatClient {
    fileprivate func receive(_ line: [UInt8]) {
        guard let header = try? Wire.header(line) else { return fail(Self.notUnderstood) }
        switch (header.type, header.id) {
        case (.reply, let id?):
            calls.removeValue(forKey: id)?.finish(.success(line))
            streams.removeValue(forKey: id)?.end(.success(()))
        case (.failure, let id?):
            let error = header.error ?? Self.notUnderstood
            calls.removeValue(forKey: id)?.finish(.failure(error))
            streams.removeValue(forKey: id)?.end(.failure(error))
        case (.event, let id?):
            if let stream = streams[id], !stream.push(line) { fail(Self.notUnderstood) }
        case (.leaving, _):
            let error = ChatAPIError(
                .leaving, "the process that holds the profile is stopping", hint: "run the command again",
                isRetryable: true)
            let open = streams
            streams = [:]
            for stream in open.values { stream.end(.failure(error)) }
        case (.refuse, _): fail(header.error ?? Self.notUnderstood)
        default: fail(Self.notUnderstood)
        }
    }

    fileprivate func closed(_ error: ChatAPIError?) {
        guard end == nil else { return }
        let error = error ?? FrameChannel.lost("the process ended")
        end = error
        let (openCalls, openStreams) = (calls, streams)
        (calls, streams) = ([:], [:])
        for call in openCalls.values { call.finish(.failure(error)) }
        for stream in openStreams.values { stream.end(.failure(error)) }
    }

    private func fail(_ error: ChatAPIError) {
        closed(error)
        channel.abort()
    }

    fileprivate static let notUnderstood = ChatAPIError(
        .protocolMismatch, "the process that holds the profile speaks another language",
        hint: "stop it and start it again with this version of Apus")
}

extension SocketChatClient {
    /// Connects to the core that listens on `path` and greets it.
    ///
    /// Throws `notFound` when nobody listens there, `busy` when somebody does but does not answer in time.
    package static func connect(
        path: String, program: String, user: UInt32, timeout: Duration = .seconds(5)
    ) async throws(ChatAPIError) -> SocketChatClient {
        let deadline = ContinuousClock.now + timeout
        let descriptor = try await descriptor(path: path, user: user, deadline: deadline)
        let channel = FrameChannel(descriptor: descriptor, lineBytes: Wire.replyBytes)
        let greeting = Greeting()
        var hello = Wire.Header(.hello)
        hello.versions = Wire.versions
        hello.program = program
        let frame = try Wire.encode(hello)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                FrameChannel.queue.async {
                    greeting.begin(channel, continuation)
                    channel.post(frame)
                    channel.start(receive: greeting.receive, closed: greeting.closed)
                    let seconds = Double((deadline - .now).components.seconds) + 1
                    FrameChannel.queue.asyncAfter(deadline: .now() + max(0.1, seconds)) { greeting.timedOut() }
                }
            }
        } onCancel: {
            FrameChannel.queue.async { greeting.cancelled(channel) }
        }
        greeting.handOver.withLock { _ in }
        return try result.get()
    }

    private static func descriptor(
        path: String, user: UInt32, deadline: ContinuousClock.Instant
    ) async throws(ChatAPIError) -> Int32 {
        while true {
            do throws(UnixSocket.Failure) {
                let descriptor = try UnixSocket.connect(path)
                // The path could have been taken by another user's process where the directory is shared.
                guard UnixSocket.peer(descriptor)?.user == user else {
                    closeDescriptor(descriptor)
                    throw UnixSocket.Failure(call: "peer", number: notOurs)
                }
                return descriptor
            } catch {
                guard error.number == again, ContinuousClock.now < deadline else { throw explain(error, path) }
            }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
        }
    }

    // Confined to `FrameChannel.queue`: waits for the first frame, then hands the channel to its client.
    fileprivate final class Greeting: @unchecked Sendable {
        private var channel: FrameChannel?
        private var continuation: CheckedContinuation<Result<SocketChatClient, ChatAPIError>, Never>?
        private var client: SocketChatClient?
        private var isCancelled = false
        // Orders the client's first writes before the caller's reads where the thread sanitizer sees it too: what a
        // continuation orders it does not always see.
        let handOver = Locked<Void>(())

        func begin(
            _ channel: FrameChannel, _ continuation: CheckedContinuation<Result<SocketChatClient, ChatAPIError>, Never>
        ) {
            self.channel = channel
            self.continuation = continuation
            if isCancelled { end(.cancelled) }
        }

        func receive(_ line: [UInt8]) {
            if let client { return client.receive(line) }
            guard let channel, let header = try? Wire.header(line) else { return end(notUnderstood) }
            guard header.type == .welcome, let version = header.version, Wire.versions.contains(version) else {
                return end(header.error ?? notUnderstood)
            }
            let core = Core(
                version: version, program: header.program ?? "", role: header.role ?? "",
                process: header.process ?? 0, directory: header.directory ?? "")
            let made = SocketChatClient(core: core, channel: channel)
            client = made
            handOver.withLock { _ in }
            continuation?.resume(returning: .success(made))
            continuation = nil
        }

        func closed(_ error: ChatAPIError?) {
            if let client { return client.closed(error) }
            end(error ?? FrameChannel.lost("it ended before the greeting"))
        }

        func timedOut() {
            guard client == nil else { return }
            end(ChatAPIError(.busy, "the process that holds the profile does not answer on its socket"))
        }

        func cancelled(_ channel: FrameChannel) {
            isCancelled = true
            if client == nil, continuation != nil { end(.cancelled) }
        }

        private func end(_ error: ChatAPIError) {
            continuation?.resume(returning: .failure(error))
            continuation = nil
            channel?.abort()
            channel = nil
        }
    }
}
