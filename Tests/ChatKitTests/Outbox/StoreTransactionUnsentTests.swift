// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("StoreTransaction+Unsent", .timeLimit(.minutes(1)))
struct StoreTransactionUnsentTests {
    private let bo = JID(wire: "bo@example.net")

    /// The account is there and away.
    private func offline() async throws -> (CoreFixture, JID, JID) {
        let (fixture, ann, _) = try await CoreFixture.online()
        try await fixture.core.disconnect(ann)
        return (fixture, ann, try #require(bo))
    }

    /// Comes online, says one more thing, and gives all that was handed over with it.
    private func sent(_ fixture: CoreFixture, _ ann: JID, last: String = "last") async throws -> [Message] {
        try await fixture.core.connect(ann)
        try await fixture.core.send(to: try #require(bo), text: last, account: ann)
        let link = fixture.link
        while link.messages.last?.body != last { await Task.yield() }
        return link.messages.dropLast()
    }

    private func sent(_ link: FakeLink, count: Int) async { while link.messages.count < count { await Task.yield() } }

    private func file(_ fixture: CoreFixture, _ name: String = "tea") throws -> String {
        let path = fixture.folder.file(name)
        try Data("tea".utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(
        "what was taken back before a connection had it never goes out, nor does its retraction",
        arguments: [false, true])
    func withdrawn(isRestarted: Bool) async throws {
        var (fixture, ann, bo) = try await offline()
        let own = try await fixture.core.send(to: bo, text: "oops", account: ann).message
        try await fixture.core.react(["x"], to: own.id)
        let gone = try await fixture.core.retract(own.id)
        #expect(gone.retracted != nil && gone.body.isEmpty && gone.reactions.isEmpty)
        #expect(gone.state == .failed(MessageFailure(.discarded)) && !gone.isChanging)
        #expect(try await fixture.core.waitingMessages().isEmpty)
        #expect(try await fixture.core.wait(for: own.id, until: .written).retracted != nil)
        await #expect(throws: ChatError.self) { try await fixture.core.retry(own.id) }
        if isRestarted {
            await fixture.core.close()
            fixture = try await CoreFixture.make(folder: fixture.folder, time: fixture.time)
            try await fixture.core.setPassword("x", of: ann)
        }
        #expect(try await sent(fixture, ann).isEmpty)
        #expect(try await fixture.core.message(own.id).retracted != nil)
    }

    @Test("what a connection may have had goes out with its retraction, in that order", arguments: [false, true])
    func attempted(isWritten: Bool) async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let own = try await fixture.core.send(to: try #require(bo), text: "oops", account: ann).message
        await sent(link, count: 1)
        if isWritten {
            try await link.write()
            // The server says that it did not handle it, so it is queued again.
            try await link.startStream(.notHandled)
            try await fixture.core.disconnect(ann)
        }
        let gone = try await fixture.core.retract(own.id)
        #expect(gone.retracted != nil && gone.state == .queued && gone.isChanging)
        if isWritten { try await fixture.core.connect(ann) }
        await sent(fixture.link, count: 2)
        #expect(fixture.link.messages.first?.id == own.originID)
        #expect(fixture.link.messages.last?.retractedID == own.originID)
    }

    @Test("a message that failed and is tried again may have been sent")
    func triedAgain() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let own = try await fixture.core.send(to: try #require(bo), text: "oops", account: ann).message
        await sent(link, count: 1)
        try await link.write()
        try await link.acknowledge()
        try await link.receive(
            "<message from='bo@example.net' type='error' id='\(own.originID ?? "")'><error type='wait'>"
                + "<resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>")
        try await fixture.core.disconnect(ann)
        try await fixture.core.retry(own.id)
        try await fixture.core.retract(own.id)
        try await fixture.core.connect(ann)
        await sent(fixture.link, count: 2)
        #expect(fixture.link.messages.map(\.id).first == own.originID)
        #expect(fixture.link.messages.last?.retractedID == own.originID)
    }

    @Test("what waits for a room and was taken back does not go there")
    func room() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try JID("tearoom@rooms.example.org")
        try await fixture.core.joinRoom(room, account: ann)
        link.script { $0.roomsOutside = [room] }
        let own = try await fixture.core.send(to: room, text: "oops", account: ann).message
        let store = fixture.core.store
        while try await store.read({ try $0.value("SELECT state FROM outbox", as: String.self) }) != "parked" {
            await Task.yield()
        }
        let other = try await fixture.core.send(to: room, text: "helo", account: ann).message
        #expect(try await fixture.core.retract(own.id).retracted != nil)
        try await fixture.core.correct(other.id, text: "hello")
        link.script { $0.roomsOutside = [] }
        link.tell(RoomNews(room, .joined(nick: "ann", occupant: nil)))
        await sent(link, count: 1)
        #expect(link.messages.map(\.body) == ["hello"] && link.messages.first?.correctedID == nil)
        #expect(link.messages.first?.id == other.originID && link.messages.first?.kind == .groupchat)
        // The room may have this one, and has not said under which name.
        await #expect(throws: ChatError.self) { try await fixture.core.retract(other.id) }
    }

    @Test("a message that waits goes out with the text that it was given last, and nobody learns of the former one")
    func corrected() async throws {
        let (fixture, ann, bo) = try await offline()
        let own = try await fixture.core.send(to: bo, text: "helo", account: ann).message
        let answer = try await fixture.core.send(to: bo, text: "yess", account: ann, replyingTo: own.id).message
        try await fixture.core.correct(own.id, text: "hello!")
        let corrected = try await fixture.core.correct(own.id, text: "hello")
        #expect(corrected.body == "hello" && corrected.edited == nil && !corrected.isChanging)
        #expect(try await fixture.core.details(of: own.id).revisions.isEmpty)
        #expect(try await fixture.core.search(SearchQuery("helo")).isEmpty)
        #expect(try await fixture.core.search(SearchQuery("hello")).map(\.message.id) == [own.id])
        try await fixture.core.correct(answer.id, text: "yes")
        let messages = try await sent(fixture, ann)
        #expect(messages.map(\.body) == ["hello", "> hello\nyes"] && messages.allSatisfy { $0.correctedID == nil })
        #expect(messages.map(\.id) == [own.originID, answer.originID])
        #expect(messages.last?.bodyWithoutFallback(for: ["urn:xmpp:reply:0"]) == "yes")
        #expect(messages.last?.reply?.id == own.originID)
    }

    @Test("what answers a message that is taken back goes out without its words")
    func answered() async throws {
        let (fixture, ann, bo) = try await offline()
        let own = try await fixture.core.send(to: bo, text: "secret", account: ann).message
        let answer = try await fixture.core.send(to: bo, text: "yes", account: ann, replyingTo: own.id).message
        try await fixture.core.retract(own.id)
        let messages = try await sent(fixture, ann)
        #expect(
            messages.map(\.body) == ["yes"] && messages.first?.reply == nil && messages.first?.id == answer.originID)
        #expect(messages.first?.fallbacks.isEmpty == true)
        #expect(try await fixture.core.message(answer.id).reply == nil)
    }

    @Test("an upload that is taken back ends, and the next file goes up; of the first nothing goes out")
    func upload() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try #require(bo)
        link.script { $0.uploader = { _, _ in try await neverEnding() } }
        let own = try await fixture.core.sendFile(try file(fixture), to: bo, account: ann).message
        while link.recorded.uploads.isEmpty { await Task.yield() }
        let second = try await fixture.core.sendFile(try file(fixture, "milk"), to: bo, account: ann).message
        link.script { $0.uploader = nil }
        let gone = try await fixture.core.retract(own.id)
        #expect(gone.retracted != nil && gone.files.isEmpty && gone.state == .failed(MessageFailure(.discarded)))
        await sent(link, count: 1)
        #expect(link.messages.map(\.id) == [second.originID] && link.recorded.uploads.count == 2)
    }

    @Test("a file that was given up holds up no other one")
    func cancelled() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try #require(bo)
        link.script { $0.uploader = { _, _ in try await neverEnding() } }
        let own = try await fixture.core.sendFile(try file(fixture), to: bo, account: ann).message
        while link.recorded.uploads.isEmpty { await Task.yield() }
        let second = try await fixture.core.sendFile(try file(fixture, "milk"), to: bo, account: ann).message
        link.script { $0.uploader = nil }
        try await fixture.core.cancelFile(own.id)
        await sent(link, count: 1)
        #expect(link.messages.map(\.id) == [second.originID])
    }

