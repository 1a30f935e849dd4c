// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: proxies", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerProxyTests {
    @Test("a session goes through a real SOCKS5 proxy, with name and password", arguments: TestServer.all)
    func socks5(_ server: TestServer) async throws {
        let port = try RealProxy.freePort()
        let proxy = try RealProxy(
            "/usr/bin/microsocks", ["-i", "127.0.0.1", "-p", "\(port)", "-u", "ann", "-P", "hunter2"], port: port)
        defer { proxy.stop() }
        let settings = ProxyServer(.socks5, host: "127.0.0.1", port: port, user: "ann", password: "hunter2")
        for account in [try server.account("alice"), try server.account("alice", direct: true)] {
            try await logIn(server, account, through: settings)
        }
        var wrong = settings
        wrong.password = "wrong"
        await refuses(server, try server.account("alice"), wrong)
        await refuses(server, try server.account("alice"), ProxyServer(.socks5, host: "127.0.0.1", port: port))
    }

    @Test("a session goes through a real HTTP proxy, with name and password", arguments: TestServer.all)
    func http(_ server: TestServer) async throws {
        let port = try RealProxy.freePort()
        let file = NSTemporaryDirectory() + "apus-tinyproxy-\(port).conf"
        let text =
            "Port \(port)\nListen 127.0.0.1\nTimeout 60\nMaxClients 20\nLogLevel Error\nLogFile \"/dev/null\"\n"
            + "BasicAuth ann hunter2\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let proxy = try RealProxy("/usr/bin/tinyproxy", ["-d", "-c", file], port: port)
        defer { proxy.stop() }
        let settings = ProxyServer(.http, host: "127.0.0.1", port: port, user: "ann", password: "hunter2")
        var webSocket = try server.account("alice")
        webSocket.server = ServerAddress(webSocket: server.webSocket)
        for account in [try server.account("alice"), try server.account("alice", direct: true), webSocket] {
            try await logIn(server, account, through: settings)
        }
        var wrong = settings
        wrong.password = "wrong"
        await refuses(server, try server.account("alice"), wrong)
    }

    private func logIn(_ server: TestServer, _ account: Account, through proxy: ProxyServer) async throws {
        var account = account
        account.proxy = proxy
        let session = server.session(account)
        try await session.connect()
        #expect(await session.isOnline)
        await session.disconnect()
    }

    private func refuses(_ server: TestServer, _ account: Account, _ proxy: ProxyServer) async {
        var account = account
        account.proxy = proxy
        let session = server.session(account)
        await #expect { try await session.connect() } throws: { error in
            guard let error = error as? XMPPError else { return false }
            return error.code == .connectionFailed && !error.isRetryable
                && error.description.contains("user and password")
                && !error.description.contains("hunter2")
        }
    }
}

/// A proxy of the system, run beside a test on loopback.
private struct RealProxy {
    private let process = Process()

    init(_ program: String, _ arguments: [String], port: UInt16) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<200 where !Self.isOpen(port) { Thread.sleep(forTimeInterval: 0.02) }
    }

    func stop() {
        // A child may inherit a mask that lets no gentler signal through.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    static func freePort() throws -> UInt16 {
        let descriptor = try bound(0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func bound(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.EADDRINUSE) }
        return descriptor
    }

    private static func isOpen(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
