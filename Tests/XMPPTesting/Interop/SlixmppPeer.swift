// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
package import XMPP

/// slixmpp in a process of its own, told line by line what to do (`Tests/Interop/peer.py`).
///
/// Owner of its state: the lock around what waits for replies.
package final class SlixmppPeer: Sendable {
    /// What it answered, or what happened to it.
    package struct Reply: Sendable {
        private let data: Data

        fileprivate init(_ data: Data) { self.data = data }

        private var object: [String: Any] { (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:] }
        /// A text in it.
        package subscript(_ key: String) -> String? { object[key] as? String }
        /// A list of texts in it.
        package func list(_ key: String) -> [String] { object[key] as? [String] ?? [] }
        /// An object in it.
        package func inner(_ key: String) -> Reply? {
            (object[key] as? [String: Any]).flatMap { try? JSONSerialization.data(withJSONObject: $0) }.map(Reply.init)
        }
        /// Objects in it.
        package func objects(_ key: String) -> [Reply] {
            (object[key] as? [[String: Any]] ?? []).compactMap { try? JSONSerialization.data(withJSONObject: $0) }
                .map(Reply.init)
        }
        /// All of it.
        package var text: String { String(decoding: data, as: UTF8.self) }
    }

    private struct State {
        var rest = Data()
        var number = 0
        var waiting: [String: CheckedContinuation<Reply, any Error>] = [:]
        var hasEnded = false
    }

    private let state = Locked(State())
    private let process = Process()
    private let input = Pipe()
    private let account: JID

    /// Starts it and logs it in; a server that does not let it in is an error.
    package init(_ account: Account, on server: TestServer) async throws {
        self.account = account.jid
        let python = ProcessInfo.processInfo.environment["APUS_PYTHON"] ?? ".build/venv/bin/python"
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["Tests/Interop/peer.py"]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.take(data)
        }
        try await call(
            "login",
            ["jid": "\(account.jid)/slixmpp", "password": "secret", "host": "127.0.0.1", "ca": server.authority],
            numbers: ["port": Int(server.port), "extensions": 1])
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Its bare address.
    package var jid: JID { account.bare }

    /// Tells it to do something, and gives what it says to that.
    @discardableResult
    package func call(
        _ command: String, _ texts: [String: String] = [:], numbers: [String: Int] = [:],
        lists: [String: [String]] = [:]
    ) async throws -> Reply {
        let id = state.withLock { state in
            state.number += 1
            return "c\(state.number)"
        }
        var object: [String: Any] = ["do": command, "id": id]
        object.merge(texts) { $1 }
        object.merge(numbers) { $1 }
        object.merge(lists) { $1 }
        let line = try JSONSerialization.data(withJSONObject: object) + Data("\n".utf8)
        return try await ask(id, line)
    }

    /// Waits for something to happen to it: an event that has these texts.
    @discardableResult
    package func wait(_ event: String, _ match: [String: String] = [:], seconds: Int = 15) async throws -> Reply {
        let id = state.withLock { state in
            state.number += 1
            return "w\(state.number)"
        }
        let object: [String: Any] = ["do": "wait", "id": id, "event": event, "match": match, "timeout": seconds]
        let line = try JSONSerialization.data(withJSONObject: object) + Data("\n".utf8)
        let reply = try await ask(id, line)
        return reply.inner("event") ?? reply
    }

    private func ask(_ id: String, _ line: Data) async throws -> Reply {
        let reply = try await withCheckedThrowingContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiting[id] = continuation }
                return state.hasEnded
            }
            if hasEnded { return continuation.resume(throwing: UnreadableText(description: "slixmpp has ended")) }
            try? input.fileHandleForWriting.write(contentsOf: line)
        }
        if let error = reply["error"] { throw UnreadableText(description: "slixmpp: \(error)") }
        return reply
    }

    private func take(_ data: Data) {
        let answered = state.withLock { state -> [(CheckedContinuation<Reply, any Error>, Reply?)] in
            var answered: [(CheckedContinuation<Reply, any Error>, Reply?)] = []
            guard !data.isEmpty else {
                state.hasEnded = true
                defer { state.waiting = [:] }
                return state.waiting.values.map { ($0, nil) }
            }
            state.rest += data
            while let end = state.rest.firstIndex(of: 10) {
                let reply = Reply(Data(state.rest[..<end]))
                state.rest = Data(state.rest[state.rest.index(after: end)...])
                if let id = reply["id"], let waiter = state.waiting.removeValue(forKey: id) {
                    answered.append((waiter, reply))
                }
            }
            return answered
        }
        for (waiter, reply) in answered {
            if let reply {
                waiter.resume(returning: reply)
            } else {
                waiter.resume(throwing: UnreadableText(description: "slixmpp has ended"))
            }
        }
    }

    /// Logs it out and ends it.
    package func end() async {
        _ = try? await call("logout")
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
