// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Foundation
import Glibc
import TransportTesting

/// A SOCKS5 or CONNECT proxy on loopback that notes what it is asked for and leads to where a test wants.
final class TestProxy: Sendable {
    /// What it was asked for, in order.
    private let asked = Locked<[String]>([])
    private let server: TestServer

    /// `routes` maps `host:port` to a port on loopback; what is not in it is refused.
    init(_ kind: Proxy.Kind, user: String? = nil, password: String? = nil, routes: [String: UInt16]) throws {
        let asked = self.asked
        let credentials = user.map { ($0, password ?? "") }
        server = try TestServer { peer in
            let target =
                kind == .socks5
                ? TestProxy.acceptSOCKS5(peer, credentials) : TestProxy.acceptConnect(peer, credentials)
            guard let target else { return }
            asked.withLock { $0.append(target) }
            guard let port = routes[target], let there = TestProxy.dial(port) else {
                peer.write(kind == .socks5 ? [5, 5, 0, 1, 0, 0, 0, 0, 0, 0] : Array("HTTP/1.1 502 No\r\n\r\n".utf8))
                return
            }
            peer.write(kind == .socks5 ? [5, 0, 0, 1, 127, 0, 0, 1, 1, 2] : Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            TestProxy.relay(peer.descriptor, there)
        }
    }

    var targets: [String] { asked.withLock { $0 } }
    var port: UInt16 { server.port }
    func stop() { server.stop() }

    private static func acceptSOCKS5(_ peer: TestPeer, _ credentials: (String, String)?) -> String? {
        let hello = exactly(2, peer)
        guard hello.count == 2, hello[0] == 5 else { return nil }
        let methods = exactly(Int(hello[1]), peer)
        let wanted: UInt8 = credentials == nil ? 0 : 2
        guard methods.contains(wanted) else {
            peer.write([5, 0xff])
            return nil
        }
        peer.write([5, wanted])
        if let credentials {
            let head = exactly(2, peer)
            guard head.count == 2, head[0] == 1 else { return nil }
            let user = exactly(Int(head[1]), peer)
            let password = exactly(Int(exactly(1, peer).first ?? 0), peer)
            let isRight = user == Array(credentials.0.utf8) && password == Array(credentials.1.utf8)
            peer.write([1, isRight ? 0 : 1])
            guard isRight else { return nil }
        }
        let request = exactly(4, peer)
        guard request.count == 4, request.starts(with: [5, 1, 0]) else { return nil }
        let host: String
        switch request[3] {
        case 1: host = IPAddress(bytes: exactly(4, peer)).description
        case 4: host = "[\(IPAddress(bytes: exactly(16, peer)))]"
        default: host = String(decoding: exactly(Int(exactly(1, peer).first ?? 0), peer), as: UTF8.self)
        }
        let port = exactly(2, peer)
        guard port.count == 2 else { return nil }
        return "\(host):\(UInt16(port[0]) << 8 | UInt16(port[1]))"
    }

    private static func acceptConnect(_ peer: TestPeer, _ credentials: (String, String)?) -> String? {
        let head = peer.read(through: "\r\n\r\n")
        let words = head.split(separator: " ")
        guard words.count > 2, words[0] == "CONNECT" else { return nil }
        if let credentials {
            let pair = Data("\(credentials.0):\(credentials.1)".utf8).base64EncodedString()
            guard head.contains("Proxy-Authorization: Basic \(pair)\r\n") else {
                peer.write("HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n")
                return nil
            }
        }
        return String(words[1])
    }

    private static func exactly(_ count: Int, _ peer: TestPeer) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = peer.readSome(count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    private static func dial(_ port: UInt16) -> Int32? {
        guard let address = IPAddress("127.0.0.1") else { return nil }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard address.withSocketAddress(port: port, { connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Both ways until both ends have ended; the far descriptor is closed here, the near one by its owner.
    private static func relay(_ near: Int32, _ far: Int32) {
        let isBackDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            copy(far, near)
            isBackDone.signal()
        }
        copy(near, far)
        isBackDone.wait()
        close(far)
    }

    private static func copy(_ from: Int32, _ to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            var sent = 0
            while sent < count {
                let taken = buffer.withUnsafeBytes {
                    send(to, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                }
                guard taken > 0 else { break }
                sent += taken
            }
        }
        shutdown(to, Int32(SHUT_WR))
    }
}
