// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("A store that takes messages back", .timeLimit(.minutes(1)))
struct SessionGivingBackTests {
    private func connected() async throws -> (SessionFixture, RecordingStore, JID) {
        let store = RecordingStore(takesMessagesBack: true)
        let fixture = try SessionFixture(store: store)
        try await fixture.connect()
        fixture.session.acceptMessages()
        return (fixture, store, try JID("bo@example.org"))
    }

    @Test("T095 a refusal without a count gives all messages back as unknown, and none is written by itself")
    func withoutCount() async throws {
        let (fixture, store, to) = try await connected()
        var tickets: [SendTicket] = []
        for number in 4...5 {
            tickets.append(try await fixture.session.send(.chat(to: to, "\(number)", id: "\(number)")))
            #expect(await fixture.message()?["id"] == "\(number)")
        }
        fixture.peer.cut()
        await fixture.acceptReconnection()
        // Handed over while there was no stream: it goes after those, so it comes back as well.
        let waiting = try await fixture.session.send(.chat(to: to, "6", id: "6"))
        await fixture.peer.expect("resume")
        fixture.peer.inject("<failed xmlns='urn:xmpp:sm:3'/>")
        await fixture.peer.acceptBind(id: "sm-2")
        #expect(await fixture.count() == "0")
        #expect(store.commits.compactMap(\.givesBack) == [.unknown, .unknown])
        #expect(store.stored?.unacknowledged.isEmpty == true)
        for ticket in tickets + [waiting] {
            await #expect { try await ticket.acknowledged() } throws: { ($0 as? XMPPError)?.code == .connectionLost }
        }
        await #expect { try await fixture.session.send(.chat(to: to, "7", id: "7")) } throws: {
            ($0 as? XMPPError)?.code == .notConnected
        }
        fixture.session.acceptMessages()
        let again = try await fixture.session.send(.chat(to: to, "4", id: "4"))
        #expect(await fixture.message()?["id"] == "4")
        fixture.acknowledge(1)
        try await again.acknowledged()
        await fixture.leave()
    }

    @Test("B144 a refusal with a count acknowledges up to it, and gives the rest back as not handled")
    func withCount() async throws {
        let (fixture, store, to) = try await connected()
        var tickets: [SendTicket] = []
        for number in 1...3 {
            tickets.append(try await fixture.session.send(.chat(to: to, "\(number)", id: "\(number)")))
            #expect(await fixture.message()?["id"] == "\(number)")
        }
        fixture.peer.cut()
        await fixture.refuseResumption(h: 2)
        #expect(await fixture.count() == "0")
        let commit = try #require(store.commits.last { $0.givesBack != nil })
        #expect(commit.givesBack == .notHandled)
        #expect(commit.acknowledgedThrough == tickets[1].sequence)
        try await tickets[1].acknowledged()
        await fixture.leave()
    }

    @Test("T092 what a resumed stream left that answered nothing is given back as not handled")
    func unanswered() async throws {
        let (fixture, store, to) = try await connected()
        var tickets: [SendTicket] = []
        for number in 1...3 {
            tickets.append(try await fixture.session.send(.chat(to: to, "\(number)", id: "\(number)")))
            #expect(await fixture.message()?["id"] == "\(number)")
        }
        fixture.peer.cut()
        await fixture.acceptResumption(h: 1, answers: false)
        for number in 2...3 { #expect(await fixture.message()?["id"] == "\(number)") }
        await fixture.peer.expect("r")
        fixture.peer.cut()
        await fixture.acceptResumption(h: 2, answers: false)
        #expect(await fixture.peer.expectEnd() == nil)
        await fixture.acceptReconnection()
        await fixture.peer.acceptBind(id: "sm-2")
        #expect(await fixture.count() == "0")
        #expect(store.commits.last { $0.givesBack != nil }?.givesBack == .notHandled)
        #expect(store.commits.compactMap(\.acknowledgedThrough).max() == tickets[1].sequence)
        #expect(store.stored?.unacknowledged.isEmpty == true)
        await #expect { try await tickets[2].acknowledged() } throws: { ($0 as? XMPPError)?.code == .connectionLost }
        await fixture.leave()
    }

    @Test("T088 a refusal with a count above what was sent says nothing of what was handled")
    func impossibleCount() async throws {
        let (fixture, store, to) = try await connected()
        try await fixture.session.send(.chat(to: to, "1", id: "1"))
        #expect(await fixture.message()?["id"] == "1")
        fixture.peer.cut()
        await fixture.refuseResumption(h: 7)
        #expect(await fixture.count() == "0")
        let commit = try #require(store.commits.last { $0.givesBack != nil })
        #expect(commit.givesBack == .unknown)
        #expect(commit.acknowledgedThrough == nil)
        await fixture.leave()
    }

    @Test("a resumed stream gives nothing back, and what waited goes out on it")
    func resumed() async throws {
        let (fixture, store, to) = try await connected()
        try await fixture.session.send(.chat(to: to, "1", id: "1"))
        #expect(await fixture.message()?["id"] == "1")
        let before = store.commits.count
        fixture.peer.cut()
        await fixture.acceptReconnection()
        try await fixture.session.send(.chat(to: to, "2", id: "2"))
        await fixture.peer.expect("resume")
        fixture.peer.inject("<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>")
        #expect(await fixture.message()?["id"] == "1")
        #expect(await fixture.message()?["id"] == "2")
        #expect(store.commits[before...].allSatisfy { $0.givesBack == nil })
        await fixture.leave()
    }

    @Test("a stream that is lost before anybody heard of it is no resumed one for those who hear of it then")
    func unannounced() async throws {
        let store = RecordingStore(takesMessagesBack: true)
        let fixture = try SessionFixture(store: store)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        #expect(fixture.session.acceptMessages() == 1)
        #expect(try await events.next { if case .online(_, let isResumed) = $0 { isResumed } else { nil } } == false)
        fixture.peer.cut()
        store.hold()
        let before = store.attempts
        await fixture.refuseResumption(id: "sm-2")
        // Bound, and not yet durable.
        await store.wait(attempts: before + 1)
        fixture.peer.cut()
        store.release()
        await fixture.acceptResumption(h: 0, previous: "sm-2")
        #expect(try await events.next { if case .online(_, let isResumed) = $0 { isResumed } else { nil } } == false)
        #expect(fixture.session.acceptMessages() == 2)
        await fixture.leave()
    }

    @Test("T101 a stream that the store finds too old is not resumed")
    func tooOld() async throws {
        let (fixture, store, to) = try await connected()
        try await fixture.session.send(.chat(to: to, "1", id: "1"))
        #expect(await fixture.message()?["id"] == "1")
        store.permitResuming(false)
        fixture.peer.cut()
        await fixture.acceptReconnection()
        await fixture.peer.acceptBind(id: "sm-2")
        #expect(await fixture.count() == "0")
        #expect(store.commits.last { $0.givesBack != nil }?.givesBack == .unknown)
        await fixture.leave()
    }

    @Test("T101 what was sent for another account is neither resumed nor sent again")
    func otherAccount() async throws {
        let stanza = SentStanza(sequence: 3, kind: .message, id: "m", bytes: Array("<message id='m'/>".utf8))
        let stored = StoredSession(
            state: SessionState(
                streamID: "old", boundJID: try JID("romeo@example.org/attic"), sentOnStream: 1, nextSequence: 9),
            unacknowledged: [stanza])
        let fixture = try SessionFixture(store: RecordingStore(stored))
        try await fixture.connect()
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h"))
        #expect(ticket.sequence == 9)
        #expect(await fixture.expect("message")?["id"] == "h")
        await fixture.leave()
    }

    @Test("B154 counters without the stanzas between them are never resumed")
    func withoutItsQueue() async throws {
        let stored = StoredSession(
            state: SessionState(
                streamID: "old", boundJID: try JID("juliet@example.org/attic"), sentOnStream: 5,
                acknowledgedOnStream: 3, nextSequence: 9),
            unacknowledged: [])
        let fixture = try SessionFixture(store: RecordingStore(stored))
        // A bind, without any attempt to resume before it.
        try await fixture.connect()
        #expect(await fixture.count() == "0")
        await fixture.leave()
    }

    @Test("T067 a poison message is found across streams that could not be resumed, the others arrive")
    func poison() async throws {
        let (fixture, store, to) = try await connected()
        let bad = "poison"
        var outbox = ["good-1", bad, "good-2"]
        for id in outbox { try await fixture.session.send(.chat(to: to, id, id: id)) }
        var delivered: [String] = []
        var (errors, handled) = (0, 0)
        while delivered.count < 2, errors < 6, let step = await fixture.peer.next() {
            guard case .element(let element) = step else { continue }
            if element.localName == "message", let id = element["id"] {
                if id == bad {
                    errors += 1
                    fixture.peer.inject(SessionReconnectingTests.streamError("policy-violation"))
                    await fixture.refuseResumption(id: "sm-\(errors + 1)")
                    #expect(await fixture.count() == "0")
                    if store.commits.contains(where: { !$0.dropped.isEmpty }) { outbox.removeAll { $0 == bad } }
                    handled = 0
                    fixture.session.acceptMessages()
                    // As the core does: everything that is not accepted, in order.
                    for id in outbox where !delivered.contains(id) {
                        try await fixture.session.send(.chat(to: to, id, id: id))
                    }
                } else {
                    handled += 1
                    if !delivered.contains(id) { delivered.append(id) }
                }
            } else if element.localName == "r", handled > 0 {
                fixture.acknowledge(handled)
            }
        }
        #expect(delivered == ["good-1", "good-2"])
        #expect((3...4).contains(errors))
        await fixture.leave()
    }
}
