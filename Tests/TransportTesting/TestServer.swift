// SPDX-License-Identifier: Apache-2.0
package import ApusTransport
import Foundation
import Glibc

/// Listens on loopback and runs a blocking script for each connection on a thread of its own.
// Unchecked: the listening descriptor is set once; the rest is behind a lock.
package final class TestServer: @unchecked Sendable {
    package let address: String
    package private(set) var port: UInt16 = 0
    private var listener: Int32 = -1
    private let accepted = Locked(0)
    private let ended = DispatchSemaphore(value: 0)
    private let script: @Sendable (TestPeer) -> Void

    /// `port` 0 takes a free one.
    package init(
        address: String = "127.0.0.1", port: UInt16 = 0, backlog: Int32 = 64,
        _ script: @escaping @Sendable (TestPeer) -> Void
    ) throws {
        self.address = address
        self.script = script
        // OpenSSL writes to its socket with write(2), which would end the tests when the client is gone already.
        signal(SIGPIPE, SIG_IGN)
        (listener, self.port) = try TestServer.listen(address, port, backlog)
        let thread = Thread { [self] in acceptAll() }
        thread.stackSize = 1 << 20
        thread.start()
    }

    package var endpoint: Endpoint { Endpoint(host: address, port: port) }
    package var directEndpoint: Endpoint { Endpoint(host: address, port: port, usesDirectTLS: true) }
    package var acceptedCount: Int { accepted.withLock { $0 } }

    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        ended.wait()
        close(listener)
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            accepted.withLock { $0 += 1 }
            let script = self.script
            Thread.detachNewThread {
                let peer = TestPeer(descriptor)
                script(peer)
                peer.close()
            }
        }
        ended.signal()
    }

    /// A listening socket and its port.
    package static func listen(_ address: String, _ port: UInt16, _ backlog: Int32) throws -> (Int32, UInt16) {
        guard let ip = IPAddress(address) else { throw POSIXError(.EINVAL) }
        let descriptor = socket(ip.isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let bound = ip.withSocketAddress(port: port) { bind(descriptor, $0, $1) }
        guard bound == 0, Glibc.listen(descriptor, backlog) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        return (descriptor, boundPort(descriptor))
    }

    package static func boundPort(_ descriptor: Int32) -> UInt16 {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &storage) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { _ = getsockname(descriptor, $0.baseAddress, &length) }
        }
        // The port stands at the same place in both families.
        return UInt16(bigEndian: storage.sin6_port)
    }

    /// A port that was free a moment ago, for a program that is about to listen there.
    package static func freePort(_ address: String = "127.0.0.1") throws -> UInt16 {
        let (descriptor, port) = try listen(address, 0, 1)
        close(descriptor)
        return port
    }

    /// A port on which nothing listens.
    ///
    /// It stays bound as long as the process lives: the next server of a test would be given a port that is free.
    package static func refusingPort(_ address: String = "127.0.0.1") throws -> UInt16 {
        guard let ip = IPAddress(address) else { throw POSIXError(.EINVAL) }
        let descriptor = socket(ip.isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard ip.withSocketAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        return boundPort(descriptor)
    }
}

/// A port that takes no connection and does not refuse one either: its queue is full, so SYNs are dropped.
package final class Blackhole: @unchecked Sendable {
    package let port: UInt16
    private let listener: Int32
    private var fillers: [Int32] = []

    package init(address: String = "127.0.0.1", port: UInt16 = 0) throws {
        (listener, self.port) = try TestServer.listen(address, port, 0)
        guard let ip = IPAddress(address) else { throw POSIXError(.EINVAL) }
        for _ in 0..<4 {
            let descriptor = socket(
                ip.isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            _ = ip.withSocketAddress(port: self.port) { connect(descriptor, $0, $1) }
            fillers.append(descriptor)
        }
    }

    deinit {
        fillers.forEach { _ = close($0) }
        close(listener)
    }
}