    @Test("what is about a file that goes up comes behind it; its words can still be changed")
    func behindFile() async throws {
        let (fixture, ann, bo) = try await offline()
        var options = FileOptions()
        options.text = "my cpu"
        let own = try await fixture.core.sendFile(try file(fixture), to: bo, account: ann, options: options).message
        try await fixture.core.react(["\u{1F44D}"], to: own.id)
        try await fixture.core.send(to: bo, text: "yes", account: ann, replyingTo: own.id)
        try await fixture.core.correct(own.id, text: "my cup")
        try await fixture.core.connect(ann)
        let link = fixture.link
        await sent(link, count: 3)
        #expect(link.messages.map(\.id).first == own.originID && link.messages[0].body?.hasPrefix("my cup\n") == true)
        #expect(link.messages[0].sharedFiles.first?.metadata.explanation == "my cup")
        #expect(link.messages[1].reactions?.id == own.originID)
        #expect(link.messages[2].reply?.id == own.originID)
        #expect(link.messages.allSatisfy { $0.correctedID == nil })
    }

    @Test("the words beside a file that is at the server and has not gone out are changed with it")
    func rewrittenFile() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let room = try JID("tearoom@rooms.example.org")
        try await fixture.core.joinRoom(room, account: ann)
        link.script { $0.roomsOutside = [room] }
        var options = FileOptions()
        options.text = "my cpu"
        let own = try await fixture.core.sendFile(try file(fixture), to: room, account: ann, options: options).message
        let store = fixture.core.store
        while try await store.read({ try $0.value("SELECT state FROM outbox", as: String.self) }) != "parked" {
            await Task.yield()
        }
        try await fixture.core.correct(own.id, text: "my cup")
        link.script { $0.roomsOutside = [] }
        link.tell(RoomNews(room, .joined(nick: "ann", occupant: nil)))
        await sent(link, count: 1)
        let stanza = try #require(link.messages.first)
        #expect(stanza.id == own.originID && stanza.sharedFiles.first?.metadata.explanation == "my cup")
        #expect(stanza.textBesideFiles(stanza.body ?? "") == "my cup" && stanza.correctedID == nil)
    }

    @Test("T101 what is about a message that needs confirmation waits with it, and goes behind it when it is confirmed")
    func behindHeld() async throws {
        let (fixture, ann, bo) = try await offline()
        let old = try await fixture.core.send(to: bo, text: "old", account: ann).message
        try await fixture.core.react(["x"], to: old.id)
        fixture.time.advance(AccountSessionStore.maximumAge + 1)
        let answer = try await fixture.core.send(to: bo, text: "yes", account: ann, replyingTo: old.id).message
        try await fixture.core.react(["y"], to: answer.id)
        #expect(try await sent(fixture, ann).isEmpty)
        #expect(try await fixture.core.message(old.id).state == .needsConfirmation)
        try await fixture.core.retry(old.id)
        let link = fixture.link
        await sent(link, count: 5)
        #expect(link.messages[1].id == old.originID)
        #expect(link.messages[2...].compactMap { $0.reactions?.id } == [old.originID, answer.originID])
        #expect(Set(link.messages[2...].compactMap(\.originID)) == [answer.originID])
    }

    @Test("nothing is handed over while somebody changes the outbox")
    func busy() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let runner = try fixture.core.runner(ann)
        runner.handover.beginChange()
        try await fixture.core.send(to: try #require(bo), text: "hi", account: ann)
        await runner.pump()
        #expect(link.messages.isEmpty)
        runner.handover.endChange()
        await runner.pump()
        await sent(link, count: 1)
    }
}
