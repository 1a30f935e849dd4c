// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Dispatch
import Glibc

/// One face on the profile's socket: its greeting, its calls, its streams.
// All mutable state is confined to `FrameChannel.queue`.
final class ServerConnection: @unchecked Sendable {
    private let channel: FrameChannel
    private let server: SocketServer
    private var isGreeted = false
    private var isClosed = false
    private var tasks: [UInt64: Task<Void, Never>] = [:]
    private var windows: [UInt64: EventWindow] = [:]
    private var cancelled: Set<UInt64> = []

    private static let routes: [String: any ChatMethod.Type] = Dictionary(
        uniqueKeysWithValues: ChatMethods.all.map { ($0.name, $0) })

    init(descriptor: Int32, server: SocketServer) {
        channel = FrameChannel(descriptor: descriptor, lineBytes: Wire.callBytes)
        self.server = server
    }

    func start() {
        channel.start(receive: { self.receive($0) }, closed: { _ in self.closed() })
        FrameChannel.queue.asyncAfter(deadline: .now() + .seconds(5)) { [weak self] in
            if let self, !isGreeted { channel.abort() }
        }
    }

    func announceLeaving() {
        // Whoever has not been greeted yet is told after the greeting.
        guard isGreeted else { return }
        post(Wire.Header(.leaving))
        for id in windows.keys { tasks[id]?.cancel() }
    }

    func cancelCalls() {
        for task in tasks.values { task.cancel() }
    }

    func close() { channel.close() }

    private func closed() {
        isClosed = true
        cancelCalls()
        for window in windows.values { window.open(0) }
        server.connectionEnded(self)
    }

    private func receive(_ line: [UInt8]) {
        let header: Wire.Header
        do throws(ChatAPIError) {
            header = try Wire.header(line)
        } catch {
            return refuse(error)
        }
        guard isGreeted else { return greet(header) }
        switch (header.type, header.id) {
        case (.call, let id?): call(id, header, line)
        case (.cancel, let id?):
            if let task = tasks[id] {
                if windows[id] == nil { cancelled.insert(id) }
                task.cancel()
            }
        case (.credit, let id?): windows[id]?.open(min(max(header.credit ?? 0, 0), Wire.credit))
        default: refuse(Self.notUnderstood)
        }
    }

    private func greet(_ header: Wire.Header) {
        guard header.type == .hello, let versions = header.versions else { return refuse(Self.notUnderstood) }
        guard let version = Wire.versions.first(where: { versions.contains($0) }) else {
            return refuse(
                ChatAPIError(
                    .protocolMismatch,
                    "the process that holds the profile (\(server.identity.program)) speaks version "
                        + "\(Wire.versions[0]) of the socket's protocol, this program does not",
                    hint: "stop it and start it again with this version of Apus"))
        }
        isGreeted = true
        var welcome = Wire.Header(.welcome)
        welcome.version = version
        welcome.program = server.identity.program
        welcome.role = server.identity.role
        welcome.directory = server.identity.directory
        welcome.process = getpid()
        post(welcome)
        if server.isLeaving { post(Wire.Header(.leaving)) }
    }

    private func call(_ id: UInt64, _ header: Wire.Header, _ line: [UInt8]) {
        guard tasks[id] == nil else { return refuse(Self.notUnderstood) }
        if server.isLeaving {
            return fail(id, Self.leaving)
        }
        guard tasks.count < Wire.calls else {
            return fail(id, ChatAPIError(.busy, "too many calls at once", isRetryable: true))
        }
        if header.method == EventsMethod.name { return stream(id, header, line) }
        guard let method = header.method.flatMap({ Self.routes[$0] }) else {
            return fail(
                id,
                ChatAPIError(
                    .unsupported, "the process that holds the profile does not know this request",
                    hint: "stop it and start it again with this version of Apus"))
        }
        server.callStarted()
        tasks[id] = Task {
            let outcome = await self.perform(method, id, line)
            FrameChannel.queue.async { self.ended(id, method, outcome) }
        }
    }

