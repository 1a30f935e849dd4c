// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing
import XMPP

@testable import ChatKit

@Suite("StoreTransaction+Reading")
struct StoreTransactionReadingTests {
    private func displayed(_ id: String, from: String = "bo@example.net/p") -> String {
        "<message from='\(from)' type='chat' id='d'><displayed xmlns='urn:xmpp:chat-markers:0' id='\(id)'/></message>"
    }

    private func acknowledged(_ fixture: StoreFixture, _ own: String) async throws -> Int64 {
        let row = try await fixture.queue("hi", own: own)
        try await fixture.store.write { _ = try $0.advance(message: row, to: MessageState.Stored.acknowledged) }
        return row
    }

    private func named(_ id: String, archive: String) -> String {
        """
        <message from='bo@example.net/p' to='ann@example.org' type='chat' id='\(id)'><body>\(id)</body>\
        <stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='\(archive)'/></message>
        """
    }

    private func unread(_ fixture: StoreFixture) async throws -> [Int] {
        try await fixture.store.read { try Queries.conversations($0).map(\.unread) }
    }

    @Test("a marker says that everything up to its message was displayed, and nothing after it")
    func marker() async throws {
        let fixture = try await StoreFixture.make()
        let rows = [
            try await acknowledged(fixture, "o1"), try await acknowledged(fixture, "o2"),
            try await acknowledged(fixture, "o3"),
        ]
        try await fixture.receive(displayed("o2"))
        var states: [MessageState?] = []
        for row in rows { states.append(try await fixture.state(of: row)) }
        #expect(states == [.displayed, .displayed, .acknowledged])
        // One that comes late takes nothing back.
        try await fixture.receive(displayed("o1"))
        let second = try #require(try await fixture.store.read { try Queries.message($0, id: rows[1]) })
        let readers = try await fixture.store.read { try Queries.readers($0, second) }
        #expect(readers.map(\.person) == ["bo@example.net"] && readers.map(\.state) == [.displayed])
    }

    @Test("T078 a marker from somebody else, or from another device of ours, changes nothing")
    func forgedMarker() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await acknowledged(fixture, "o1")
        try await fixture.receive(
            displayed("o1", from: "eve@example.net/p"), displayed("o1", from: "ann@example.org/other"))
        #expect(try await fixture.state(of: row) == .acknowledged)
    }

    @Test("what another device has read is read here, once its message is here; reading never goes back")
    func elsewhere() async throws {
        let fixture = try await StoreFixture.make()
        let account = fixture.account
        try await fixture.store.write { try $0.setTrustsStanzaIDs(true, account: account) }
        try await fixture.receive(named("m1", archive: "a1"), named("m2", archive: "a2"))
        let (ann, bo) = (try JID("ann@example.org"), try JID("bo@example.net"))
        func tell(_ id: String) async throws {
            let state = DisplayedState(conversation: bo, message: StanzaID(id: id, by: ann))
            _ = try await fixture.store.write { try $0.displayedElsewhere(state, account: account) }
        }
        try await tell("a1")
        #expect(try await unread(fixture) == [1])
        try await tell("a3")
        #expect(try await unread(fixture) == [1])
        try await fixture.receive(named("m3", archive: "a3"), named("m4", archive: "a4"))
        #expect(try await unread(fixture) == [1])
        try await tell("a1")
        #expect(try await unread(fixture) == [1])
        // Nothing of that is told again.
        #expect(try await fixture.store.read { try Queries.unsynced($0, account: account) }.isEmpty)
    }
}
