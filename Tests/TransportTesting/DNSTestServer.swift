// SPDX-License-Identifier: Apache-2.0
package import ApusTransport
import Foundation
import Glibc

/// A name server on loopback that says whatever a test wants, over UDP and TCP.
// Unchecked: descriptors are set once; the zone and the log are behind a lock.
package final class DNSTestServer: @unchecked Sendable {
    package enum Answer: Sendable {
        case records([Record])
        case noSuchName
        case failure
        case silence
        /// Answers that are no DNS.
        case garbage
    }

    package enum Record: Sendable {
        case address(String)
        case service(priority: UInt16, weight: UInt16, port: UInt16, target: String)
    }

    package static let service: UInt16 = 33

    package let port: UInt16
    private let datagrams: Int32
    private let listener: Int32
    private let zone: Locked<[String: Answer]>
    private let log = Locked<[String]>([])
    private let isStopping = Locked(false)

    /// Keys are `name type`, types `A`, `AAAA`, `SRV`; what is missing does not exist.
    package init(_ zone: [String: Answer]) throws {
        self.zone = Locked(zone)
        (listener, port) = try TestServer.listen("127.0.0.1", 0, 64)
        datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard let ip = IPAddress("127.0.0.1"),
            ip.withSocketAddress(port: port, { bind(datagrams, $0, $1) }) == 0
        else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [self] in serveDatagrams() }
        Thread.detachNewThread { [self] in serveStreams() }
    }

    package var configuration: ResolverConfiguration { ResolverConfiguration(servers: "127.0.0.1:\(port)") }
    /// What was asked, in order.
    package var questions: [String] { log.withLock { $0 } }

    package func stop() {
        // Under the lock: the threads close their descriptors once they see it, and another test may get the numbers.
        isStopping.withLock { isStopping in
            isStopping = true
            shutdown(datagrams, Int32(SHUT_RDWR))
            shutdown(listener, Int32(SHUT_RDWR))
        }
    }

    private func serveDatagrams() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var from = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &from) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(datagrams, &buffer, buffer.count, 0, $0, &length)
                }
            }
            if isStopping.withLock({ $0 }) { break }
            guard count > 0, var answer = answer(Array(buffer.prefix(count))) else { continue }
            // Too long for a datagram: truncated, so that it is asked again over TCP.
            if answer.count > 512 {
                answer = Array(answer.prefix(DNSTestServer.questionEnd(answer)))
                answer[2] |= 2
                answer[6] = 0
                answer[7] = 0
            }
            _ = withUnsafePointer(to: &from) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(datagrams, answer, answer.count, 0, $0, length)
                }
            }
        }
        close(datagrams)
    }

    private func serveStreams() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            let peer = TestPeer(descriptor)
            while true {
                let head = peer.readSome(2)
                guard head.count == 2 else { break }
                let query = peer.readSome(Int(head[0]) << 8 | Int(head[1]))
                guard let answer = answer(query) else { break }
                peer.write([UInt8(answer.count >> 8), UInt8(answer.count & 255)] + answer)
            }
            peer.close()
        }
        close(listener)
    }

    private static func questionEnd(_ message: [UInt8]) -> Int {
        var index = 12
        while index < message.count, message[index] != 0 { index += Int(message[index]) + 1 }
        return min(index + 5, message.count)
    }

    private func answer(_ query: [UInt8]) -> [UInt8]? {
        guard query.count > 16 else { return nil }
        var labels: [String] = []
        var index = 12
        while index < query.count, query[index] != 0 {
            let end = index + 1 + Int(query[index])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[(index + 1)..<end], as: UTF8.self))
            index = end
        }
        let name = labels.joined(separator: ".").lowercased()
        let types: [UInt8: String] = [1: "A", 28: "AAAA", 33: "SRV"]
        let key = "\(name) \(types[query[index + 2]] ?? "?")"
        log.withLock { $0.append(key) }
        let question = Array(query.prefix(index + 5))
        switch zone.withLock({ $0[key] }) {
        case .records(let records): return response(question, query[index + 2], records, code: 0)
        case .failure: return response(question, 0, [], code: 2)
        case .silence: return nil
        case .garbage: return Array(query.prefix(2)) + [0x81, 0x80, 0, 1, 0xff, 0xff, 0, 0, 0, 0] + [0xc0, 0xff, 7]
        case .noSuchName: return response(question, 0, [], code: 3)
        case nil:
            let exists = zone.withLock { zone in zone.keys.contains { $0.hasPrefix(name + " ") } }
            return response(question, 0, [], code: exists ? 0 : 3)
        }
    }

    private func response(_ question: [UInt8], _ type: UInt8, _ records: [Record], code: UInt8) -> [UInt8] {
        var message = question
        message[2] = 0x81
        message[3] = 0x80 | code
        message.replaceSubrange(6..<12, with: [UInt8(records.count >> 8), UInt8(records.count & 255), 0, 0, 0, 0])
        for record in records {
            var data: [UInt8]
            switch record {
            case .address(let text): data = IPAddress(text)?.bytes ?? []
            case .service(let priority, let weight, let port, let target):
                data = [priority, weight, port].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
                for label in target.split(separator: ".") { data += [UInt8(label.utf8.count)] + Array(label.utf8) }
                data.append(0)
            }
            message += [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, UInt8(data.count >> 8), UInt8(data.count & 255)]
            message += data
        }
        return message
    }
}
