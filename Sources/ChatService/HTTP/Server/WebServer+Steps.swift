// SPDX-License-Identifier: Apache-2.0
import ApusCMicrohttpd
import ApusTransport
import Glibc

// The way of a request, on the library's thread.

extension WebServer {
    /// Bytes of a body beyond its limit that are swallowed so that the client gets an answer; more cuts the connection.
    private static let swallowed = 256 * 1024
    private static let blockSize = 16 * 1024

    func opened(_ socket: Int32) -> WebConnectionRecord {
        let record = WebConnectionRecord(
            socket: socket, deadline: WebConnectionRecord.now &+ configuration.headTime.deadlineNanoseconds)
        state.withLock { $0.records[ObjectIdentifier(record)] = record }
        return record
    }

    func closed(_ record: WebConnectionRecord) {
        record.closed()
        state.withLock { state in _ = state.records.removeValue(forKey: ObjectIdentifier(record)) }
    }

    /// A part of the body has come; false cuts the connection.
    func received(
        _ exchange: WebExchange, _ connection: OpaquePointer, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        if case .saving(let limit, let file, _) = exchange.state.withLock({ $0.phase }) {
            // As long as something comes, it may take its time.
            record(connection)?.set(
                deadline: WebConnectionRecord.now &+ configuration.bodyTime.deadlineNanoseconds)
            return save(exchange, file, limit, bytes)
        }
        return exchange.state.withLock { state in
            guard case .reading(let limit, _) = state.phase else { return false }
            if state.excess == 0, state.body.count + bytes.count <= limit {
                state.body += bytes
                return true
            }
            state.body = []
            state.excess += bytes.count
            return state.excess <= Self.swallowed
        }
    }

    private func save(
        _ exchange: WebExchange, _ file: ReceivedFile, _ limit: Int, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        let excess = exchange.state.withLock { state in
            if state.excess > 0 || file.count + bytes.count > limit { state.excess += bytes.count }
            return state.excess
        }
        if excess == 0 { file.append(bytes) }
        return excess <= Self.swallowed
    }

    /// The head is there, or the body is complete, or the answer is.
    func step(
        _ exchange: WebExchange, _ connection: OpaquePointer, method: String, version: String
    ) -> MHD_Result {
        let (phase, excess) = exchange.state.withLock { ($0.phase, $0.excess) }
        switch phase {
        case .fresh:
            return admit(exchange, connection, Self.head(exchange, connection, method: method, version: version))
        case .reading(_, let answer):
            record(connection)?.set(deadline: nil)
            guard excess == 0 else {
                return send(
                    handler.refused(WebRefusal(413, "the body is too large")), exchange, connection, closes: true)
            }
            return work(exchange, connection, answer)
        case .saving(_, let file, let answer):
            record(connection)?.set(deadline: nil)
            guard excess == 0 else {
                return send(
                    handler.refused(WebRefusal(413, "the file is too large")), exchange, connection, closes: true)
            }
            guard file.failure == 0 else {
                return send(
                    handler.refused(WebRefusal(507, "the disk took no more")), exchange, connection, closes: true)
            }
            return work(exchange, connection) { _ in await answer() }
        case .working:
            let reply = exchange.state.withLock { $0.reply }
            guard let reply else { return .YES }
            return send(reply, exchange, connection, closes: false)
        case .answered: return .YES
        }
    }

