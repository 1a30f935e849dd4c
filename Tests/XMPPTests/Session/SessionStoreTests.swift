// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("A session with a store", .timeLimit(.minutes(1)))
struct SessionStoreTests {
    @Test("T100 a stanza is acknowledged and shown after its commit, not before")
    func acknowledgesWhatIsDurable() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store)
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        store.hold()
        let before = store.attempts
        fixture.peer.inject(SessionFixture.message("one") + "<r xmlns='urn:xmpp:sm:3'/>")
        await store.wait(attempts: before + 1)
        await fixture.peer.expectNothing()
        #expect(store.stored?.state.received == 0)
        store.release()
        #expect(await fixture.expect("a")?["h"] == "1")
        #expect(store.stored?.state.received == 1)
        #expect(try await messages.next()?.body == "one")
        await fixture.leave()
    }

    @Test("T100 the count in <resume/> is the committed one, after a restart too")
    func resumesWithTheCommittedCount() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store)
        try await fixture.connect()
        for index in 0..<3 { fixture.peer.inject(SessionFixture.message("\(index)")) }
        #expect(await fixture.count() == "3")
        // As after kill -9: another session on the same store, while the first one never gets to say goodbye.
        let crashed = RecordingStore(store.stored)
        let second = try SessionFixture(store: crashed)
        async let connecting: Void = second.session.connect()
        #expect(await second.acceptResumption(h: 0) == "3")
        try await connecting
        second.peer.inject(SessionFixture.message("three"))
        #expect(await second.count() == "4")
        await second.leave()
        await fixture.leave()
    }

    @Test("T100 B154 a restart retransmits exactly what was not acknowledged, in order, before anything new")
    func restarts() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store)
        try await fixture.connect()
        let to = try JID("bo@example.org")
        for number in 1...5 { try await fixture.session.send(.chat(to: to, "\(number)", id: "\(number)")) }
        for number in 1...5 { #expect(await fixture.message()?["id"] == "\(number)") }
        let before = store.commits.count
        fixture.acknowledge(2)
        await store.wait(commits: before + 1)
        #expect(store.stored?.unacknowledged.map(\.id) == ["3", "4", "5"])
        let second = try SessionFixture(store: RecordingStore(store.stored))
        async let connecting: Void = second.session.connect()
        await second.acceptReconnection()
        await second.peer.expect("resume")
        // The server handled one more than we knew of.
        second.peer.inject("<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='3'/>")
        #expect(await second.expect("message")?["id"] == "4")
        #expect(await second.expect("message")?["id"] == "5")
        await second.peer.expect("r")
        try await connecting
        let ticket = try await second.session.send(.chat(to: to, "6", id: "6"))
        #expect(ticket.sequence == 6)
        #expect(await second.expect("message")?["id"] == "6")
        second.acknowledge(6)
        try await ticket.acknowledged()
        await second.leave()
        await fixture.leave()
    }

    @Test("T101 the address and the place of before come back with the session")
    func restoresTheAddress() async throws {
        let stored = StoredSession(
            state: SessionState(
                streamID: "old", boundJID: try JID("juliet@example.org/attic"), received: 4, nextSequence: 9),
            unacknowledged: [])
        let fixture = try SessionFixture(store: RecordingStore(stored))
        async let connecting: Void = fixture.session.connect()
        #expect(await fixture.acceptResumption(h: 0, previous: "old") == "4")
        try await connecting
        #expect(await fixture.session.jid?.description == "juliet@example.org/attic")
        await fixture.leave()
    }

    @Test("C9 a stream that an earlier run left hears that somebody is there, once")
    func tellsThatSomebodyIsThere() async throws {
        let stored = StoredSession(
            state: SessionState(streamID: "old", boundJID: try JID("juliet@example.org/attic"), nextSequence: 9),
            unacknowledged: [])
        let fixture = try SessionFixture(store: RecordingStore(stored)) { $0.initialPresence = Presence() }
        async let connecting: Void = fixture.session.connect()
        await fixture.acceptResumption(h: 0, previous: "old")
        try await connecting
        #expect(await fixture.expect("presence") != nil)
        fixture.acknowledge(1)
        #expect(await fixture.count() == "0")
        fixture.peer.cut()
        await fixture.acceptResumption(h: 1, previous: "old")
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        #expect(await fixture.expect("message")?["id"] == "h1")
        await fixture.leave()
    }

    @Test("who is there is told on a stream that was cut before that, and resumed")
    func tellsAfterACut() async throws {
        let fixture = try SessionFixture(store: RecordingStore())
        try await fixture.connect()
        fixture.peer.cut()
        while await fixture.session.isOnline { await Task.yield() }
        try await fixture.session.setPresence(Presence())
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.expect("presence") != nil)
        fixture.acknowledge(1)
        #expect(await fixture.count() == "0")
        // What it became while the connection was away is told, too.
        fixture.peer.cut()
        while await fixture.session.isOnline { await Task.yield() }
        try await fixture.session.setPresence(nil)
        await fixture.acceptResumption(h: 1)
        #expect(await fixture.expect("presence")?["type"] == "unavailable")
        await fixture.leave()
    }

    @Test("a stanza of ours is durable before it is written")
    func commitsBeforeWriting() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store)
        try await fixture.connect()
        store.hold()
        let before = store.attempts
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        await store.wait(attempts: before + 1)
        await fixture.peer.expectNothing()
        store.release()
        #expect(await fixture.expect("message")?["id"] == "h1")
        try await ticket.written()
        let sent = store.stored?.unacknowledged
        #expect(sent?.map(\.id) == ["h1"])
        #expect(sent?.first.map { String(decoding: $0.bytes, as: UTF8.self) }?.contains("<body>hi</body>") == true)
        await fixture.leave()
    }

    @Test("a batch holds at most 50 stanzas, and none is left out or twice")
    func batches() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store)
        try await fixture.connect()
        let before = store.commits.count
        let all = (0..<240).map { SessionFixture.message("\($0)", id: "\($0)") }.joined()
        fixture.peer.inject(all)
        #expect(await SessionStoreTests.lastCount(fixture) == "240")
        let received = store.commits[before...].map(\.received)
        #expect(received.allSatisfy { $0.count <= 50 })
        let ids = received.flatMap { $0 }.map { if case .message(let message) = $0 { message.id ?? "" } else { "" } }
        #expect(ids == (0..<240).map { "\($0)" })
        await fixture.leave()
    }

    /// Asks until the count says everything so far.
    static func lastCount(_ fixture: SessionFixture) async -> String? {
        var last: String?
        fixture.peer.inject("<r xmlns='urn:xmpp:sm:3'/>")
        while let step = await fixture.peer.next(within: .seconds(1)) {
            if case .element(let element) = step, element.localName == "a" { last = element["h"] }
        }
        return last
    }

    @Test("single stanzas wait up to 10 ms for company")
    func gathers() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store, movesClock: true)
        try await fixture.connect()
        let before = store.attempts
        fixture.peer.inject(SessionFixture.message("one"))
        fixture.peer.inject(SessionFixture.message("two"))
        await fixture.clock.plan(within: .milliseconds(10))
        await fixture.clock.advance(by: .milliseconds(9))
        #expect(store.attempts == before)
        await fixture.clock.advance(by: .milliseconds(1))
        await store.wait(commits: before + 1)
        #expect(store.commits.last?.received.count == 2)
        await fixture.leave()
    }

    @Test("T176 256 stanzas that are not durable stop the reading until half of them are")
    func stopsReading() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store)
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        store.hold()
        for index in 0..<400 { fixture.peer.inject(SessionFixture.message("\(index)")) }
        await fixture.peer.waitUntil(isReadingPaused: true)
        await fixture.peer.expectNothing()
        store.release()
        // To wait for the reading itself is a race: it stops again as soon as the buffer of the reader is full.
        #expect(try await messages.bodies(400) == (0..<400).map { "\($0)" })
        #expect(await SessionStoreTests.lastCount(fixture) == "400")
        await fixture.leave()
    }

    @Test(
        "T176 a store that fails: no acknowledgement, no reading, a visible error, and all goes on when it works again")
    func storeFails() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store, movesClock: true)
        var events = EventReader(fixture.session)
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        store.fails = true
        fixture.peer.inject(SessionFixture.message("one") + "<r xmlns='urn:xmpp:sm:3'/>")
        let reason = try await events.next { if case .storeFailed(let reason) = $0 { reason } else { nil } }
        #expect(reason == "no space left on the device")
        await fixture.peer.waitUntil(isReadingPaused: true)
        fixture.peer.inject(SessionFixture.message("two"))
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "mine", id: "mine"))
        // Tried again each second, and still nothing is said to the server.
        for _ in 0..<3 {
            let before = store.attempts
            await fixture.clock.plan(within: .seconds(1))
            await fixture.clock.advance(by: .seconds(1))
            await store.wait(attempts: before + 1)
        }
        await fixture.peer.expectNothing()
        #expect(store.stored?.state.received == 0)
        store.fails = false
        await fixture.clock.advanceWhenPlanned(by: .seconds(1))
        #expect(try await events.next { if case .storeRecovered = $0 { true } else { nil } } == true)
        #expect(await fixture.expect("a")?["h"] == "1")
        #expect(try await messages.next()?.body == "one")
        await fixture.clock.advanceWhenPlanned(by: .milliseconds(10))
        #expect(try await messages.next()?.body == "two")
        #expect(await fixture.message()?["id"] == "mine")
        try await ticket.written()
        await fixture.leave()
    }

    @Test("T176 T100 the connection breaks while the store fails: the next stream waits, and its count is right")
    func breaksWhileTheStoreFails() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store)
        var events = EventReader(fixture.session)
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        store.hold()
        let before = store.attempts
        fixture.peer.inject(SessionFixture.message("one") + SessionFixture.message("two"))
        await store.wait(attempts: before + 1)
        fixture.peer.cut()
        _ = try await events.interruption()
        store.release()
        // Had the session asked with its old count, the server would send both again.
        #expect(await fixture.acceptResumption(h: 0) == "2")
        #expect(try await messages.bodies(2) == ["one", "two"])
        fixture.peer.inject(SessionFixture.message("three"))
        #expect(await SessionStoreTests.lastCount(fixture) == "3")
        #expect(store.stored?.state.received == 3)
        await fixture.leave()
    }

    @Test("T176 leaving while the store fails takes 2 seconds, and what is not durable was not handled")
    func leavesWhileTheStoreFails() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store, movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        store.fails = true
        fixture.peer.inject(SessionFixture.message("lost?") + "<r xmlns='urn:xmpp:sm:3'/>")
        _ = try await events.next { if case .storeFailed = $0 { true } else { nil } }
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "mine", id: "mine"))
        let leaving = Task { await fixture.session.disconnect() }
        let span = await fixture.clock.advance(until: leaving, limit: .seconds(60))
        #expect(span >= .seconds(2) && span < .seconds(10))
        let answer = await fixture.expect("a")
        #expect(answer?["h"] == "0")
        await #expect(throws: XMPPError.self) { try await ticket.acknowledged() }
        #expect(store.stored?.state.received == 0)
        #expect(store.stored?.unacknowledged == [])
        // The next session of the same object begins with what is durable.
        store.fails = false
        async let connecting: Void = fixture.session.connect()
        #expect(await fixture.acceptResumption(h: 0) == "0")
        try await connecting
        await fixture.leave()
    }

    @Test("T176 a store that cannot be read holds up the connection and says so")
    func loadFails() async throws {
        struct Broken: SessionStore {
            let inner = RecordingStore()
            func load() async throws -> StoredSession? {
                if inner.fails { throw RecordingStore.Failure() }
                return nil
            }
            func commit(_ commit: SessionCommit) async throws { try await inner.commit(commit) }
        }
        let store = Broken()
        store.inner.fails = true
        let clock = ManualClock()
        let peer = ScriptedPeer()
        var configuration = SessionConfiguration()
        configuration.connector = peer
        configuration.clock = clock
        configuration.initialPresence = nil
        let session = XMPPSession(
            account: try Account("juliet@example.org/balcony", password: "secret"), configuration: configuration,
            store: store)
        var events = EventReader(session)
        let connecting = Task { try await session.connect() }
        _ = try await events.next { if case .storeFailed = $0 { true } else { nil } }
        #expect(peer.connections == 0)
        store.inner.fails = false
        await clock.advanceWhenPlanned(by: .seconds(1))
        await peer.acceptLogin()
        try await connecting.value
        peer.cut(nil)
        await session.disconnect()
    }

    @Test("T098 under steady load each commit is answered for, though the store never has everything")
    func answersUnderLoad() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store)
        try await fixture.connect()
        store.hold()
        let before = store.attempts
        fixture.peer.inject((0..<120).map { SessionFixture.message("\($0)") }.joined() + "<r xmlns='urn:xmpp:sm:3'/>")
        await store.wait(attempts: before + 1)
        store.release()
        var counts: [Int] = []
        while counts.last != 120, case .element(let element) = await fixture.peer.next() {
            if element.localName == "a" { counts.append(element["h"].flatMap { Int($0) } ?? -1) }
        }
        #expect(counts == [50, 100, 120] || counts.count >= 2)
        #expect(counts == counts.sorted())
        await fixture.leave()
    }

    @Test("without stream management the store keeps nothing that was written")
    func unmanaged() async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store) { $0.sendsAhead = false }
        try await fixture.connect(managed: false)
        let before = store.commits.count
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        #expect(await fixture.expect("message")?["id"] == "h1")
        try await ticket.written()
        await store.wait(commits: before + 2)
        #expect(store.stored?.unacknowledged == [])
        #expect(store.stored?.state.streamID == nil)
        await fixture.leave()
    }

    @Test(
        "what was being committed when the connection broke goes out on the next stream, managed or not",
        arguments: [true, false])
    func breaksInTheCommit(_ isManaged: Bool) async throws {
        let store = RecordingStore()
        let fixture = try SessionFixture(store: store) { $0.sendsAhead = false }
        var events = EventReader(fixture.session)
        try await fixture.connect(managed: isManaged)
        store.hold()
        let before = store.attempts
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        await store.wait(attempts: before + 1)
        fixture.peer.cut()
        _ = try await events.interruption()
        store.release()
        if isManaged {
            await fixture.acceptResumption(h: 0)
        } else {
            await fixture.acceptReconnection(features: SessionFixture.bindOnly)
            await fixture.peer.acceptBind(managed: false)
        }
        #expect(await fixture.expect("message")?["id"] == "h1")
        try await ticket.written()
        await fixture.leave()
    }
}
