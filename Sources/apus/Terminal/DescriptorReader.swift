// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc

/// Reads a descriptor piece by piece on a thread of its own, until its end or until nobody wants more.
// `descriptor` and the pipe are set once; the pipe's writing end is closed once, on `queue`.
final class DescriptorReader: @unchecked Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "apus.input")
    private var stop: (reading: Int32, writing: Int32) = (-1, -1)

    /// Takes over `descriptor` when `closes` is set.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            stop = (ends[0], ends[1])
        }
    }

    deinit {
        if stop.reading >= 0 { close(stop.reading) }
        if stop.writing >= 0 { close(stop.writing) }
    }

    /// The pieces; they can be asked for once.
    func pieces() -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        continuation.onTermination = { _ in self.cancel() }
        let thread = Worker {
            while let piece = self.read(), case .enqueued = continuation.yield(piece) {}
            continuation.finish()
        }
        thread.start()
        return stream
    }

    /// Ends the reading; a blocked thread wakes up.
    func cancel() {
        queue.async {
            if self.stop.writing >= 0 { close(self.stop.writing) }
            self.stop.writing = -1
        }
    }

    /// One piece; nil at the end, on an error, or when cancelled.
    private func read() -> [UInt8]? {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.reading, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let ready = poll(&entries, 2, -1)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, entries[1].revents == 0 else { return nil }
            let piece = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            if piece.isEmpty, errno == EINTR || errno == EAGAIN, entries[0].revents & Int16(POLLIN) != 0 {
                errno = 0
                continue
            }
            return piece.isEmpty ? nil : piece
        }
    }
}

/// A thread that runs one closure.
private struct Worker {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() {
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let failed = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        if failed == 0 { pthread_detach(thread) } else { box.release() }
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
