// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+AccountExport", .timeLimit(.minutes(1)))
struct ChatCoreAccountExportTests {
    private func document(_ fixture: CoreFixture, _ account: JID, messages: Bool = true) async throws -> String {
        let text = Locked("")
        try await fixture.core.exportAccount(account, includesMessages: messages) { piece in
            text.withLock { $0 += piece }
        }
        return text.withLock { $0 }
    }

    private func filled() async throws -> (CoreFixture, JID, FakeLink) {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await link.receive(
            """
            <iq type='set' id='1'><query xmlns='jabber:iq:roster'>\
            <item jid='bo@example.net' name='Bo' subscription='both'><group>Friends</group></item></query></iq>
            """, "<presence from='eve@example.net' type='subscribe'/>")
        try await link.receive("<message from='bo@example.net/p' id='1'><body>one &amp; two</body></message>")
        try await fixture.core.send(to: try JID("bo@example.net"), text: "answer", account: ann)
        var card = VCard()
        card.fullName = "Ann"
        let own = card
        link.script {
            $0.ownCard = own
            $0.blocked = [JID(wire: "spam.example")].compactMap(\.self)
        }
        return (fixture, ann, link)
    }

    @Test("an account is written whole and another one gets it: contacts, card, blocked, messages; once")
    func roundTrip() async throws {
        let (fixture, ann, _) = try await filled()
        let text = try await document(fixture, ann)
        #expect(!text.contains("secret-password"))
        let (other, _, link) = try await CoreFixture.online()
        link.script { $0.ownCard = VCard() }
        let result = try await other.core.importAccount(Array(text.utf8), into: ann)
        #expect(result == AccountImport(contacts: 1, blocked: 1, messages: 2, hasCard: true))
        #expect(link.requests.contains { $0.payload?.xml.contains("bo@example.net") == true })
        #expect(link.presences.contains { $0.kind == .subscribe && $0.to?.description == "bo@example.net" })
        #expect(link.recorded.ownCard.fullName == "Ann")
        let id = try await other.core.conversation(with: try JID("bo@example.net"), account: ann).id
        let history = try await other.core.history(id)
        #expect(history.map(\.body) == ["one & two", "answer"])
        #expect(history.map(\.direction) == [.incoming, .outgoing])
        let again = try await other.core.importAccount(Array(text.utf8), into: ann)
        #expect(again.messages == 0 && again.blocked == 0 && !again.hasCard)
    }

    @Test("without messages there are none")
    func withoutMessages() async throws {
        let (fixture, ann, _) = try await filled()
        let text = try await document(fixture, ann, messages: false)
        #expect(!text.contains("answer"))
        let read = try PortableAccount.read(Array(text.utf8))
        #expect(read.first?.requests.map(\.description) == ["eve@example.net"])
        #expect(read.first?.contacts.map(\.name) == ["Bo"])
    }

    @Test("what is no document, or has two accounts, is refused", arguments: ["", "{}", "two"])
    func refused(_ text: String) async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        let two =
            "<server-data xmlns='urn:xmpp:pie:0'><host jid='a.example'><user name='a'/><user name='b'/></host></server-data>"
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.importAccount(Array((text == "two" ? two : text).utf8), into: ann)
        }
        #expect(error?.code == .invalidExport)
    }
}

@Suite("ChatCore+Export", .timeLimit(.minutes(1)))
struct ChatCoreExportOrderTests {
    @Test("messages of one millisecond are imported in their order, also around those that are here")
    func order() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        for number in 1...6 {
            try await link.receive(
                "<message from='bo@example.net/p' id='long-enough-id-\(number)'><body>\(number)</body></message>")
        }
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        let text = Locked("")
        try await fixture.core.export(id, as: .json) { piece in text.withLock { $0 += piece } }
        let lines = text.withLock { $0 }.split(separator: "\n")
        let (other, _, _) = try await CoreFixture.online()
        // Every other message first, then all of them.
        let half = [lines[0], lines[2], lines[4]].joined(separator: "\n")
        #expect(try await other.core.importConversation(half, account: ann) == 2)
        #expect(try await other.core.importConversation(lines.joined(separator: "\n"), account: ann) == 4)
        let known = try await other.core.conversation(with: try JID("bo@example.net"), account: ann).id
        #expect(try await other.core.history(known).map(\.body) == (1...6).map(String.init))
        #expect(try await other.core.importConversation(lines.joined(separator: "\n"), account: ann) == 0)
    }

    @Test("a message that is only a file is written as where the file is", arguments: ExportFormat.allCases)
    func files(_ format: ExportFormat) async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let url = "https://files.example.net/cup.jpg"
        try await link.receive(
            """
            <message from='bo@example.net/p' id='f' type='chat'><body>\(url)</body>\
            <x xmlns='jabber:x:oob'><url>\(url)</url></x></message>
            """)
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        #expect(try await fixture.core.history(id).map(\.body) == [""])
        let text = Locked("")
        try await fixture.core.export(id, as: format) { piece in text.withLock { $0 += piece } }
        #expect(text.withLock { $0 }.contains(url))
    }

    @Test("a backup that cannot be written says where")
    func backup() async throws {
        let (fixture, _, _) = try await CoreFixture.online()
        let error = await #expect(throws: ChatError.self) { try await fixture.core.backUp(to: "/nowhere/at/all") }
        #expect(error?.description.contains("cannot write /nowhere/at/all") == true)
    }
}
