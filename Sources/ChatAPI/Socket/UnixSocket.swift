// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The few system calls on Unix stream sockets that face and core share; none of them blocks.
package enum UnixSocket {
    /// A system call failed.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let call: String
        package let number: Int32

        package var description: String { call + ": " + String(cString: strerror(number)) }
    }

    /// Bytes of the longest path that fits a socket address on Linux (unix(7)).
    package static let pathBytes = 107

    /// A descriptor connected to `path`, non-blocking, closed on exec.
    ///
    /// `EAGAIN` means that the listener's queue is full.
    package static func connect(_ path: String) throws(Failure) -> Int32 {
        let descriptor = try make()
        guard withAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            let failure = Failure(call: "connect", number: errno)
            Glibc.close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// A descriptor that listens on `path`, which must not exist.
    package static func listen(_ path: String) throws(Failure) -> Int32 {
        let descriptor = try make()
        guard withAddress(path, { Glibc.bind(descriptor, $0, $1) }) == 0 else {
            let failure = Failure(call: "bind", number: errno)
            Glibc.close(descriptor)
            throw failure
        }
        guard chmod(path, 0o600) == 0, Glibc.listen(descriptor, 128) == 0 else {
            let failure = Failure(call: "listen", number: errno)
            Glibc.close(descriptor)
            unlink(path)
            throw failure
        }
        return descriptor
    }

    /// The next connection that waits on a listener, non-blocking, closed on exec; nil when there is none.
    package static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return descriptor
    }

    /// The user and the process at the other end as the kernel noted them when the connection was made (unix(7),
    /// `SO_PEERCRED`).
    package static func peer(_ descriptor: Int32) -> (user: UInt32, process: Int32)? {
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        return (credentials.user, credentials.process)
    }

    private static func make() throws(Failure) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        return descriptor
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= pathBytes else {
            errno = ENAMETOOLONG
            return -1
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
