// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatEvents", .timeLimit(.minutes(1)))
struct ChatEventsTests {
    private func name(_ kind: ChatEvent.Kind) -> String {
        switch kind {
        case .message(let message): "message \(message.body)"
        case .messageChanged(let message): "changed \(message.body)"
        case .messageRemoved(let id, _, _): "gone \(id)"
        case .contact(let contact): "contact \(contact.jid)"
        case .contactRemoved(let id): "removed \(id.jid)"
        case .request(let request): "request \(request.jid)"
        case .invitation(let invite): "invited \(invite.room)"
        case .requestRemoved(let id): "answered \(id.jid)"
        case .gap: "gap"
        case .live: "live"
        }
    }

    private func read(_ events: ChatEvents, _ count: Int) async throws -> [ChatEvent] {
        var iterator = events.makeAsyncIterator()
        var result: [ChatEvent] = []
        while result.count < count, let event = try await iterator.next() { result.append(event) }
        return result
    }

    @Test("everything since a cursor is told once and in order, then live; a reader that comes back misses nothing")
    func cursors() async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        try await link.receive(
            "<presence type='subscribe' from='eve@example.net'/>",
            "<message from='bo@example.net/p' id='1'><body>one</body></message>",
            "<message from='bo@example.net/p' id='2'><body>two</body></message>")
        let events = try await read(fixture.core.events(since: .start), 4)
        #expect(events.map { name($0.kind) } == ["request eve@example.net", "message one", "message two", "live"])
        #expect(events[0].cursor < events[1].cursor && events[1].cursor < events[2].cursor)
        #expect(events[3].cursor == events[2].cursor)

        try await link.receive("<message from='bo@example.net/p' id='3'><body>three</body></message>")
        let later = try await read(fixture.core.events(since: events[1].cursor), 3)
        #expect(later.map { name($0.kind) } == ["message two", "message three", "live"])
        #expect(try await fixture.core.cursor() == later[1].cursor)
    }

    @Test("without a cursor only what happens from now on is told")
    func fromNow() async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        try await link.receive("<message from='bo@example.net/p' id='1'><body>old</body></message>")
        var events = fixture.core.events().makeAsyncIterator()
        #expect(try await events.next()?.kind == .live)
        try await link.receive("<message from='bo@example.net/p' id='2'><body>new</body></message>")
        #expect(try await events.next().map { name($0.kind) } == "message new")
    }

    @Test("each step of a message of ours is told, with the message as it is now")
    func ownMessage() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        var events = fixture.core.events().makeAsyncIterator()
        _ = try await events.next()
        try await fixture.core.send(to: try JID("bo@example.net"), text: "hi", account: ann)
        #expect(try await events.next().map { name($0.kind) } == "message hi")
        while link.messages.isEmpty { await Task.yield() }
        try await link.write()
        guard case .messageChanged(let message)? = try await events.next()?.kind else {
            Issue.record("no change was told")
            return
        }
        #expect(message.state == .written)
    }

    @Test("a cursor older than what is kept begins with a gap")
    func gap() async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        for number in 1...5 {
            try await link.receive("<message from='bo@example.net/p' id='\(number)'><body>\(number)</body></message>")
        }
        try await fixture.core.store.write { try $0.connection.execute("DELETE FROM event WHERE cursor <= 3") }
        let events = try await read(fixture.core.events(since: .init(rawValue: 1)), 4)
        #expect(events.map { name($0.kind) } == ["gap", "message 4", "message 5", "live"])
        let whole = try await read(fixture.core.events(since: .init(rawValue: 3)), 3)
        #expect(whole.map { name($0.kind) } == ["message 4", "message 5", "live"])
    }

    @Test("two hundred events are read across several pages without a hole")
    func manyEvents() async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        for number in 0..<220 {
            try await link.receive("<message from='bo@example.net/p' id='\(number)'><body>\(number)</body></message>")
        }
        let events = try await read(fixture.core.events(since: .start), 221)
        #expect(events.dropLast().map { name($0.kind) } == (0..<220).map { "message \($0)" })
    }
}
