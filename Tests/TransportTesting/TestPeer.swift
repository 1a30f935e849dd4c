// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Glibc

/// The server's end of one connection, blocking, on the thread of its script.
///
/// Every call ends after 20 s.
package final class TestPeer {
    package private(set) var descriptor: Int32
    private var ssl: OpaquePointer?

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        if let ssl { SSL_free(ssl) }
    }

    /// What one read gives; empty at the end.
    package func readSome(_ limit: Int = 65536) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count: Int
        if let ssl {
            count = Int(SSL_read(ssl, &buffer, Int32(limit)))
        } else {
            count = recv(descriptor, &buffer, limit, 0)
        }
        return Array(buffer.prefix(max(count, 0)))
    }

    /// Reads up to and with `text`; what it has at the end of the stream otherwise.
    @discardableResult
    package func read(through text: String) -> String {
        var bytes: [UInt8] = []
        while !bytes.endsWith(text.utf8) {
            let more = readSome(1)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads until the other end stops.
    package func readToEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = readSome()
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    @discardableResult
    package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { raw -> Int in
                let rest = UnsafeRawBufferPointer(rebasing: raw[sent...])
                if let ssl { return Int(SSL_write(ssl, rest.baseAddress, Int32(min(rest.count, 1 << 20)))) }
                return send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Takes the server's part of TLS; false when the handshake failed.
    package func acceptTLS(_ context: TestTLSContext) -> Bool {
        guard let session = SSL_new(context.handle) else { return false }
        ssl = session
        SSL_set_fd(session, descriptor)
        guard SSL_accept(session) == 1 else {
            SSL_free(session)
            ssl = nil
            return false
        }
        return true
    }

    package var serverName: String? {
        guard let ssl, let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return nil }
        return String(cString: name)
    }

    /// close_notify.
    package func endTLS() {
        if let ssl { SSL_shutdown(ssl) }
    }

    /// FIN; reading goes on.
    package func endWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// RST.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    package func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}

extension Array where Element == UInt8 {
    package func endsWith(_ suffix: some Collection<UInt8>) -> Bool {
        count >= suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
    }
}
