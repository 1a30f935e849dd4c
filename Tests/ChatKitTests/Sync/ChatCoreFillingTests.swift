// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("Gaps and the way back", .timeLimit(.minutes(1)))
struct ChatCoreFillingTests {
    /// An account whose server has an archive already.
    static func online(_ archive: FakeArchive) async throws -> (CoreFixture, JID, FakeLink) {
        let fixture = try await CoreFixture.make { link in
            link.script { log in
                log.result = LoginResult(
                    keys: SCRAMKeys(hashName: "SHA-256", salt: [1], iterations: 4096, clientKey: [2], serverKey: [3]),
                    isBoundToChannel: false)
                log.archive = archive
                log.features = [CatchUpPage.feature, "urn:xmpp:sid:0"]
            }
        }
        let ann = try JID("ann@example.org")
        try await fixture.core.addAccount(ann, password: "secret-password")
        try await caughtUp(fixture, ann)
        return (fixture, ann, fixture.link)
    }

    static func caughtUp(_ fixture: CoreFixture, _ ann: JID) async throws {
        let runner = try fixture.core.runner(ann)
        while await runner.needsCatchUp { await Task.yield() }
    }

    static func restart(_ link: FakeLink, _ ann: JID) async throws {
        link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        try await link.startStream(.notHandled)
        link.emit(.online(try ann.with(resource: "fake"), isResumed: false))
    }

