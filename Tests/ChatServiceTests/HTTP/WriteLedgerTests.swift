// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Testing

@Suite struct WriteLedgerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func ledger() throws -> WriteLedger { try WriteLedger(directory: directory.path) }

    private func word(_ found: WriteLedger.Found) -> String {
        switch found {
        case .new: "new"
        case .interrupted: "interrupted"
        case .mismatch: "mismatch"
        case .finished(let answer): "\(answer.status) \(answer.body)"
        }
    }

    @Test("T172 an answer is given again, by the next process too")
    func again() async throws {
        let first = try ledger()
        #expect(word(try await first.begin(key: "k", request: [1])) == "new")
        try await first.finish(key: "k", .init(status: 201, body: "{}"))
        #expect(word(try await first.begin(key: "k", request: [1])) == "201 {}")
        #expect(word(try await ledger().begin(key: "k", request: [1])) == "201 {}")
        #expect(word(try await ledger().begin(key: "k", request: [2])) == "mismatch")
    }

    @Test("C15 a write that was begun before a crash is known to be")
    func crash() async throws {
        let first = try ledger()
        _ = try await first.begin(key: "k", request: [1])
        let second = try ledger()
        #expect(word(try await second.begin(key: "k", request: [1])) == "interrupted")
        try await second.finish(key: "k", .init(status: 409, body: "lost"))
        #expect(word(try await ledger().begin(key: "k", request: [1])) == "409 lost")
    }

    @Test("A line that a crash cut off is skipped")
    func torn() async throws {
        let first = try ledger()
        _ = try await first.begin(key: "a", request: [1])
        try await first.finish(key: "a", .init(status: 200, body: "x"))
        let path = directory.path + "/writes.jsonl"
        var data = try #require(FileManager.default.contents(atPath: path))
        data.append(contentsOf: Array(#"{"key":"b","requ"#.utf8))
        try data.write(to: URL(fileURLWithPath: path))
        #expect(word(try await ledger().begin(key: "a", request: [1])) == "200 x")
    }

    @Test("T172 two that come at once: the second waits for the first one's answer")
    func together() async throws {
        let ledger = try ledger()
        _ = try await ledger.begin(key: "k", request: [1])
        let second = Task { try await ledger.begin(key: "k", request: [1]) }
        for _ in 0..<20 { await Task.yield() }
        try await ledger.finish(key: "k", .init(status: 200, body: "once"))
        #expect(word(try await second.value) == "200 once")
    }

    @Test("What failed for now is forgotten, so that the same key may try again")
    func forgotten() async throws {
        let first = try ledger()
        _ = try await first.begin(key: "k", request: [1])
        await first.forget(key: "k")
        #expect(word(try await first.begin(key: "k", request: [1])) == "new")
    }
}