    func completed(_ exchange: WebExchange, _ connection: OpaquePointer?) {
        state.withLock { state in _ = state.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
        exchange.completed()
        // The next request on this connection may take its time to begin, and then as long as any other.
        if let connection {
            let time = configuration.idleTime.deadlineNanoseconds &+ configuration.headTime.deadlineNanoseconds
            record(connection)?.set(deadline: WebConnectionRecord.now &+ time)
        }
    }

    private func record(_ connection: OpaquePointer) -> WebConnectionRecord? {
        apus_http_socket_context(connection).map {
            Unmanaged<WebConnectionRecord>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private func admit(_ exchange: WebExchange, _ connection: OpaquePointer, _ raw: WebHead.Raw) -> MHD_Result {
        let head: WebHead
        do throws(WebRefusal) {
            head = try WebHead(raw)
        } catch {
            return send(handler.refused(error), exchange, connection, closes: true)
        }
        switch handler.admit(head) {
        case .refuse(let reply): return send(reply, exchange, connection, closes: head.hasBody)
        case .save(let limit, let file, let answer):
            if let length = head.bodyLength, length > limit {
                return send(
                    handler.refused(WebRefusal(413, "the file is too large")), exchange, connection, closes: true)
            }
            exchange.state.withLock { $0.phase = .saving(limit: limit, file: file, answer: answer) }
            let time = configuration.bodyTime.deadlineNanoseconds
            record(connection)?.set(deadline: WebConnectionRecord.now &+ time)
            return .YES
        case .take(let limit, let answer):
            if let length = head.bodyLength, length > limit {
                return send(
                    handler.refused(WebRefusal(413, "the body is too large")), exchange, connection, closes: true)
            }
            exchange.state.withLock { $0.phase = .reading(limit: limit, answer: answer) }
            let time = configuration.bodyTime.deadlineNanoseconds
            record(connection)?.set(deadline: WebConnectionRecord.now &+ time)
            return .YES
        }
    }

    /// First the connection is suspended, then the task begins: the other way round the answer could come too early.
    private func work(
        _ exchange: WebExchange, _ connection: OpaquePointer, _ answer: @escaping @Sendable ([UInt8]) async -> WebReply
    ) -> MHD_Result {
        let handle = WebConnectionHandle(pointer: connection)
        let body = exchange.state.withLock { state in
            defer { state.body = [] }
            return state.body
        }
        let goesOn = state.withLock { state in
            guard !state.isStopping else { return false }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            exchange.state.withLock { state in
                state.phase = .working
                state.suspended = handle
            }
            handle.suspend()
            return true
        }
        guard goesOn else { return send(stopping, exchange, connection, closes: true) }
        let task = Task { exchange.finish(await answer(body)) }
        exchange.state.withLock { $0.task = task }
        return .YES
    }

    private func send(
        _ reply: WebReply, _ exchange: WebExchange, _ connection: OpaquePointer, closes: Bool
    ) -> MHD_Result {
        exchange.state.withLock { $0.phase = .answered }
        guard let response = response(reply, exchange, connection) else { return .NO }
        defer { MHD_destroy_response(response) }
        for header in reply.headers { _ = MHD_add_response_header(response, header.name, header.value) }
        // Without that the bytes of a body that is not read could be taken for the next request.
        if closes, reply.header("Connection") == nil { _ = MHD_add_response_header(response, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(reply.status), response)
    }

    private func response(
        _ reply: WebReply, _ exchange: WebExchange, _ connection: OpaquePointer
    ) -> OpaquePointer? {
        switch reply.body {
        case .bytes(var bytes):
            return bytes.withUnsafeMutableBytes {
                MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
            }
        case .file(let file, let offset, let count):
            // The library closes the descriptor that it is given.
            let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0, let offset = UInt64(exactly: offset), let count = UInt64(exactly: count) else {
                return nil
            }
            return MHD_create_response_from_fd_at_offset64(count, copy, offset)
        case .events(let feed):
            feed.attach(WebConnectionHandle(pointer: connection))
            exchange.state.withLock { $0.feed = feed }
            let isStopping = state.withLock { state in
                state.feeds[ObjectIdentifier(feed)] = feed
                return state.isStopping
            }
            feed.whenClosed { [weak self] in
                self?.state.withLock { state in _ = state.feeds.removeValue(forKey: ObjectIdentifier(feed)) }
            }
            if isStopping { feed.end() }
            return MHD_create_response_from_callback(
                apus_http_unknown_size(), Self.blockSize, Self.contentReader, Unmanaged.passRetained(feed).toOpaque(),
                Self.contentReleaser)
        }
    }
}
