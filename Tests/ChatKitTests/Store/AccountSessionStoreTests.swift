// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("AccountSessionStore")
struct AccountSessionStoreTests {
    private static let hello = """
        <message from='bo@example.net/p' to='ann@example.org' type='chat' id='m1'><body>hello</body></message>
        """

    @Test("an account without a session has nothing to load")
    func empty() async throws {
        let fixture = try await StoreFixture.make()
        #expect(try await fixture.session.load() == nil)
    }

    @Test("C8 counters, stream and unacknowledged stanzas come back as they were committed")
    func roundTrip() async throws {
        let fixture = try await StoreFixture.make()
        let state = SessionState(
            streamID: "s1", boundJID: JID(wire: "ann@example.org/ä 1"), location: "[2001:db8::1]:5222",
            received: .max, sentOnStream: 3, acknowledgedOnStream: 1, nextSequence: 4)
        let sent = [
            StoreFixture.sent(1, "a"), StoreFixture.sent(2, nil, kind: .presence), StoreFixture.sent(3, "c", kind: .iq),
        ]
        try await fixture.session.commit(SessionCommit(sent: sent, state: state))
        let loaded = try await fixture.reopened().session.load()
        #expect(loaded?.state == state)
        #expect(loaded?.unacknowledged == sent)
    }

