// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Naming", .timeLimit(.minutes(1)))
struct ChatCoreNamingTests {
    @Test("a name is that of a room one is in, then of a contact, then of somebody on the own server")
    func order() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        func named(_ text: String) async throws -> String {
            try await fixture.core.address(named: text, account: ann).description
        }
        #expect(try await named("tea") == "tea@example.org")
        #expect(try await named("bo@example.net/desk") == "bo@example.net")
        let tea = try await fixture.core.createRoom(.group, name: "Tea", account: ann).peer
        link.tell(RoomNews(tea, .facts(RoomFacts(name: "Tea"))))
        let swift = try await fixture.core.createRoom(.channel, name: "Swift & Tea", account: ann).peer
        #expect(try await named("tea") == tea.description)
        #expect(try await named(" TEA ") == tea.description)
        #expect(try await named("swift-tea") == swift.description && swift.local == "swift-tea")
        #expect(try await named("Swift & Tea") == swift.description)
        #expect(try await fixture.core.roomAddress("tea", account: ann) == tea)
        // What one left is no place to write to, but one to go back to.
        try await fixture.core.leaveRoom(tea, account: ann)
        #expect(try await named("tea") == "tea@example.org")
        #expect(try await fixture.core.roomAddress("tea", account: ann) == tea)
        try await link.receive(
            "<iq type='set' id='r'><query xmlns='jabber:iq:roster'>"
                + "<item jid='bo@example.net' name='B\u{F6}' subscription='both'/></query></iq>")
        #expect(try await named("bo") == "bo@example.net")
    }

    @Test("a name that may be several is refused with all of them")
    func ambiguous() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let tea = try await fixture.core.createRoom(.channel, name: "Tea", account: ann).peer
        try await fixture.core.send(to: try JID("tea@example.org"), text: "hello", account: ann)
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.address(named: "tea", account: ann)
        }
        #expect(error?.code == .ambiguousName)
        #expect(error?.description.contains("\(tea)") == true)
        #expect(error?.description.contains("tea@example.org") == true)
        let other = try JID("tea@elsewhere.example.org")
        try await fixture.core.joinRoom(other, account: ann)
        let rooms = await #expect(throws: ChatError.self) {
            try await fixture.core.roomAddress("tea", account: ann)
        }
        #expect(rooms?.code == .ambiguousName && rooms?.description.contains("\(other)") == true)
        #expect(link.recorded.rooms.contains("join \(other) ann"))
    }
}
