// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
package import ChatAPI
import Foundation
import Glibc

/// What became of the writes of the last days, by their idempotency keys, on disk before a write begins and when it has
/// ended.
///
/// A browser that has no answer asks again with the same key. It gets the first answer, whether that was made before a
/// crash or not; where a crash lies between beginning and end, it is told so.
package final class WriteLedger: Sendable {
    /// What is known of a key.
    package enum Found: Sendable {
        /// The write is to be done; `finish` or `forget` has to follow.
        case new
        /// It was begun, and the process ended before it had.
        case interrupted
        case finished(Answer)
        /// The key belongs to another request.
        case mismatch
    }

    package struct Answer: Hashable, Codable, Sendable {
        package var status: Int
        package var body: String

        package init(status: Int, body: String) {
            self.status = status
            self.body = body
        }
    }

    private struct Entry: Codable {
        var key: String
        var request: String
        var time: Timestamp
        var answer: Answer?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var running: [String: [CheckedContinuation<Void, Never>]] = [:]
    }

    /// The file, which the queue alone writes: nobody else waits for the disk.
    private struct File {
        var descriptor: Int32 = -1
        var lines = 0
    }

    /// How long keys are remembered.
    package static let milliseconds: Int64 = 7 * 24 * 3600 * 1000
    /// Keys at once; the oldest go first.
    package static let limit = 10_000

    private let path: String
    private let state = Locked(State())
    private let file = Locked(File())
    private let queue = BlockingQueue("apus.web.writes")
    private let now: @Sendable () -> Timestamp

    package init(directory: String, now: @escaping @Sendable () -> Timestamp = { .now }) throws(ChatAPIError) {
        path = directory + "/writes.jsonl"
        self.now = now
        let entries = Self.read(path)
        state.withLock { $0.entries = entries }
        try rewrite()
    }

    deinit {
        file.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    /// Begins a write, or says what became of it; waits while the same key is being worked on.
    package func begin(key: String, request: [UInt8]) async throws(ChatAPIError) -> Found {
        let name = WebSecret.digestText(key)
        let content = base64url(digest(.sha256, Array(key.utf8) + request))
        while true {
            let found = state.withLock { state -> Found? in
                if let entry = state.entries[name], entry.request != content { return .mismatch }
                if state.running[name] != nil { return nil }
                if let answer = state.entries[name]?.answer { return .finished(answer) }
                let isKnown = state.entries[name] != nil
                state.running[name] = []
                state.entries[name] = Entry(key: name, request: content, time: now(), answer: nil)
                return isKnown ? .interrupted : .new
            }
            if let found {
                guard case .new = found else { return found }
                do throws(ChatAPIError) {
                    try await queue.run { () throws(ChatAPIError) in try self.append(name) }
                } catch {
                    await forget(key: key)
                    throw error
                }
                return found
            }
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.running[name] != nil else { return true }
                    state.running[name]?.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        }
    }

    /// The write ended with this answer, which is given again from now on.
    package func finish(key: String, _ answer: Answer) async throws(ChatAPIError) {
        let name = WebSecret.digestText(key)
        state.withLock { $0.entries[name]?.answer = answer }
        defer { release(name) }
        try await queue.run { () throws(ChatAPIError) in try self.append(name) }
    }

    /// Nothing was done: the same key may be tried again.
    package func forget(key: String) async {
        let name = WebSecret.digestText(key)
        state.withLock { state in _ = state.entries.removeValue(forKey: name) }
        release(name)
        try? await queue.run { () throws(ChatAPIError) in try self.rewrite() }
    }

    private func release(_ name: String) {
        let waiting = state.withLock { $0.running.removeValue(forKey: name) ?? [] }
        for continuation in waiting { continuation.resume() }
    }

    /// On the queue, so that lines never mix.
    private func append(_ name: String) throws(ChatAPIError) {
        let entry = state.withLock { $0.entries[name] }
        guard let data = try? entry.map({ try JSONEncoder().encode($0) }) else { return }
        let line = Array(data) + [0x0A]
        let isLong = try file.withLock { (file) throws(ChatAPIError) -> Bool in
            file.lines += 1
            let count = write(file.descriptor, line, line.count)
            guard count == line.count, fdatasync(file.descriptor) == 0 else {
                throw WebAccessFile.failed("write", path)
            }
            return file.lines > Self.limit
        }
        if isLong { try rewrite() }
    }

    /// Writes a new file without what is too old or too much; on the queue.
    private func rewrite() throws(ChatAPIError) {
        let oldest = now().milliseconds &- Self.milliseconds
        let kept = state.withLock { state in
            var kept = state.entries.values.filter { $0.time.milliseconds >= oldest || state.running[$0.key] != nil }
            kept.sort { $0.time < $1.time }
            kept = Array(kept.suffix(Self.limit / 2))
            state.entries = Dictionary(kept.map { ($0.key, $0) }) { $1 }
            return kept
        }
        try file.withLock { (file) throws(ChatAPIError) in
            var bytes: [UInt8] = []
            for entry in kept {
                if let data = try? JSONEncoder().encode(entry) { bytes += Array(data) + [0x0A] }
            }
            try WebAccessFile.replace(path, with: bytes)
            let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { throw WebAccessFile.failed("open", path) }
            if file.descriptor >= 0 { close(file.descriptor) }
            file.descriptor = descriptor
            file.lines = kept.count
        }
    }

    /// Lines that were cut off by a crash are skipped; a later line of a key counts.
    private static func read(_ path: String) -> [String: Entry] {
        guard let data = FileManager.default.contents(atPath: path) else { return [:] }
        var entries: [String: Entry] = [:]
        for line in Array(data).split(separator: 0x0A) {
            guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else { continue }
            entries[entry.key] = entry
        }
        return entries
    }
}
