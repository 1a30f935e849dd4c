// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Changes", .timeLimit(.minutes(1)))
struct ChatCoreChangesTests {
    private func sent(_ link: FakeLink, count: Int) async throws -> Message {
        while link.messages.count < count { await Task.yield() }
        return try #require(link.messages.last)
    }

    private func incoming(_ link: FakeLink, _ id: String, _ body: String) async throws {
        try await link.receive(
            "<message from='bo@example.net/p' to='ann@example.org' type='chat' id='\(id)'><body>\(body)</body></message>"
        )
    }

    private func history(_ fixture: CoreFixture, _ ann: JID) async throws -> [ChatMessage] {
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        return try await fixture.core.history(id)
    }

    @Test("a correction names the message it corrects, is shown at once, and waits to be sent")
    func correct() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        let first = try await fixture.core.send(to: bo, text: "helo", account: ann).message
        _ = try await sent(link, count: 1)
        let corrected = try await fixture.core.correct(first.id, text: "hello")
        #expect(corrected.body == "hello" && corrected.edited != nil && corrected.isChanging)
        let stanza = try await sent(link, count: 2)
        #expect(stanza.correctedID == first.originID && stanza.body == "hello" && stanza.id != first.originID)
        // Again, it still names the first one.
        try await fixture.core.correct(first.id, text: "hello!")
        #expect(try await sent(link, count: 3).correctedID == first.originID)
        try await link.write()
        try await link.acknowledge()
        let details = try await fixture.core.details(of: first.id)
        #expect(!details.message.isChanging && details.message.state == .acknowledged)
        #expect(details.revisions.map(\.body) == ["helo", "hello"])
    }

    @Test("what is not ours, was taken back or is not there cannot be corrected")
    func refused() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await incoming(link, "m1", "theirs")
        let theirs = try #require(try await history(fixture, ann).first)
        func code(_ body: () async throws -> Void) async -> ChatError.Code? {
            do { try await body() } catch { return (error as? ChatError)?.code }
            return nil
        }
        #expect(await code { try await fixture.core.correct(theirs.id, text: "x") } == .notChangeable)
        #expect(await code { try await fixture.core.retract(theirs.id) } == .notChangeable)
        #expect(await code { try await fixture.core.react(["x"], to: .init(rawValue: 99)) } == .unknownMessage)
        let own = try await fixture.core.send(to: theirs.peer, text: "mine", account: ann).message
        try await fixture.core.retract(own.id)
        #expect(await code { try await fixture.core.correct(own.id, text: "x") } == .notChangeable)
        #expect(await code { try await fixture.core.react(["x"], to: own.id) } == .notChangeable)
        #expect(await code { try await fixture.core.correct(own.id, text: "") } == .emptyMessage)
    }

    @Test("a message that is taken back is gone here, and the other side is told")
    func retract() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let own = try await fixture.core.send(to: try JID("bo@example.net"), text: "oops", account: ann).message
        _ = try await sent(link, count: 1)
        let gone = try await fixture.core.retract(own.id)
        #expect(gone.body.isEmpty && gone.retracted != nil)
        #expect(try await sent(link, count: 2).retractedID == own.originID)
    }

    @Test("a reaction names the stanza, and the next one stands in its place")
    func react() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await link.receive(
            """
            <message from='bo@example.net/p' to='ann@example.org' type='chat' id='stanza'><body>hi</body>\
            <origin-id xmlns='urn:xmpp:sid:0' id='origin'/></message>
            """)
        let theirs = try #require(try await history(fixture, ann).first)
        let liked = try await fixture.core.react(["\u{1F44D}", "no picture", "\u{1F44D}"], to: theirs.id)
        #expect(liked.reactions == [MessageReaction(emoji: "\u{1F44D}", people: [], isOwn: true)])
        let stanza = try await sent(link, count: 1)
        #expect(stanza.reactions == Reactions(to: "stanza", ["\u{1F44D}"]) && stanza.body == nil)
        #expect(try await fixture.core.react([], to: theirs.id).reactions.isEmpty)
        #expect(try await sent(link, count: 2).reactions?.emojis == [])
    }

    @Test("an answer carries the quote for others and is shown without it")
    func reply() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await incoming(link, "m1", "one\ntwo")
        let theirs = try #require(try await history(fixture, ann).first)
        let own = try await fixture.core.send(
            to: theirs.peer, text: "yes", account: ann, replyingTo: theirs.id
        ).message
        #expect(own.body == "yes" && own.reply?.id == theirs.id && own.reply?.body == "one\ntwo")
        let stanza = try await sent(link, count: 1)
        #expect(stanza.body == "> one\n> two\nyes")
        #expect(stanza.reply == Reply(to: "m1", author: theirs.peer))
        #expect(stanza.bodyWithoutFallback(for: ["urn:xmpp:reply:0"]) == "yes")
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.send(
                to: try JID("eve@example.net"), text: "x", account: ann, replyingTo: theirs.id)
        }
        #expect(error?.code == .unknownMessage)
    }
}
