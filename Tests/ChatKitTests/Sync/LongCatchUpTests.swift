// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Testing
import XMPP

@testable import ChatKit

/// A release build takes 100 000 messages over, another one fewer: there each costs ten times as much.
@Suite("A long catch-up", .timeLimit(.minutes(2)))
struct LongCatchUpTests {
    #if DEBUG
        static let count = 4_000
    #else
        static let count = 100_000
    #endif
    private static let peers = 20
    /// After so many pages the stream breaks.
    private static let cut = max(2, count / 5000)

    /// The messages of 20 conversations, each fifth written on another device of ours.
    private static func add(_ range: Range<Int>, to archive: FakeArchive) throws {
        for number in range {
            let peer = "p\(number % peers)@example.net"
            let (from, to) =
                number % 5 == 4 ? ("ann@example.org/other", peer) : ("\(peer)/x", "ann@example.org")
            try archive.add(
                "a\(number)",
                "<message from='\(from)' to='\(to)' type='chat' id='m\(number)'><body>\(number)</body></message>")
        }
    }

    private func count(_ fixture: CoreFixture) async throws -> Int {
        try await fixture.core.store.read { try $0.value("SELECT count(*) FROM message") ?? 0 }
    }

    /// Lets the stream break once when the archive was asked so often; the result waits for that.
    private func cut(_ archive: FakeArchive, afterPages pages: Int, _ link: FakeLink, _ ann: JID) -> Locked<Int> {
        let left = Locked(pages)
        archive.script { state in
            state.before = { _ throws(CatchUpError) in
                let isCut = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                guard isCut else { return }
                Task {
                    link.emit(.interrupted(XMPPError(.connectionLost, "cut", isRetryable: true), retryIn: .zero))
                    link.emit(.online(try ann.with(resource: "fake"), isResumed: true))
                }
                throw .interrupted
            }
        }
        return left
    }

    private func happens(_ cut: Locked<Int>) async {
        while cut.withLock({ $0 }) > 0 { await Task.yield() }
    }

    @Test("C10 B137 B139 T110 100 000 messages with three cuts and two gaps end here, each id of the archive once")
    func everything() async throws {
        let count = Self.count
        let archive = FakeArchive()
        try Self.add(0..<count / 5, to: archive)
        let (fixture, ann, link) = try await ChatCoreFillingTests.online(archive)
        // The first gap: what was said before this device came. Then two cuts.
        try Self.add(count / 5..<count / 2, to: archive)
        let first = cut(archive, afterPages: Self.cut, link, ann)
        try await ChatCoreFillingTests.restart(link, ann)
        await happens(first)
        await happens(cut(archive, afterPages: Self.cut, link, ann))
        try await fixture.until { try await self.count(fixture) == count * 3 / 10 }
        try await ChatCoreFillingTests.caughtUp(fixture, ann)
        // The second gap: for a while the archive has lost a tenth, and the anchor with it. A third cut, and live traffic.
        try Self.add(count / 2..<count, to: archive)
        archive.script { $0.hidden = count * 6 / 10 }
        let third = cut(archive, afterPages: Self.cut * 2, link, ann)
        try await ChatCoreFillingTests.restart(link, ann)
        try await link.receive(
            """
            <message from='p1@example.net/x' to='ann@example.org' type='chat' id='live'><body>live</body>\
            <stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='live'/></message>
            """)
        try archive.add(
            "live",
            "<message from='p1@example.net/x' to='ann@example.org' type='chat' id='live'><body>live</body></message>")
        await happens(third)
        try await fixture.until { try await self.count(fixture) == count * 7 / 10 + 1 }
        try await ChatCoreFillingTests.caughtUp(fixture, ann)
        archive.script { ($0.hidden, $0.before) = (0, nil) }

        // All the way back through each conversation.
        for conversation in try await fixture.core.conversations() {
            var page = try await fixture.core.loadTimeline(conversation.id, limit: 500)
            #expect(page.gaps.count <= 2)
            var numbers = page.messages.compactMap { Int($0.body) }
            while let first = page.messages.first {
                page = try await fixture.core.loadTimeline(conversation.id, at: .before(first.id), limit: 500)
                numbers = page.messages.compactMap { Int($0.body) } + numbers
            }
            let number = try #require(numbers.first) % Self.peers
            #expect(numbers == Array(stride(from: number, to: count, by: Self.peers)))
        }
        let (rows, ids, gaps) = try await fixture.core.store.read { connection in
            (
                try connection.value("SELECT count(*) FROM message", as: Int.self),
                try connection.value("SELECT count(DISTINCT archive_id) FROM message", as: Int.self),
                try connection.value("SELECT count(*) FROM gap_place WHERE is_closed = 0", as: Int.self)
            )
        }
        #expect(rows == count + 1 && ids == count + 1 && gaps == 0)
    }
}
