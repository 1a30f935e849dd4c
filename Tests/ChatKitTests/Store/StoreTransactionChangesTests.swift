// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("StoreTransaction+Changes")
struct StoreTransactionChangesTests {
    private func message(
        _ id: String, _ body: String?, _ rest: String = "", from: String = "bo@example.net/p"
    ) -> String {
        let text = body.map { "<body>\($0)</body>" } ?? ""
        return "<message from='\(from)' to='ann@example.org' type='chat' id='\(id)'>\(text)\(rest)</message>"
    }

    private func replace(_ id: String) -> String { "<replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>" }
    private func retract(_ id: String) -> String {
        "<retract xmlns='urn:xmpp:message-retract:1' id='\(id)'/>"
            + "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:message-retract:1'/>"
    }
    private func reactions(_ id: String, _ emojis: String...) -> String {
        "<reactions xmlns='urn:xmpp:reactions:0' id='\(id)'>"
            + emojis.map { "<reaction>\($0)</reaction>" }.joined() + "</reactions>"
    }

    private func revisions(_ fixture: StoreFixture, _ message: ChatMessage) async throws -> [String] {
        try await fixture.store.read { try Queries.revisions($0, message: message.id.rawValue).map(\.body) }
    }

    // MARK: Corrections

    @Test("B114 corrections stand in the place of the first message, whichever they name, and former texts are kept")
    func corrections() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(message("m1", "helo"))
        fixture.time.advance(1000)
        try await fixture.receive(message("m2", "hello", replace("m1")))
        fixture.time.advance(1000)
        try await fixture.receive(message("m3", "hello!", replace("m2")), message("m3", "hello!", replace("m2")))
        let only = try #require(try await fixture.messages().first)
        #expect(try await fixture.bodies() == ["hello!"])
        #expect(only.edited == Date(milliseconds: fixture.time.now))
        #expect(try await revisions(fixture, only) == ["helo", "hello"])
        #expect(try await fixture.store.read { try Queries.conversations($0).map(\.unread) } == [1])
    }

    @Test(
        "T115 a correction by somebody else, or in another conversation, edits nothing and is shown as a message",
        arguments: ["eve@example.net/p", "bo@example.org/p", "eve@example.net/bo@example.net"])
    func foreignCorrection(from: String) async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(message("m1", "true"))
        try await fixture.receive(message("e1", "false", replace("m1"), from: from))
        #expect(try await fixture.bodies() == ["true"])
        let peer = try #require(from.split(separator: "/").first.map(String.init))
        #expect(try await fixture.bodies(with: peer) == ["false"])
        let own = try await fixture.queue("mine", own: "own-1")
        try await fixture.receive(message("m2", "not mine", replace("own-1")))
        #expect(try await fixture.bodies() == ["true", "mine", "not mine"])
        let kept = try await fixture.store.read { try Queries.message($0, id: own) }
        #expect(kept?.edited == nil)
    }

    @Test("a correction that comes before its message is shown, and becomes its text when it comes")
    func correctionFirst() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(message("m2", "hello", replace("m1")))
        let early = try #require(try await fixture.messages().first)
        #expect(early.body == "hello")
        try await fixture.receive(message("m1", "helo"))
        let messages = try await fixture.messages()
        #expect(messages.map(\.body) == ["hello"])
        let one = try #require(messages.first)
        #expect(one.id != early.id && one.originID == "m1")
        #expect(try await revisions(fixture, one) == ["helo"])
        let conversation = try #require(try await fixture.store.read { try Queries.conversations($0) }.first)
        #expect(conversation.unread == 1 && conversation.lastMessage?.id == one.id)
        let told = try await fixture.store.read { connection in
            try Queries.events(connection, after: 0, limit: 10).compactMap {
                try Queries.event(connection, $0, fixture.presence)?.kind
            }
        }
        #expect(told.contains(.messageRemoved(early.id, account: early.account, peer: early.peer)))
    }

    @Test("T117 a plain text never stands in the place of one that came encrypted")
    func downgrade() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            message("m1", "(encrypted)", "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:omemo:2'/>"))
        try await fixture.receive(message("m2", "plain", replace("m1")))
        #expect(try await fixture.bodies() == ["(encrypted)", "plain"])
        #expect(try await fixture.messages().first?.protection == .unreadable)
    }

    // MARK: Retractions

    @Test("T183 a message that is taken back leaves nothing of its text, in rows, former texts, or the file")
    func retraction() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(message("m1", "SECRETWORD one", "<x xmlns='other'>SECRETWORD</x>"))
        try await fixture.receive(message("m2", "SECRETWORD two", replace("m1")))
        try await fixture.receive(message("r", nil, reactions("m1", "\u{1F44D}")))
        fixture.time.advance(500)
        try await fixture.receive(message("m3", "taken back", retract("m1")))
        let gone = try #require(try await fixture.messages().first)
        #expect(gone.body.isEmpty && gone.retracted == Date(milliseconds: fixture.time.now) && gone.reactions.isEmpty)
        #expect(try await fixture.messages().count == 1)
        #expect(try await fixture.store.read { try Queries.conversations($0).map(\.unread) } == [0])
        await fixture.store.scrubbed()
        for file in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.folder.file(file)))
            #expect(bytes.range(of: Data("SECRETWORD".utf8)) == nil, "\(file)")
        }
    }

    @Test("a retraction that comes first is carried out when its message comes")
    func retractionFirst() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(message("m3", "taken back", retract("m1")))
        #expect(try await fixture.store.read { try Queries.conversations($0) }.isEmpty)
        try await fixture.receive(message("m1", "text"))
        #expect(try await fixture.bodies() == [""])
        #expect(try await fixture.messages().first?.retracted != nil)
    }

    @Test(
        "T183 a message that was changed and taken back shows no text, in whatever order the three come",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func anyOrder(_ order: [Int]) async throws {
        let fixture = try await StoreFixture.make()
        let three = [
            message("m1", "firstword"), message("m2", "secondword", replace("m1")),
            message("m3", "gone", retract("m1")),
        ]
        for index in order {
            fixture.time.advance(1000)
            try await fixture.receive(three[index])
        }
        #expect(try await fixture.bodies() == [""])
        #expect(try await fixture.messages().first?.retracted != nil)
        let only = try #require(try await fixture.messages().first)
        #expect(try await revisions(fixture, only).allSatisfy(\.isEmpty))
        let found: Int? = try await fixture.store.read {
            try $0.value(
                "SELECT count(*) FROM message_text WHERE message_text MATCH ?", "firstword OR secondword")
        }
        #expect(found == 0)
        #expect(try await fixture.store.read { try Queries.conversations($0).map(\.unread) } == [0])
    }

    @Test("T183 corrections that come once more, as from an archive, bring nothing back of what was taken back")
    func again() async throws {
        let fixture = try await StoreFixture.make()
        let texts = [message("m1", "one"), message("m2", "two", replace("m1")), message("m3", "three", replace("m2"))]
        for text in texts { try await fixture.receive(text) }
        try await fixture.receive(message("r", "gone", retract("m1")))
        for text in texts.dropFirst() { try await fixture.receive(text) }
        #expect(try await fixture.bodies() == [""])
    }

    @Test("T183 whoever takes back a correction whose message is not here takes back the message")
    func correctionTakenBack() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(message("m2", "two", replace("m1")), message("r", "gone", retract("m2")))
        try await fixture.receive(message("m1", "one"))
        #expect(try await fixture.bodies() == [""])
    }

    @Test("nobody takes back what somebody else wrote")
    func foreignRetraction() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(message("m1", "text"))
        try await fixture.queue("mine", own: "own-1")
        try await fixture.receive(message("r1", "x", retract("own-1")))
        try await fixture.receive(message("r2", "x", retract("m1"), from: "eve@example.net/p"))
        #expect(try await fixture.bodies() == ["text", "mine"])
    }

    // MARK: Reactions

    @Test("what somebody says in pictures replaces what they said before, and an empty list takes it back")
    func reacting() async throws {
        let fixture = try await StoreFixture.make()
        let own = try await fixture.queue("mine", own: "own-1")
        try await fixture.receive(message("r1", nil, reactions("own-1", "\u{1F44D}", "\u{2764}")))
        var item = try #require(try await fixture.store.read { try Queries.message($0, id: own) })
        #expect(item.reactions.map(\.emoji) == ["\u{1F44D}", "\u{2764}"])
        #expect(item.reactions.first?.people == ["bo@example.net"] && item.reactions.first?.isOwn == false)
        fixture.time.advance(1)
        try await fixture.receive(message("r2", nil, reactions("own-1", "\u{2764}")))
        // An older one that comes late undoes nothing.
        try await fixture.receive(
            message("r0", nil, reactions("own-1", "x") + "<delay xmlns='urn:xmpp:delay' stamp='2020-01-01T00:00:00Z'/>")
        )
        item = try #require(try await fixture.store.read { try Queries.message($0, id: own) })
        #expect(item.reactions.map(\.emoji) == ["\u{2764}"])
        try await fixture.receive(message("r3", nil, reactions("own-1")))
        item = try #require(try await fixture.store.read { try Queries.message($0, id: own) })
        #expect(item.reactions.isEmpty)
    }

    @Test(
        "T113 what somebody says in pictures under two names of a message counts once, the last",
        arguments: [true, false])
    func twoNames(isFirst: Bool) async throws {
        let fixture = try await StoreFixture.make()
        let text = message("stanza", "text", "<origin-id xmlns='urn:xmpp:sid:0' id='origin'/>")
        if isFirst { try await fixture.receive(text) }
        try await fixture.receive(message("r1", nil, reactions("stanza", "a")))
        fixture.time.advance(1)
        try await fixture.receive(message("r2", nil, reactions("origin", "b")))
        if !isFirst { try await fixture.receive(text) }
        let reactions = try #require(try await fixture.messages().first).reactions
        #expect(reactions.map(\.emoji) == ["b"] && reactions.map(\.count) == [1])
    }

    @Test("a reaction waits for its message, and lists no conversation by itself")
    func reactionFirst() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(message("r1", nil, reactions("m1", "\u{1F44D}")))
        #expect(try await fixture.store.read { try Queries.conversations($0) }.isEmpty)
        try await fixture.receive(message("m1", "text"))
        #expect(try await fixture.messages().first?.reactions.map(\.count) == [1])
    }

    @Test("a flood of changes for messages that never come is bounded")
    func flood() async throws {
        let fixture = try await StoreFixture.make()
        for number in 0..<(StoreTransaction.maximumWaiting + 20) {
            fixture.time.advance(1)
            try await fixture.receive(message("r", nil, reactions("none-\(number)", "x")))
        }
        #expect(try await fixture.count("reaction") == StoreTransaction.maximumWaiting)
    }

    // MARK: Answers

    @Test("an answer is shown without the quote in front, with what it answers, also when that comes later")
    func answers() async throws {
        let fixture = try await StoreFixture.make()
        let answer = """
            <reply xmlns='urn:xmpp:reply:0' id='m1' to='bo@example.net'/>\
            <fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='7'/></fallback>
            """
        try await fixture.receive(message("m2", "&gt; text\nyes", answer))
        var message = try #require(try await fixture.messages().first)
        #expect(message.body == "yes")
        #expect(message.reply?.id == nil && message.reply?.sender?.description == "bo@example.net")
        try await fixture.receive(self.message("m1", "text"))
        message = try #require(try await fixture.messages().first { $0.originID == "m2" })
        #expect(message.reply?.body == "text" && message.reply?.isOwn == false)
    }
}