    private func bo(_ fixture: CoreFixture, _ ann: JID) async throws -> Conversation {
        try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann)
    }

    @Test("what was said before this device came is a gap at the beginning, and the way back goes on in the archive")
    func wayBack() async throws {
        let archive = FakeArchive()
        for number in 1...120 { try archive.fromBo("a\(number)", "\(number)") }
        let (fixture, ann, link) = try await Self.online(archive)
        let conversation = try await bo(fixture, ann).id
        let empty = try await fixture.core.timeline(conversation)
        #expect(empty.messages.isEmpty && empty.gaps.map(\.before) == [nil])
        var page = try await fixture.core.loadTimeline(conversation)
        #expect(page.messages.map(\.body) == (71...120).map(String.init))
        #expect(page.gaps.map(\.before) == [page.messages.first?.id])
        #expect(page.entries().first == .gap(page.gaps[0]))
        var all = page.messages
        while let first = all.first, !page.messages.isEmpty {
            page = try await fixture.core.loadTimeline(conversation, at: .before(first.id))
            all = page.messages + all
        }
        #expect(all.map(\.body) == (1...120).map(String.init))
        #expect(page.gaps.isEmpty)
        #expect(try await fixture.core.timeline(conversation, limit: 500).messages.map(\.body) == all.map(\.body))
        // That is no news: nothing is unread, nothing is told to the other devices, and nobody is told of a new message.
        let now = try await bo(fixture, ann)
        #expect(now.unread == 0 && now.lastMessage?.body == "120")
        #expect(link.recorded.published.isEmpty && link.messages.isEmpty)
        let events: Int? = try await fixture.core.store.read {
            try $0.value("SELECT count(*) FROM event WHERE kind = 'message'")
        }
        #expect(events == 0)
        let asked = link.recorded.pages.count
        _ = try await fixture.core.loadTimeline(conversation, at: .before(all[0].id))
        #expect(link.recorded.pages.count == asked)
    }

    @Test("B137 a page is not empty because the newest parts of the archive have nothing to show")
    func receiptsOnly() async throws {
        let archive = FakeArchive()
        for number in 1...30 { try archive.fromBo("a\(number)", "\(number)") }
        for number in 1...500 {
            try archive.add(
                "r\(number)",
                "<message from='bo@example.net/p' to='ann@example.org' type='chat' id='receipt-\(number)'>"
                    + "<received xmlns='urn:xmpp:receipts' id='none-\(number)'/></message>")
        }
        let (fixture, ann, _) = try await Self.online(archive)
        let conversation = try await bo(fixture, ann).id
        let page = try await fixture.core.loadTimeline(conversation)
        #expect(page.messages.map(\.body) == (1...30).map(String.init) && page.gaps.isEmpty)
    }

    @Test(
        "B137 what a server kept for a device that was away stands where the archive has it, among what fills the gap")
    func offlineStorage() async throws {
        let archive = FakeArchive()
        for number in 1...9 { try archive.fromBo("a\(number)", "\(number)") }
        let (fixture, ann, link) = try await Self.online(archive)
        for number in [2, 3, 6] {
            try await link.receive(
                "<message from='bo@example.net/p' id='id-a\(number)'><body>\(number)</body>"
                    + "<delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'/>"
                    + "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a\(number)'/></message>")
        }
        let conversation = try await bo(fixture, ann).id
        let page = try await fixture.core.loadTimeline(conversation)
        #expect(page.messages.map(\.body) == (1...9).map(String.init) && page.gaps.isEmpty)
    }

    @Test("what comes meanwhile stays behind the gap, and is unread as it was")
    func live() async throws {
        let archive = FakeArchive()
        for number in 1...60 { try archive.fromBo("a\(number)", "\(number)") }
        let (fixture, ann, link) = try await Self.online(archive)
        try await link.receive(
            "<message from='bo@example.net/p' id='m'><body>new</body>"
                + "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a61'/></message>")
        let conversation = try await bo(fixture, ann).id
        let page = try await fixture.core.loadTimeline(conversation)
        #expect(page.messages.map(\.body) == (12...60).map(String.init) + ["new"])
        #expect(try await bo(fixture, ann).unread == 1)
        #expect(page.entries().contains(.unread))
    }

    @Test("B139 a gap in the middle is shown where it lies, filled on demand, and what was missed is unread")
    func middle() async throws {
        let archive = FakeArchive()
        try archive.fromBo("a0", "old")
        let (fixture, ann, link) = try await Self.online(archive)
        for number in 1...3 { try archive.fromBo("a\(number)", "\(number)") }
        try await Self.restart(link, ann)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 3 }
        try await fixture.core.markRead(try await bo(fixture, ann).id)
        // For a while the archive has nothing but the newest.
        for number in 4...90 { try archive.fromBo("a\(number)", "\(number)") }
        archive.script { $0.hidden = 81 }
        try await Self.restart(link, ann)
        try await fixture.until { try await fixture.core.conversations().first?.lastMessage?.body == "90" }
        try await Self.caughtUp(fixture, ann)
        let conversation = try await bo(fixture, ann).id
        let page = try await fixture.core.timeline(conversation)
        #expect(page.messages.map(\.body) == ["1", "2", "3"] + (81...90).map(String.init))
        let middle = try #require(page.messages.first { $0.body == "81" }?.id)
        #expect(page.gaps.map(\.before).contains(middle))
        var live = fixture.core.timelineUpdates(conversation, limit: 10).makeAsyncIterator()
        #expect(try await live.next()?.rows.first?.id == middle)
        archive.script { $0.hidden = 0 }
        let whole = try await fixture.core.loadTimeline(conversation, limit: 200)
        #expect(whole.messages.map(\.body) == ["old"] + (1...90).map(String.init))
        #expect(whole.gaps.isEmpty)
        #expect(try await bo(fixture, ann).unread == 87)
        // Whoever looks at the end sees it begin where it began.
        try await link.receive("<message from='bo@example.net/p' id='m'><body>new</body></message>")
        while let rows = try await live.next()?.rows {
            #expect(rows.first?.id == middle)
            if rows.last?.body == "new" { break }
        }
    }

    @Test("B139 no gap is left where the archive, asked by time, begins with what is here")
    func noGap() async throws {
        let archive = FakeArchive()
        try archive.fromBo("a0", "0")
        let (fixture, ann, link) = try await Self.online(archive)
        for number in 1...3 { try archive.fromBo("a\(number)", "\(number)") }
        try await Self.restart(link, ann)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 3 }
        try await Self.caughtUp(fixture, ann)
        let before = link.recorded.pages.count
        // The last message was deleted there; the others are known.
        archive.script { state in
            state.messages.removeAll { $0.id == "a3" || $0.id == "a0" }
        }
        try archive.fromBo("a4", "4")
        try await Self.restart(link, ann)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 4 }
        try await Self.caughtUp(fixture, ann)
        #expect(link.recorded.pages.count > before)
        #expect(try await fixture.core.account(ann).gaps.map(\.reason) == [.newDevice])
    }

    @Test("while the account is offline, or the archive is silent, the page shows what is here with its gap")
    func offline() async throws {
        let archive = FakeArchive()
        for number in 1...10 { try archive.fromBo("a\(number)", "\(number)") }
        let (fixture, ann, link) = try await Self.online(archive)
        let conversation = try await bo(fixture, ann).id
        archive.script { $0.before = { _ throws(CatchUpError) in throw .failed } }
        #expect(try await fixture.core.loadTimeline(conversation).gaps.count == 1)
        let gap = try #require(try await fixture.core.timeline(conversation).gaps.first)
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.fillGap(gap.id, in: conversation)
        }
        #expect(error?.isRetryable == true)
        archive.script { $0.before = nil }
        link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        while try await fixture.core.account(ann).connection.isOnline { await Task.yield() }
        #expect(try await fixture.core.loadTimeline(conversation).gaps.count == 1)
    }

    @Test("B139 an archive that does not know the message by which a gap ends is asked by its time")
    func byTime() async throws {
        let archive = FakeArchive()
        for number in 1...60 { try archive.fromBo("a\(number)", "\(number)") }
        let (fixture, ann, _) = try await Self.online(archive)
        archive.script { state in
            state.before = { position throws(CatchUpError) in if case .before = position { throw .positionUnknown } }
        }
        let conversation = try await bo(fixture, ann).id
        #expect(try await fixture.core.loadTimeline(conversation).messages.count == 50)
        let page = try await fixture.core.loadTimeline(conversation, limit: 100)
        #expect(page.messages.map(\.body) == (1...60).map(String.init) && page.gaps.isEmpty)
    }
}
