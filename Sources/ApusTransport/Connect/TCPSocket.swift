// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The system calls that make a TCP connection.
enum TCPSocket {
    enum Start {
        /// The descriptor becomes writable when the connection is made or has failed.
        case started(Int32)
        case failed(Int32)
    }

    /// Starts to connect without waiting.
    static func connect(_ address: IPAddress, port: UInt16) -> Start {
        let family = address.isIPv6 ? AF_INET6 : AF_INET
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, Int32(IPPROTO_TCP))
        guard descriptor >= 0 else { return .failed(errno) }
        configure(descriptor)
        let result = address.withSocketAddress(port: port) { Glibc.connect(descriptor, $0, $1) }
        // An interrupted connect goes on by itself.
        if result == 0 || errno == EINPROGRESS || errno == EINTR { return .started(descriptor) }
        let failure = errno
        _ = close(descriptor)
        return .failed(failure)
    }

    /// The pending error of a socket, 0 for none.
    static func error(_ descriptor: Int32) -> Int32 {
        var failure: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length) == 0 else { return errno }
        return failure
    }

    /// No delay for small writes; a peer that is gone is noticed after 2 to 3 minutes of silence, or when what was sent
    /// stays unconfirmed for 90 seconds.
    ///
    /// A session that knows better asks sooner by itself.
    private static func configure(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 90)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
        set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 90_000)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
