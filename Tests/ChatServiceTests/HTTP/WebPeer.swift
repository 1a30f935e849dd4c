// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc

/// A TCP client that sends exactly the bytes it is given; what it waits for is bounded.
///
/// Its waiting keeps no task busy.
final class WebPeer: Sendable {
    struct Reply: Sendable {
        var status = 0
        /// By lower-case name; several of one name are joined by a line feed.
        var headers: [String: String] = [:]
        var body = ""
    }

    /// Seconds of silence after which a test gives up: for a machine that has much else to do.
    static let patience = 60

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "apus.test.web")

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if connected != 0 { throw Failure(number: errno) }
    }

    struct Failure: Error { let number: Int32 }

    deinit { close(descriptor) }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func write(_ text: String) async { await write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) async {
        await onQueue { descriptor in
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }
    }

    /// Bytes up to and with a mark; what came when the connection ended or stayed silent.
    func read(until mark: String) async -> String {
        let wanted = Array(mark.utf8)
        return await onQueue { descriptor in
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while !bytes.suffix(wanted.count).elementsEqual(wanted), recv(descriptor, &byte, 1, 0) == 1 {
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Sends a text every 50 milliseconds until something comes back; gives what comes, nil when nothing did.
    func drip(_ text: String) async -> String? {
        await onQueue { descriptor in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let bytes = Array(text.utf8)
            for _ in 0..<Self.patience * 20 {
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if poll(&entry, 1, 50) > 0 {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
                }
                _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            }
            return nil
        }
    }

    /// Everything up to the end of the connection; nil when it does not end.
    func rest() async -> String? {
        await onQueue { descriptor in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count == 0 || (count < 0 && errno == ECONNRESET) { return String(decoding: bytes, as: UTF8.self) }
                guard count > 0 else { return nil }
                bytes += buffer[..<count]
            }
        }
    }

    /// A reply with its body, by its Content-Length.
    func reply() async -> Reply {
        let head = await read(until: "\r\n\r\n")
        var reply = Reply()
        let lines = head.components(separatedBy: "\r\n")
        reply.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        for line in lines.dropFirst() {
            guard let mark = line.firstIndex(of: ":") else { continue }
            let name = line[..<mark].lowercased()
            let value = String(line[line.index(after: mark)...].drop { $0 == " " })
            reply.headers[name] = reply.headers[name].map { $0 + "\n" + value } ?? value
        }
        let count = Int(reply.headers["content-length"] ?? "") ?? 0
        reply.body = await onQueue { descriptor in
            var bytes = [UInt8](repeating: 0, count: count)
            var have = 0
            while have < count {
                let got = bytes.withUnsafeMutableBytes {
                    recv(descriptor, $0.baseAddress?.advanced(by: have), count - have, 0)
                }
                guard got > 0 else { break }
                have += got
            }
            return String(decoding: bytes[..<have], as: UTF8.self)
        }
        return reply
    }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable (Int32) -> Result) async -> Result {
        let descriptor = descriptor
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body(descriptor)) }
        }
    }
}

extension String {
    func components(separatedBy mark: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: mark) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}
