// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Glibc

/// The other end of a socket, driven byte by byte by a test; what it waits for is bounded.
package final class RawPeer: Sendable {
    package let descriptor: Int32

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a listening socket.
    package convenience init(path: String) throws {
        self.init(try UnixSocket.connect(path))
    }

    deinit { Glibc.close(descriptor) }

    @discardableResult
    package func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// One line without its line feed; nil at the end, or after ten seconds.
    package func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1 {
            if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Everything up to the end of the connection.
    package func rest() -> String {
        var lines = ""
        while let line = line() { lines += line + "\n" }
        return lines
    }

    package func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
