// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Testing
import XMPP

@testable import ChatKit

@Suite("Catching up with the archive", .timeLimit(.minutes(1)))
struct AccountRunnerCatchUpTests {
    private func online(_ archive: FakeArchive?) async throws -> (CoreFixture, JID, FakeLink) {
        let fixture = try await CoreFixture.make { link in
            link.script { log in
                log.result = LoginResult(
                    keys: SCRAMKeys(hashName: "SHA-256", salt: [1], iterations: 4096, clientKey: [2], serverKey: [3]),
                    isBoundToChannel: false)
                log.archive = archive
                if archive != nil { log.features = [CatchUpPage.feature, "urn:xmpp:sid:0"] }
            }
        }
        let ann = try JID("ann@example.org")
        try await fixture.core.addAccount(ann, password: "secret-password")
        return (fixture, ann, fixture.link)
    }

    /// Sends texts and has the session write them, without an answer of the server.
    private func write(_ texts: [String], _ fixture: CoreFixture, _ ann: JID) async throws -> [ChatMessage] {
        let before = fixture.link.messages.count
        var messages: [ChatMessage] = []
        for text in texts {
            messages.append(
                try await fixture.core.send(to: try JID("bo@example.net"), text: text, account: ann).message)
        }
        try await sent(fixture, before + texts.count)
        try await fixture.link.write()
        return messages
    }

    private func sent(_ fixture: CoreFixture, _ count: Int) async throws {
        while fixture.link.messages.count < count { await Task.yield() }
    }

    /// The stream is lost and cannot be resumed.
    private func restart(_ link: FakeLink, _ ann: JID, left: SessionCommit.LeftMessages) async throws {
        link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        try await link.startStream(left)
        link.emit(.online(try ann.with(resource: "fake"), isResumed: false))
    }

    private func bodies(_ fixture: CoreFixture) async throws -> [String] {
        let conversation = try #require(try await fixture.core.conversations().first?.id)
        return try await fixture.core.history(conversation).map(\.body)
    }

    private func caughtUp(_ fixture: CoreFixture, _ ann: JID) async throws {
        let runner = try fixture.core.runner(ann)
        while await runner.needsCatchUp { await Task.yield() }
    }

    @Test("T095 what the archive has is not sent again, what it lacks is, with its id and before what is new")
    func reconciled() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        let messages = try await write(["1", "2", "3"], fixture, ann)
        // The server handled the first and the third, or the second got lost; then something new is written.
        try archive.toBo("a1", "1", message: try #require(messages[0].originID))
        try archive.toBo("a3", "3", message: try #require(messages[2].originID))
        let gate = Gate()
        archive.script { $0.before = { _ in await gate.pass() } }
        try await restart(link, ann, left: .unknown)
        let new = try await fixture.core.send(to: try JID("bo@example.net"), text: "4", account: ann).message
        #expect(link.messages.count == 3)
        #expect(try await fixture.core.message(messages[1].id).state == .written)
        await gate.open()
        try await sent(fixture, 5)
        #expect(link.messages[3...].map(\.id) == [messages[1].originID, new.originID])
        #expect(try await fixture.core.message(messages[0].id).state == .acknowledged)
        #expect(try await fixture.core.message(messages[2].id).state == .acknowledged)
        let again = try await fixture.core.message(messages[1].id)
        #expect(again.state == .queued && !again.mayBeDuplicated)
    }

    @Test("T095 without an archive all is sent again with its id, and marked as possibly repeated")
    func unavailable() async throws {
        let (fixture, ann, link) = try await online(nil)
        let messages = try await write(["1", "2"], fixture, ann)
        try await restart(link, ann, left: .unknown)
        try await sent(fixture, 4)
        #expect(link.messages[2...].map(\.id) == messages.map(\.originID))
        #expect(try await fixture.core.message(messages[0].id).mayBeDuplicated)
        let new = try await fixture.core.send(to: try JID("bo@example.net"), text: "3", account: ann).message
        #expect(try await !fixture.core.message(new.id).mayBeDuplicated)
    }

    @Test("T095 an archive that gives nothing is asked for a minute, then counts as none", arguments: [true, false])
    func silent(_ answersOddly: Bool) async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        let messages = try await write(["1"], fixture, ann)
        if answersOddly {
            archive.script { $0.stuckAt = "a7" }
        } else {
            archive.script { $0.before = { _ throws(CatchUpError) in throw .failed } }
        }
        let before = link.recorded.pages.count
        try await restart(link, ann, left: .unknown)
        let runner = try fixture.core.runner(ann)
        while await runner.catchUpTimer == nil { await Task.yield() }
        #expect(link.recorded.pages.count - before == (answersOddly ? 2 : 3))
        // What is new waits behind it.
        _ = try await fixture.core.send(to: try JID("bo@example.net"), text: "2", account: ann)
        fixture.time.advance(AccountRunner.archivePatience - 1)
        await runner.catchUpAgain()
        #expect(link.messages.count == 1)
        fixture.time.advance(1)
        await runner.catchUpAgain()
        try await sent(fixture, 3)
        #expect(try await fixture.core.message(messages[0].id).mayBeDuplicated)
    }

