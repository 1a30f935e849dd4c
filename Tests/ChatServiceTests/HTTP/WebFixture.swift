// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService
import ChatTesting
import Foundation

/// A service on a free port of this machine over a core that a test fills.
final class WebFixture: Sendable {
    let directory: TemporaryDirectory
    let core: FakeChatClient
    let runner: WebRunner
    let access: WebAccessFile

    init(core: FakeChatClient = FakeChatClient(), _ adjust: (inout WebRunner.Options) throws -> Void = { _ in })
        async throws
    {
        directory = try TemporaryDirectory()
        let root = directory.path + "/files"
        try FileManager.default.createDirectory(atPath: root + "/app", withIntermediateDirectories: true)
        try Data("<!doctype html><title>Apus</title>".utf8).write(to: URL(fileURLWithPath: root + "/index.html"))
        try Data("export const one = 1;\n".utf8).write(to: URL(fileURLWithPath: root + "/app/main.js"))
        try Data("secret".utf8).write(to: URL(fileURLWithPath: directory.path + "/outside.txt"))
        var options = WebRunner.Options(port: 0, version: "9")
        options.root = root
        // Nobody is cut off because this machine has much else to do; tests of that say how long.
        options.server.headTime = .seconds(WebPeer.patience)
        options.server.bodyTime = .seconds(WebPeer.patience)
        options.server.idleTime = .seconds(WebPeer.patience)
        options.makeQR = { _ in WebQR(size: 21, path: "M0 0h7v1h-7z") }
        try adjust(&options)
        self.core = core
        access = try WebAccessFile(profileDirectory: directory.path)
        runner = try await WebRunner.start(options, client: core, directory: directory.path)
    }

    var port: UInt16 { runner.port }
    var host: String { "127.0.0.1:\(port)" }

    /// Runs a test and stops the service behind it, whatever became of it.
    static func with(
        core: FakeChatClient = FakeChatClient(), _ adjust: (inout WebRunner.Options) throws -> Void = { _ in },
        _ body: (WebFixture) async throws -> Void
    ) async throws {
        let fixture = try await WebFixture(core: core, adjust)
        do {
            try await body(fixture)
        } catch {
            await fixture.runner.stop()
            throw error
        }
        await fixture.runner.stop()
    }

    /// Sends one request on a connection of its own; lines are without their ends.
    func request(_ lines: [String], _ body: String = "") async throws -> WebPeer.Reply {
        let peer = try WebPeer(port: port)
        await peer.write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return await peer.reply()
    }

    func get(_ target: String, _ headers: String...) async throws -> WebPeer.Reply {
        try await request(["GET \(target) HTTP/1.1", "Host: \(host)"] + headers)
    }

    /// A browser that is signed in.
    struct Browser: Sendable {
        let fixture: WebFixture
        var cookie: String
        var token: String

        var credentials: [String] { ["Cookie: \(cookie)", "X-Apus-Token: \(token)"] }

        func get(_ target: String, _ headers: String...) async throws -> WebPeer.Reply {
            try await fixture.request(
                ["GET \(target) HTTP/1.1", "Host: \(fixture.host)", "Cookie: \(cookie)"] + headers)
        }

        func write(
            _ method: String, _ target: String, _ body: String? = nil,
            key: String = "key-\(Int.random(in: 0..<Int.max))"
        ) async throws -> WebPeer.Reply {
            var lines = ["\(method) \(target) HTTP/1.1", "Host: \(fixture.host)", "Idempotency-Key: \(key)"]
            lines += credentials
            if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
            return try await fixture.request(lines, body ?? "")
        }

        func upload(
            _ name: String, _ body: String, type: String = "application/octet-stream",
            key: String = "key-\(Int.random(in: 0..<Int.max))"
        ) async throws -> WebPeer.Reply {
            try await fixture.request(
                [
                    "POST /api/v1/uploads?name=\(name) HTTP/1.1", "Host: \(fixture.host)", "Idempotency-Key: \(key)",
                    "Content-Type: \(type)", "Content-Length: \(body.utf8.count)",
                ] + credentials, body)
        }
    }

    /// A text of a JSON object; empty when there is none.
    static func member(_ name: String, _ body: String) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
        return object?[name] as? String ?? ""
    }

    func pair(code: String? = nil, password: String? = nil) async throws -> WebPeer.Reply {
        let made = code == nil ? try await runner.makeCode().code : nil
        let code = code ?? made ?? ""
        var body = #"{"code":"\#(code)","label":"Firefox on Linux""#
        body += password.map { #","password":"\#($0)"}"# } ?? "}"
        return try await request(
            [
                "POST /api/v1/pair HTTP/1.1", "Host: \(host)", "X-Apus-Token: pair", "Content-Type: application/json",
                "Content-Length: \(body.utf8.count)",
            ], body)
    }

    func browser() async throws -> Browser {
        let reply = try await pair()
        let cookie = reply.headers["set-cookie"]?.prefix { $0 != ";" }
        let token = try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: Any]
        guard reply.status == 201, let cookie, let token = token?["token"] as? String else {
            throw WebPeer.Failure(number: Int32(reply.status))
        }
        return Browser(fixture: self, cookie: String(cookie), token: token)
    }
}
