// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import Dispatch
import Glibc

/// Serves one `ChatClient` to other processes of the same user on the profile's Unix socket.
///
/// Owner of the listening descriptor and of all connections; everything runs on `FrameChannel.queue`.
// All mutable state is confined to `FrameChannel.queue`.
package final class SocketServer: @unchecked Sendable {
    /// What the server tells of itself in its greeting.
    package struct Identity: Hashable, Sendable {
        package var program: String
        package var role: String
        /// The directory of the profile.
        package var directory: String

        package init(program: String, role: String, directory: String) {
            self.program = program
            self.role = role
            self.directory = directory
        }
    }

    /// Connections at once; more are turned away at once.
    package static let connections = 128

    let client: any ChatClient
    let identity: Identity
    private let location: SocketLocation
    private let user: UInt32
    private var listener: Int32?
    private var file: (device: dev_t, node: ino_t)?
    private var source: (any DispatchSourceRead)?
    private var open: [ObjectIdentifier: ServerConnection] = [:] {
        didSet { if open.count != oldValue.count { onConnections(open.count) } }
    }
    private let onConnections: @Sendable (Int) -> Void
    private var callsUnderWay = 0
    private var idleWaiters: [IdleWaiter] = []
    private var isPaused = false
    private(set) var isLeaving = false

    /// `onConnections` hears how many processes are attached, on `FrameChannel.queue`.
    package init(
        client: any ChatClient, identity: Identity, location: SocketLocation, user: UInt32 = getuid(),
        onConnections: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.onConnections = onConnections
        self.client = client
        self.identity = identity
        self.location = location
        self.user = user
    }

    /// Starts to listen.
    ///
    /// The caller holds the profile, so a socket that is there already is a dead process's and is replaced; one that
    /// somebody answers on belongs to a profile of the same name elsewhere, and is left alone with an error.
    package func start() throws(ChatAPIError) {
        try location.prepareDirectory(user: user)
        try checkNobodyListens()
        let temporary = location.path + ".\(getpid())"
        guard temporary.utf8.count <= UnixSocket.pathBytes else { return try bind(location.path, temporary: false) }
        try bind(temporary, temporary: true)
    }

    /// Waits until no call of another process is under way, at most for `limit`.
    package func waitUntilIdle(limit: Duration) async {
        await withCheckedContinuation { continuation in
            FrameChannel.queue.async {
                guard self.callsUnderWay > 0 else { return continuation.resume() }
                let waiter = IdleWaiter(continuation)
                self.idleWaiters.append(waiter)
                FrameChannel.queue.asyncAfter(deadline: .now() + limit.seconds) { waiter.resume() }
            }
        }
    }

    /// Stops without loss: no new connection or call is taken, streams end, and calls under way get until `limit`.
    ///
    /// A call that was refused, or a stream that ended, can be made again at the next process that holds the profile.
    package func leave(limit: Duration) async {
        await withCheckedContinuation { continuation in
            FrameChannel.queue.async {
                self.isLeaving = true
                self.stopListening()
                for connection in self.open.values { connection.announceLeaving() }
                continuation.resume()
            }
        }
        await waitUntilIdle(limit: limit)
        FrameChannel.queue.async {
            for connection in self.open.values { connection.cancelCalls() }
        }
        await waitUntilIdle(limit: .milliseconds(500))
        await withCheckedContinuation { continuation in
            FrameChannel.queue.async {
                for connection in self.open.values { connection.close() }
                continuation.resume()
            }
        }
    }
}

extension SocketServer {
    func callStarted() { callsUnderWay += 1 }

    func callEnded() {
        callsUnderWay -= 1
        if callsUnderWay == 0 { resumeIdleWaiters() }
    }

    func connectionEnded(_ connection: ServerConnection) {
        open.removeValue(forKey: ObjectIdentifier(connection))
    }

    private func resumeIdleWaiters() {
        let waiters = idleWaiters
        idleWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func checkNobodyListens() throws(ChatAPIError) {
        let descriptor: Int32
        do throws(UnixSocket.Failure) {
            descriptor = try UnixSocket.connect(location.path)
        } catch {
            guard error.number == EAGAIN else { return }
            throw inUse(by: nil)
        }
        let peer = UnixSocket.peer(descriptor)?.process
        Glibc.close(descriptor)
        throw inUse(by: peer)
    }

    private func inUse(by process: Int32?) -> ChatAPIError {
        ChatAPIError(
            .busy,
            "the socket \(location.path) serves a profile of the same name in another directory"
                + (process.map { " (process \($0))" } ?? ""),
            hint: "choose another name with --profile, or another XDG_RUNTIME_DIR")
    }

    /// The socket appears under its name only when it is ready: bound beside it, then renamed over a dead one.
    private func bind(_ path: String, temporary: Bool) throws(ChatAPIError) {
        unlink(path)
        let descriptor: Int32
        do throws(UnixSocket.Failure) {
            descriptor = try UnixSocket.listen(path)
        } catch {
            throw ChatAPIError(.storage, "cannot listen on \(location.path): \(error)", hint: "check XDG_RUNTIME_DIR")
        }
        if temporary, rename(path, location.path) != 0 {
            let cause = String(cString: strerror(errno))
            Glibc.close(descriptor)
            unlink(path)
            throw ChatAPIError(.storage, "cannot put a socket at \(location.path): \(cause)")
        }
        var status = stat()
        if lstat(location.path, &status) == 0 { file = (status.st_dev, status.st_ino) }
        FrameChannel.queue.async { self.listen(on: descriptor) }
    }

    private func listen(on descriptor: Int32) {
        listener = descriptor
        guard !isLeaving else { return stopListening() }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: FrameChannel.queue)
        source.setEventHandler { self.acceptAll() }
        source.setCancelHandler { Glibc.close(descriptor) }
        self.source = source
        source.activate()
    }

    private func acceptAll() {
        while let source {
            guard let descriptor = UnixSocket.accept(listener ?? -1) else {
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM {
                    // Without a pause the waiting connection would wake us again and again.
                    source.suspend()
                    isPaused = true
                    FrameChannel.queue.asyncAfter(deadline: .now() + .milliseconds(200)) { self.unpause() }
                }
                return
            }
            guard UnixSocket.peer(descriptor)?.user == user, open.count < Self.connections else {
                Glibc.close(descriptor)
                continue
            }
            let connection = ServerConnection(descriptor: descriptor, server: self)
            open[ObjectIdentifier(connection)] = connection
            connection.start()
        }
    }

    private func unpause() {
        if isPaused { source?.resume() }
        isPaused = false
    }

    private func stopListening() {
        if let file {
            var status = stat()
            if lstat(location.path, &status) == 0, status.st_dev == file.device, status.st_ino == file.node {
                unlink(location.path)
            }
        }
        file = nil
        unpause()
        if let source { source.cancel() } else if let listener { Glibc.close(listener) }
        (source, listener) = (nil, nil)
    }
}

// Confined to `FrameChannel.queue`.
private final class IdleWaiter: @unchecked Sendable {
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

    func resume() {
        continuation?.resume()
        continuation = nil
    }
}

extension Duration {
    /// Seconds for Dispatch's clock.
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