    @Test("T193 what an archive does not give for the moment is asked for again later, and taken then")
    func passing() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        try archive.fromBo("a1", "1")
        archive.script { $0.before = { _ throws(CatchUpError) in throw .failed } }
        let before = link.recorded.pages.count
        try await restart(link, ann, left: .unknown)
        let runner = try fixture.core.runner(ann)
        while await runner.catchUpTimer == nil { await Task.yield() }
        #expect(link.recorded.pages.count - before == 3)
        #expect(await runner.needsCatchUp)
        archive.script { $0.before = nil }
        await runner.catchUpAgain()
        try await fixture.until { try await fixture.core.conversations().first?.unread == 1 }
        try await caughtUp(fixture, ann)
        #expect(await runner.catchUpTimer == nil)
    }

    @Test("T193 what the archive wrote late, before the anchor, is found on the next stream and has its place")
    func late() async throws {
        let archive = FakeArchive()
        for number in 1...3 { try archive.fromBo("o\(number)", "before this device") }
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        for number in 1...3 { try archive.fromBo("a\(number)", "\(number)") }
        try await restart(link, ann, left: .unknown)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 3 }
        try await caughtUp(fixture, ann)
        try archive.fromBo("late", "1 and a half")
        archive.moveNewest(before: "a2")
        try await restart(link, ann, left: .unknown)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 4 }
        try await caughtUp(fixture, ann)
        // And what was never asked for stays where it is.
        #expect(try await bodies(fixture) == ["1", "1 and a half", "2", "3"])
    }

    @Test("B144 what the server says that it did not handle is sent again at once, without asking the archive")
    func notHandled() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        let messages = try await write(["1", "2"], fixture, ann)
        archive.script { $0.before = { _ throws(CatchUpError) in throw .interrupted } }
        try await restart(link, ann, left: .notHandled)
        try await sent(fixture, 4)
        #expect(link.messages[2...].map(\.id) == messages.map(\.originID))
        #expect(try await !fixture.core.message(messages[0].id).mayBeDuplicated)
    }

    @Test("news of a stream that comes when the next one is up hands nothing over twice")
    func lateNews() async throws {
        let (fixture, ann, link) = try await online(nil)
        let messages = try await write(["1"], fixture, ann)
        // Two streams in a row; the core hears of both at once.
        try await link.startStream(.notHandled)
        try await link.startStream(.notHandled)
        for _ in 0..<2 {
            link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
            link.emit(.online(try ann.with(resource: "fake"), isResumed: false))
        }
        try await sent(fixture, 2)
        let last = try await fixture.core.send(to: try JID("bo@example.net"), text: "2", account: ann).message
        while link.messages.last?.id != last.originID { await Task.yield() }
        #expect(link.messages.dropFirst().map(\.id) == [messages[0].originID, last.originID])
    }

    @Test("T095 what becomes ambiguous while the archive is asked waits for the next answer")
    func ambiguousMeanwhile() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        let gate = Gate()
        archive.script { $0.before = { _ in await gate.pass() } }
        let before = link.recorded.pages.count
        try await restart(link, ann, left: .unknown)
        while link.recorded.pages.count == before { await Task.yield() }
        // While the first answer is on its way, a message is written on that stream, and the stream is lost.
        let message = try await write(["1"], fixture, ann)[0]
        try archive.toBo("a1", "1", message: try #require(message.originID))
        try await link.startStream(.unknown)
        await gate.open()
        try await fixture.until { try await fixture.core.message(message.id).state == .acknowledged }
        #expect(link.messages.count == 1)
    }

    @Test("T101 what was ambiguous and is not in the archive after a day needs confirmation")
    func oldAmbiguous() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        let message = try await write(["1"], fixture, ann)[0]
        fixture.time.advance(AccountSessionStore.maximumAge + 1)
        try await restart(link, ann, left: .unknown)
        try await fixture.until { try await fixture.core.message(message.id).state == .needsConfirmation }
        #expect(link.messages.count == 1)
    }

    @Test("B137 T193 after a stream that could not be resumed all pages behind the anchor are taken")
    func pages() async throws {
        let archive = FakeArchive()
        try archive.fromBo("a0", "before this device")
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        #expect(try await fixture.core.conversations().isEmpty)
        for number in 1...350 { try archive.fromBo("a\(number)", "\(number)") }
        try await restart(link, ann, left: .unknown)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 350 }
        try await caughtUp(fixture, ann)
        #expect(
            link.recorded.pages == [
                .newest, .before("a0", with: nil), .after("a0"),
                .before("a0", with: nil), .after("a0"), .after("a100"), .after("a300"),
            ])
        // Resumed: nothing to ask.
        link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        link.emit(.online(try ann.with(resource: "fake"), isResumed: true))
        #expect(try await bodies(fixture).suffix(2) == ["349", "350"])
        #expect(link.recorded.pages.count == 7)
    }

    @Test("C10 a connection that breaks between two pages goes on at the anchor, on a resumed stream too")
    func interrupted() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        for number in 1...150 { try archive.fromBo("a\(number)", "\(number)") }
        archive.script {
            $0.before = { position throws(CatchUpError) in if position == .after("a100") { throw .interrupted } }
        }
        try await restart(link, ann, left: .unknown)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 100 }
        archive.script { $0.before = nil }
        link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        link.emit(.online(try ann.with(resource: "fake"), isResumed: true))
        try await fixture.until { try await fixture.core.conversations().first?.unread == 150 }
        #expect(link.recorded.pages.last == .after("a100"))
    }

    @Test("B139 an archive that does not know the position that it gave is asked by time once, and then counts as none")
    func forgetful() async throws {
        let archive = FakeArchive()
        try archive.fromBo("a1", "1")
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        let messages = try await write(["mine"], fixture, ann)
        archive.script {
            $0.before = { position throws(CatchUpError) in if case .after = position { throw .positionUnknown } }
            $0.isComplete = false
        }
        try await restart(link, ann, left: .unknown)
        try await sent(fixture, 2)
        #expect(try await fixture.core.message(messages[0].id).mayBeDuplicated)
    }

    @Test("T108 an archive that goes in a circle, however long, is asked no more, and nothing comes twice")
    func circle() async throws {
        let archive = FakeArchive()
        try archive.fromBo("a1", "1")
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        try archive.fromBo("a2", "2")
        archive.script { $0.circle = (1...7).map { "end-\($0)" } }
        try await restart(link, ann, left: .unknown)
        let runner = try fixture.core.runner(ann)
        try await fixture.until { try await fixture.core.conversations().first?.unread ?? 0 > 0 }
        while await runner.isCatchingUp { await Task.yield() }
        #expect(await runner.needsCatchUp && link.recorded.pages.count < 40)
        let conversation = try #require(try await fixture.core.conversations().first)
        #expect(try await fixture.core.history(conversation.id).map(\.body) == ["1", "2"])
    }

    @Test("B139 an archive that lost the anchor and gives nothing else leaves one gap, however often it is asked")
    func oneGap() async throws {
        let archive = FakeArchive()
        try archive.fromBo("a1", "1")
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        archive.script {
            $0.before = { position throws(CatchUpError) in
                if case .after = position { throw .positionUnknown }
                if case .since = position { throw .failed }
            }
        }
        let runner = try fixture.core.runner(ann)
        for _ in 1...3 {
            let before = link.recorded.pages.count
            try await restart(link, ann, left: .unknown)
            while link.recorded.pages.count < before + 4 { await Task.yield() }
            while await runner.isCatchingUp { await Task.yield() }
        }
        #expect(try await fixture.core.account(ann).gaps.map(\.reason) == [.newDevice, .anchorLost])
    }

    @Test("B139 an archive whose clock is wrong is asked by a time that has been")
    func wrongClock() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        try archive.fromBo("a1", "1")
        archive.script { state in
            let first = state.messages[0]
            state.messages[0] = CatchUpMessage(id: first.id, stamp: 4_000_000_000_000, message: first.message)
        }
        try await restart(link, ann, left: .unknown)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 1 }
        try await caughtUp(fixture, ann)
        archive.script { $0.messages = [] }
        try archive.fromBo("b1", "2")
        try await restart(link, ann, left: .unknown)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 2 }
        guard case .since(let time) = link.recorded.pages.last else {
            Issue.record("asked \(link.recorded.pages)")
            return
        }
        #expect(time <= fixture.time.now)
    }

    @Test("B139 an archive that lost the anchor is asked by time, and the gap is noted")
    func anchorLost() async throws {
        let archive = FakeArchive()
        try archive.fromBo("a0", "old")
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        archive.script { $0.messages = [] }
        for number in 1...3 { try archive.fromBo("b\(number)", "\(number)") }
        try await restart(link, ann, left: .unknown)
        try await fixture.until { try await fixture.core.conversations().first?.unread == 3 }
        try await caughtUp(fixture, ann)
        let gaps: [String] = try await fixture.core.store.read {
            try $0.rows("SELECT reason FROM gap ORDER BY id") { $0.column(0) }
        }
        #expect(gaps == ["new-device", "anchor-lost"])
        let told = try await fixture.core.account(ann).gaps
        #expect(told.map(\.reason) == [.newDevice, .anchorLost])
        #expect(told.map(\.isLoss) == [false, true])
        guard case .since = link.recorded.pages.last else {
            Issue.record("asked \(link.recorded.pages)")
            return
        }
    }

    @Test("after many live messages the archive is gone through again, so that the anchor follows")
    func follows() async throws {
        let archive = FakeArchive()
        let (fixture, ann, link) = try await online(archive)
        try await caughtUp(fixture, ann)
        let before = link.recorded.pages.count
        for number in 1...AccountSessionStore.messagesBetweenCatchUps {
            try await link.receive("<message from='bo@example.net/p' id='m\(number)'><body>\(number)</body></message>")
        }
        while link.recorded.pages.count == before { await Task.yield() }
    }

    @Test("a server that does not count proves with its answer to a ping what it has")
    func proof() async throws {
        let (fixture, ann, link) = try await online(nil)
        let message = try await fixture.core.send(to: try JID("bo@example.net"), text: "1", account: ann).message
        try await sent(fixture, 1)
        try await link.write(isCounted: false)
        try await fixture.until { try await fixture.core.message(message.id).state == .acknowledged }
        #expect(link.requests.last?.payload?.matches(XMLName("ping", "urn:xmpp:ping")) == true)
        #expect(try await fixture.core.waitingMessages().isEmpty)
    }
}

/// Holds up whoever passes until it is opened.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
