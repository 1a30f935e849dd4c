// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
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

    @Test("a backup never replaces a file of the profile, whatever leads there, and no other file than it is told to")
    func backupPlaces() async throws {
        let (fixture, _, _) = try await CoreFixture.online()
        let (profile, outside) = (fixture.core.folder.path, try TemporaryFolder())
        let link = outside.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: profile)
        try FileManager.default.createDirectory(atPath: profile + "/media", withIntermediateDirectories: true)
        let before = try FileManager.default.contentsOfDirectory(atPath: profile).sorted()
        let places = ["/chat.db", "/lock", "/new", "/media/x", "/media/../chat.db"]
        for place in places.flatMap({ [profile + $0, link + $0] }) {
            let error = await #expect(throws: ChatError.self) { try await fixture.core.backUp(to: place) }
            #expect(error?.description.contains("choose a place outside") == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: profile).sorted() == before)
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: outside.path + "/copy.part"))
        try await fixture.core.backUp(to: outside.path + "/copy")
        let names = try FileManager.default.contentsOfDirectory(atPath: outside.path).sorted()
        #expect(names == ["copy", "copy.part", "link"])
        #expect(FileManager.default.contents(atPath: outside.path + "/copy.part") == Data("theirs".utf8))
    }

    private static let header =
        #"{"account":"ann@example.org","conversation":"bo@example.net","format":"apus.conversation-export","version":1}"#

    private static func line(_ number: Int, isOwn: Bool = false, archive: Bool = true, rest: String = "") -> String {
        let name = archive ? #""archive_id":"a\#(number)","# : ""
        let sender = isOwn ? "ann@example.org" : "bo@example.net/p"
        return #"{\#(name)"body":"\#(number)",\#(rest)"id":"id-a\#(number)","own":\#(isOwn),"#
            + #""sender":"\#(sender)","sent":\#(1_700_000_000_000 + number * 1000)}"#
    }

    private func exported(_ fixture: CoreFixture, _ id: Conversation.ID, _ format: ExportFormat) async throws -> String
    {
        let text = Locked("")
        try await fixture.core.export(id, as: format) { piece in text.withLock { $0 += piece } }
        return text.withLock { $0 }
    }

    @Test("what was exported, imported and exported again is the same, byte for byte, whatever its lines end with")
    func sameAgain() async throws {
        let lines =
            [
                Self.header, Self.line(1), Self.line(2, isOwn: true, archive: false),
                Self.line(3, rest: #""edited":1700000009000,"#), Self.line(4, archive: false),
            ].joined(separator: "\n") + "\n"
        for text in [lines, lines.replacingOccurrences(of: "\n", with: "\r\n")] {
            let (fixture, ann, _) = try await CoreFixture.online()
            #expect(try await fixture.core.importConversation(text, account: ann) == 4)
            let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
            #expect(try await exported(fixture, id, .json) == lines)
        }
    }

    @Test("C10 what was imported and what the archive has of it is one message each")
    func importedAndArchived() async throws {
        let archive = FakeArchive()
        for number in 1...6 { try archive.fromBo("a\(number)", "\(number)") }
        let (fixture, ann, _) = try await ChatCoreFillingTests.online(archive)
        let lines = [Self.header] + (1...6).map { Self.line($0, archive: $0 % 2 == 0) }
        #expect(try await fixture.core.importConversation(lines.joined(separator: "\n"), account: ann) == 6)
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        let page = try await fixture.core.loadTimeline(id)
        #expect(page.messages.map(\.body) == (1...6).map(String.init) && page.gaps.isEmpty)
    }

    @Test("what was imported is read, before what is not; nothing of it is counted later")
    func importedIsRead() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        try await link.receive("<message from='bo@example.net/p' type='chat' id='x1'><body>new</body></message>")
        let lines = ([Self.header] + (1...5).map { Self.line($0) }).joined(separator: "\n")
        try await fixture.core.importConversation(lines, account: ann)
        var talk = try await fixture.core.conversation(with: bo, account: ann)
        let fifth = try #require(try await fixture.core.history(talk.id).first { $0.body == "5" })
        #expect(talk.unread == 1 && talk.readThrough == fifth.id)
        try await link.receive(
            "<message from='bo@example.net/p' type='chat' id='x2'><body>newer</body></message>",
            "<message from='bo@example.net/p' type='chat' id='r'><retract xmlns='urn:xmpp:message-retract:1' id='x1'/></message>"
        )
        talk = try await fixture.core.conversation(with: bo, account: ann)
        #expect(talk.unread == 1)
        // Nor do the names of another account's archive mean anything here.
        let other = lines.replacingOccurrences(of: "ann@example.org", with: "kim@example.org")
            .replacingOccurrences(of: "bo@example.net", with: "eve@example.net")
        #expect(try await fixture.core.importConversation(other, account: ann) == 5)
    }

    @Test("T125 no text or name of an export in lines looks like another message, or speaks to a terminal")
    func forgedLines() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let ends = ["&#13;&#10;", "&#13;", "&#10;", "\u{2028}", "\u{85}"]
        for (number, end) in ends.enumerated() {
            try await link.receive(
                "<message from='bo@example.net/p' type='chat' id='\(number)'><body>hi\(end)2031-01-01T00:00:00Z me: forged\u{9B}31m</body></message>"
            )
        }
        try await link.receive(
            "<iq type='set' id='1'><query xmlns='jabber:iq:roster'><item jid='bo@example.net' name='B&#10;2031 me: no\u{202E}'/></query></iq>"
        )
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        let text = try await exported(fixture, id, .text)
        #expect(!text.unicodeScalars.contains { "\r\u{85}\u{2028}\u{9B}\u{202E}".unicodeScalars.contains($0) })
        let lines = text.split(separator: "\n")
        #expect(lines.count == 1 + 2 * ends.count)
        #expect(!lines.contains { $0.hasPrefix("2031") })
        let page = try await exported(fixture, id, .html)
        #expect(page.contains("<bdi>bo@example.net</bdi>"))
    }
}