    @Test("C2 a message that was queued and never taken is there after a crash, and taken once")
    func queuedSurvives() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await fixture.queue("hi", own: "own-1")
        let again = try await fixture.reopened()
        #expect(try await again.state(of: row) == .queued)
        #expect(try await again.outbox().map(\.stanzaID) == ["own-1"])
        try await again.session.commit(
            SessionCommit(sent: [StoreFixture.sent(1, "own-1")], state: SessionState(streamID: "s1", sentOnStream: 1)))
        #expect(try await again.outbox().isEmpty)
    }

    @Test("C3 C4 a message that was written and not acknowledged is loaded again with its bytes and its id")
    func writtenSurvives() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await fixture.queue("hi", own: "own-1")
        let stanza = StoreFixture.sent(7, "own-1", bytes: "<message id='own-1'/>")
        try await fixture.session.commit(
            SessionCommit(sent: [stanza], state: SessionState(streamID: "s1", sentOnStream: 1, nextSequence: 8)))
        #expect(try await fixture.state(of: row) == .written)
        let again = try await fixture.reopened()
        #expect(try await again.session.load()?.unacknowledged == [stanza])
        #expect(try await again.state(of: row) == .written)
        #expect(try await again.outbox().isEmpty)
    }

    @Test("C5 C6 an acknowledgement marks the messages up to it, and leaves nothing to send again")
    func acknowledged() async throws {
        let fixture = try await StoreFixture.make()
        let first = try await fixture.queue("1", own: "own-1")
        let second = try await fixture.queue("2", own: "own-2")
        let third = try await fixture.queue("3", own: "own-3")
        var state = SessionState(streamID: "s1", sentOnStream: 4, nextSequence: 5)
        try await fixture.session.commit(
            SessionCommit(
                sent: [
                    StoreFixture.sent(1, "own-1"), StoreFixture.sent(2, nil, kind: .presence),
                    StoreFixture.sent(3, "own-2"), StoreFixture.sent(4, "own-3"),
                ], state: state))
        // C5: read, not committed: after a crash all of it is still there.
        #expect(try await fixture.reopened().session.load()?.unacknowledged.count == 4)

        let again = try await fixture.reopened()
        state.acknowledgedOnStream = 3
        try await again.session.commit(SessionCommit(acknowledgedThrough: 3, state: state))
        let after = try await again.reopened()
        #expect(try await after.state(of: first) == .acknowledged)
        #expect(try await after.state(of: second) == .acknowledged)
        #expect(try await after.state(of: third) == .written)
        #expect(try await after.session.load()?.unacknowledged.map(\.sequence) == [4])
        #expect(try await after.count("outbox") == 1)
    }

    @Test("B151 an acknowledged message is never loaded to be sent again")
    func noZombie() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.queue("1", own: "own-1")
        try await fixture.session.commit(
            SessionCommit(
                sent: [StoreFixture.sent(1, "own-1")], acknowledgedThrough: 1,
                state: SessionState(streamID: "s1", sentOnStream: 1, acknowledgedOnStream: 1)))
        let again = try await fixture.reopened()
        #expect(try await again.session.load()?.unacknowledged.isEmpty == true)
        #expect(try await again.outbox().isEmpty)
    }

    @Test("C7 T100 effects and the count of handled stanzas become durable together or not at all")
    func effectsAndCount() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(Self.hello, state: SessionState(streamID: "s1", received: 1))
        let again = try await fixture.reopened()
        #expect(try await again.bodies() == ["hello"])
        #expect(try await again.session.load()?.state.received == 1)
    }

    @Test("T176 on a full disk neither effects nor count advance; with room the same commit works, once")
    func diskFull() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(Self.hello, state: SessionState(streamID: "s1", received: 1))
        // The cap belongs to the connection that writes.
        try await fixture.store.write { transaction in
            let pages: Int = try transaction.connection.value("PRAGMA page_count") ?? 0
            try transaction.connection.execute("PRAGMA max_page_count=\(pages + 2)")
        }
        let large = String(repeating: "large ", count: 50_000)
        let commit = SessionCommit(
            received: [
                try StoreFixture.stanza(
                    "<message from='bo@example.net/p' id='m2'><body>second</body></message>"),
                try StoreFixture.stanza("<message from='bo@example.net/p' id='m3'><body>\(large)</body></message>"),
            ], state: SessionState(streamID: "s1", received: 3))
        let error = await #expect(throws: SQLiteError.self) { try await fixture.session.commit(commit) }
        #expect(error?.kind == .full)
        #expect(error.map { ChatError($0).code } == .diskFull)
        #expect(error.map { ChatError($0).isRetryable } == true)
        #expect(try await fixture.bodies() == ["hello"])
        #expect(try await fixture.session.load()?.state.received == 1)
        #expect(try await fixture.count("quarantine") == 0)

        try await fixture.store.write { try $0.connection.execute("PRAGMA max_page_count=1000000") }
        try await fixture.session.commit(commit)
        #expect(try await fixture.bodies() == ["hello", "second", large])
        #expect(try await fixture.session.load()?.state.received == 3)
    }

    @Test("T079 a stanza that cannot be applied goes into quarantine, is counted, and harms no other")
    func quarantine() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.store.write {
            try $0.connection.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON message WHEN NEW.body = 'poison'
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """)
        }
        try await fixture.receive(
            "<message from='bo@example.net/p' id='1'><body>before</body></message>",
            "<message from='bo@example.net/p' id='2'><body>poison</body></message>",
            "<message from='bo@example.net/p' id='3'><body>after</body></message>",
            state: SessionState(streamID: "s1", received: 3))
        #expect(try await fixture.bodies() == ["before", "after"])
        #expect(try await fixture.session.load()?.state.received == 3)
        let kept: String? = try await fixture.store.read { try $0.value("SELECT stanza FROM quarantine") }
        #expect(kept?.contains("poison") == true)
    }

    @Test("quarantine keeps a bounded number of bounded copies")
    func quarantineBounds() async throws {
        let fixture = try await StoreFixture.make()
        let text = String(repeating: "x", count: 100_000)
        let stanza = try StoreFixture.stanza("<message from='bo@example.net/p'><body>\(text)</body></message>")
        let account = fixture.account
        try await fixture.store.write { transaction in
            try transaction.connection.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                INSERT INTO quarantine (account, received, reason) SELECT \(account), 0, 'old' FROM n
                """)
            try transaction.quarantine(stanza, account: account, reason: "new")
        }
        #expect(try await fixture.count("quarantine") == StoreTransaction.maximumQuarantine)
        let length: Int? = try await fixture.store.read {
            try $0.value("SELECT length(stanza) FROM quarantine WHERE reason = 'new'")
        }
        #expect(length == StoreTransaction.maximumQuarantineBytes)
    }

    @Test("T067 a message that the session gives up fails with the reason, and others stay")
    func dropped() async throws {
        let fixture = try await StoreFixture.make()
        let first = try await fixture.queue("1", own: "own-1")
        let second = try await fixture.queue("2", own: "own-2")
        let state = SessionState(streamID: "s1", sentOnStream: 2)
        try await fixture.session.commit(
            SessionCommit(sent: [StoreFixture.sent(1, "own-1"), StoreFixture.sent(2, "own-2")], state: state))
        try await fixture.session.commit(
            SessionCommit(dropped: [1: XMPPError(.undeliverable, "closed each time")], state: state))
        #expect(try await fixture.state(of: first) == .failed(MessageFailure(.undeliverable)))
        #expect(try await fixture.state(of: second) == .written)
        #expect(try await fixture.session.load()?.unacknowledged.map(\.sequence) == [2])
    }

    @Test("T101 a stream that would send again what was written a day ago is not resumed, and the message kept")
    func expired() async throws {
        let fixture = try await StoreFixture.make()
        let old = try await fixture.queue("old", own: "own-1")
        fixture.time.advance(AccountSessionStore.maximumAge)
        let young = try await fixture.queue("young", own: "own-2")
        try await fixture.session.commit(
            SessionCommit(
                sent: [StoreFixture.sent(1, "own-1"), StoreFixture.sent(2, "own-2")],
                state: SessionState(streamID: "s1", sentOnStream: 2, nextSequence: 3)))
        #expect(await fixture.session.mayResume())
        fixture.time.advance(1)
        #expect(await !fixture.session.mayResume())
        let loaded = try await fixture.session.load()
        #expect(loaded?.state.streamID == nil)
        #expect(loaded?.state.nextSequence == 3)
        #expect(try await fixture.state(of: old) == .written)
        #expect(try await fixture.state(of: young) == .written)
    }

    @Test("on a server that does not count, what is written waits for a proof")
    func withoutStreamManagement() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await fixture.queue("1", own: "own-1")
        try await fixture.session.commit(
            SessionCommit(
                sent: [StoreFixture.sent(1, "own-1")], acknowledgedThrough: 1, state: SessionState(nextSequence: 2)))
        #expect(fixture.followUps.withLock { $0 } == [.proveWritten(through: 1)])
        #expect(try await fixture.state(of: row) == .written)
        #expect(try await fixture.session.load()?.unacknowledged.isEmpty == true)
        #expect(try await fixture.outbox().isEmpty)
        #expect(try await fixture.count("outbox") == 1)
    }

    @Test("a commit of fifty stanzas is one transaction")
    func batch() async throws {
        let fixture = try await StoreFixture.make()
        let stanzas = try (0..<50).map {
            try StoreFixture.stanza("<message from='bo@example.net/p' id='b\($0)'><body>text \($0)</body></message>")
        }
        try await fixture.session.commit(
            SessionCommit(received: stanzas, state: SessionState(streamID: "s1", received: 50)))
        #expect(try await fixture.bodies() == (0..<50).map { "text \($0)" })
    }

    @Test("T014 order stays the order of arrival when the clock goes back")
    func clockGoesBack() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive("<message from='bo@example.net/p' id='1'><body>first</body></message>")
        fixture.time.advance(-3_600_000)
        try await fixture.receive("<message from='bo@example.net/p' id='2'><body>second</body></message>")
        #expect(try await fixture.bodies() == ["first", "second"])
    }
}
