// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

extension Adapter {
    @concurrent func echo(_ report: inout Report) async throws -> Bool {
        let session = try await prepared()
        let trips = RoundTrips(count: n, peer: try JID("peer@bench.example/phone"))
        let window = max(1, options.number("window"))
        let watch: Stopwatch
        if onExecutor {
            let done = Gate()
            await session.handleMessages { message in
                guard trips.finish(message) else { return }
                if trips.isComplete { return done.open() }
                if let next = trips.next() { _ = try? session.post(next) }
            }
            try await session.connect()
            watch = Stopwatch()
            for _ in 0..<min(window, n) { if let next = trips.next() { try session.post(next) } }
            await done.wait()
        } else {
            let messages = session.messages()
            try await session.connect()
            watch = Stopwatch()
            for _ in 0..<min(window, n) { if let next = trips.next() { try await session.send(next) } }
            for try await message in messages {
                guard trips.finish(message) else { continue }
                if trips.isComplete { break }
                if let next = trips.next() { try await session.send(next) }
            }
        }
        watch.stop(&report, n: n, ok: trips.isComplete)
        let times = trips.times.sorted()
        report.add("window", window)
        report.add("rtt_p50_us", times[times.count / 2] * 1e6)
        report.add("rtt_p99_us", times[min(times.count - 1, times.count * 99 / 100)] * 1e6)
        report.add("rtt_min_us", times[0] * 1e6)
        return trips.isComplete
    }
}

/// The messages of an echo run and their times.
// Unchecked: used by the one that starts the window, then by the one reader.
final class RoundTrips: @unchecked Sendable {
    private let peer: JID
    private let receipts = [
        Element(XMLName("request", "urn:xmpp:receipts")),
        Element(XMLName("active", "http://jabber.org/protocol/chatstates")),
    ]
    private var started: [Double]
    private var sent = 0
    private var received = 0
    private(set) var times: [Double]

    init(count: Int, peer: JID) {
        self.peer = peer
        started = [Double](repeating: 0, count: count)
        times = [Double](repeating: -1, count: count)
    }

    var isComplete: Bool { received == times.count }

    func next() -> Message? {
        guard sent < started.count else { return nil }
        defer { sent += 1 }
        started[sent] = Stopwatch.now
        return Message(to: peer, kind: .chat, id: "e\(sent)", body: "hello", payloads: receipts)
    }

    /// False when the message is none of these, or came before.
    func finish(_ message: Message) -> Bool {
        guard let id = message.id, id.hasPrefix("e"), let index = Int(id.dropFirst()), index < times.count,
            times[index] < 0
        else { return false }
        times[index] = Stopwatch.now - started[index]
        received += 1
        return true
    }
}