    private func ended(_ id: UInt64, _ method: any ChatMethod.Type, _ outcome: Result<[UInt8], ChatAPIError>) {
        tasks[id] = nil
        let isUnwanted = cancelled.remove(id) != nil
        switch outcome {
        case .success(let frame): channel.post(frame)
        case .failure(let error) where error.code == .cancelled && server.isLeaving && !isUnwanted:
            // It was us who gave up: whether something was done already is only sure for a call that does nothing.
            fail(id, method == ChatMethods.Wait.self ? Self.leaving : Self.interrupted)
        case .failure(let error): fail(id, error)
        }
        server.callEnded()
    }

    private func perform<Method: ChatMethod>(
        _ method: Method.Type, _ id: UInt64, _ line: [UInt8]
    ) async -> Result<[UInt8], ChatAPIError> {
        do throws(ChatAPIError) {
            let reply = try await Wire.params(method, line).perform(on: server.client)
            let frame = try Wire.encode(Wire.Header(.reply, id: id), result: reply)
            guard frame.count <= Wire.replyBytes else {
                throw ChatAPIError(.tooLarge, "the reply is too large", hint: "ask for less at a time")
            }
            return .success(frame)
        } catch {
            return .failure(error)
        }
    }

    private func stream(_ id: UInt64, _ header: Wire.Header, _ line: [UInt8]) {
        let window = EventWindow(min(max(header.credit ?? 0, 1), Wire.credit))
        windows[id] = window
        tasks[id] = Task {
            let frame = await self.sendEvents(id, line, window)
            try? await channel.send(frame)
            FrameChannel.queue.async {
                self.tasks[id] = nil
                self.windows[id] = nil
            }
        }
    }

    private func sendEvents(_ id: UInt64, _ line: [UInt8], _ window: EventWindow) async -> [UInt8] {
        do throws(ChatAPIError) {
            let request = try Wire.params(EventsMethod.self, line)
            let client = server.client
            let events =
                request.announcements == true ? client.announcements() : client.events(since: request.since)
            for try await event in events {
                try await window.take()
                try await channel.send(try Wire.encode(Wire.Header(.event, id: id), event: event))
            }
            return try Wire.encode(Wire.Header(.reply, id: id), result: Done())
        } catch {
            return Self.failure(id, error)
        }
    }

    private func refuse(_ error: ChatAPIError) {
        var header = Wire.Header(.refuse)
        header.error = error
        post(header)
        channel.close()
    }

    private func fail(_ id: UInt64, _ error: ChatAPIError) {
        channel.post(Self.failure(id, error))
    }

    private func post(_ header: Wire.Header) {
        if let frame = try? Wire.encode(header) { channel.post(frame) }
    }

    private static func failure(_ id: UInt64, _ error: ChatAPIError) -> [UInt8] {
        var header = Wire.Header(.failure, id: id)
        header.error = error
        return (try? Wire.encode(header)) ?? []
    }

    private static let leaving = ChatAPIError(
        .leaving, "the process that holds the profile is stopping", hint: "run the command again", isRetryable: true)

    private static let interrupted = ChatAPIError(
        .connectionLost, "the process that holds the profile stopped in the middle", hint: "run the command again",
        isRetryable: true)

    private static let notUnderstood = ChatAPIError(
        .protocolMismatch, "a frame on the profile's socket is not understood",
        hint: "check that both programs are Apus of the same version")
}

/// How many events a stream may still send before its reader has said that it has read some.
// Confined to `FrameChannel.queue`.
final class EventWindow: @unchecked Sendable {
    private var credit: Int
    private var waiter: CheckedContinuation<Bool, Never>?
    private var isCancelled = false

    init(_ credit: Int) { self.credit = credit }

    /// Allows more events; never more than the protocol's window at once.
    func open(_ more: Int) {
        credit = min(credit + more, Wire.credit)
        if credit > 0 || isCancelled, let waiter {
            self.waiter = nil
            if !isCancelled { credit -= 1 }
            waiter.resume(returning: !isCancelled)
        }
    }

    /// Waits for the right to send one event.
    func take() async throws(ChatAPIError) {
        let granted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                FrameChannel.queue.async {
                    self.waiter = continuation
                    self.open(0)
                }
            }
        } onCancel: {
            FrameChannel.queue.async {
                self.isCancelled = true
                self.open(0)
            }
        }
        if !granted { throw .cancelled }
    }
}
