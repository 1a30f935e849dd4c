// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

/// A client that people use, typed to as they do.
@Suite("RealServer: with profanity", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerProfanityTests {
    @Test("messages, receipts, corrections, typing and the archive, both ways", arguments: TestServer.all)
    func messages(_ server: TestServer) async throws {
        var configuration = SessionConfiguration()
        configuration.modules += [ReceiptsModule(answersByItself: true), ChatStatesModule(), CorrectionsModule()]
        let alice = server.session(try server.account("alice"), configuration)
        let heard = alice.messages()
        try await alice.connect()
        let own = try #require(await alice.jid)
        let profanity = try await ProfanityClient(try server.account("bob"), on: server)
        let peer = try JID(profanity.address)
        for line in ["/receipts request on", "/receipts send on", "/correction on"] { try profanity.type(line) }

        try profanity.type("/msg \(own.bare) good morning & <hello>")
        var iterator = heard.makeAsyncIterator()
        let first = try await next(&iterator) { $0.body != nil }
        #expect(first.body == "good morning & <hello>" && first.from?.isSameBare(as: peer) == true)
        #expect(first.requestsReceipt && first.kind == .chat)

        var answer = Message.chat(to: first.from, "good evening 🦊", id: "p1")
        answer.requestsReceipt = true
        answer.originID = "p1"
        try await alice.send(answer)
        try await profanity.screen(has: "good evening")
        _ = try await next(&iterator) { $0.isReceipt(for: "p1", sentTo: peer) }
        var correction = Message.chat(to: first.from, "good night", id: "p2")
        correction.correctedID = "p1"
        try await alice.send(correction)
        try await profanity.screen(has: "good night")

        try profanity.type("se you tomorrow")
        let second = try await next(&iterator) { $0.body == "se you tomorrow" }
        try profanity.type("/correct see you tomorrow")
        let corrected = try await next(&iterator) { $0.body == "see you tomorrow" }
        #expect(corrected.corrects(second, account: own))

        let expected = [
            "good morning & <hello>", "good evening 🦊", "good night", "se you tomorrow", "see you tomorrow",
        ]
        var stored: [String] = []
        for _ in 0..<50 where stored.count < expected.count {
            stored = try await alice.archive().page(ArchiveFilter(with: peer)).messages.compactMap(\.message.body)
            if stored.count < expected.count { try await Task.sleep(for: .milliseconds(100)) }
        }
        #expect(stored == expected)
        profanity.end()
        await alice.disconnect()
    }

    @Test("in a room: words, nicknames and kicks both ways", arguments: TestServer.all)
    func room(_ server: TestServer) async throws {
        let rooms = RealServerRoomsTests()
        let (alice, carol, address) = try await rooms.people(server)
        var wanted = RoomConfiguration.channel()
        wanted.isModerated = false
        let room = try await alice.rooms.create(address, as: "Alice", wanted)
        let theirs = try await carol.rooms.join(address, as: "Carol")
        let events = room.events()
        let account = try server.account("bob")
        let profanity = try await ProfanityClient(account, on: server)
        try profanity.type("/join \(address) nick Bob")
        _ = await rooms.first(events) { if case .joined(let who) = $0, who.nickname == "Bob" { true } else { nil } }
        try await profanity.screen(has: "Alice")
        try await room.send("good evening & <hello> 🦊").reflection()
        try await profanity.screen(has: "good evening & <hello>")
        try profanity.type("good morning & <hello>")
        let said = await rooms.first(events) {
            if case .message(let message) = $0, message.nickname == "Bob" { message.body } else { nil }
        }
        #expect(said == "good morning & <hello>")

        try profanity.type("/nick Bobby")
        let renamed = await rooms.first(events) {
            if case .renamed(let old, let who) = $0 { "\(old) \(who.nickname)" } else { nil }
        }
        #expect(renamed == "Bob Bobby")
        #expect(try await room.changeNickname(to: "Alicia") == "Alicia")
        try await profanity.screen(has: "Alicia")

        let put = theirs.events()
        try await room.setAffiliation(.admin, of: account.jid)
        _ = await rooms.first(events) {
            if case .changed(let who) = $0, who.nickname == "Bobby", who.role == .moderator { true } else { nil }
        }
        try profanity.type("/kick Carol enough tea")
        let exit = await rooms.first(put) { if case .state(.left(let exit)) = $0 { exit } else { nil } }
        guard case .kicked(let removal) = exit else {
            Issue.record("\(String(describing: exit))")
            return
        }
        #expect(removal.reason == "enough tea")
        try await room.setAffiliation(.none, of: account.jid)
        try await room.kick("Bobby", reason: "good night")
        try await profanity.screen(has: "icked from")
        let back = await rooms.first(events) {
            if case .left(let who, .kicked) = $0 { who.nickname == "Bobby" ? true : nil } else { nil }
        }
        #expect(back == true)
        profanity.end()
        await rooms.end(alice, carol)
    }

    @Test("a file goes by its link, both ways", arguments: TestServer.all)
    func files(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        let heard = alice.messages()
        try await alice.connect()
        let own = try #require(await alice.jid)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-pf-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let content = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let source = folder.appendingPathComponent("tea.bin")
        try content.write(to: source)
        var access = HTTPAccess()
        access.trustedHosts = ["localhost", "127.0.0.1"]

        let profanity = try await ProfanityClient(try server.account("bob"), on: server)
        try profanity.type("/msg \(own.bare) look")
        var iterator = heard.makeAsyncIterator()
        _ = try await next(&iterator) { $0.body == "look" }
        try profanity.type("/sendfile \(source.path)")
        let sent = try await next(&iterator) { $0.body != nil }
        let url = try #require(sent.attachmentURL)
        let fetched = folder.appendingPathComponent("fetched").path
        #expect(try await alice.httpFiles(access).download(url, to: fetched).byteCount == Int64(content.count))
        #expect(FileManager.default.contents(atPath: fetched) == content)

        let file = try await alice.upload(.file(source.path), access: access)
        try await alice.send(.file(file.shared, to: try JID(profanity.address)))
        try await profanity.screen(has: file.url.suffix(12).description)
        let saved = folder.appendingPathComponent("saved").path
        try profanity.type("/url save \(file.url) \(saved)")
        for _ in 0..<200 where FileManager.default.contents(atPath: saved)?.count != content.count {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(FileManager.default.contents(atPath: saved) == content)
        profanity.end()
        await alice.disconnect()
    }

    private func next(
        _ messages: inout Subscription<Message>.Iterator, _ isWanted: (Message) -> Bool
    ) async throws -> Message {
        while let message = try await messages.next() { if isWanted(message) { return message } }
        throw UnreadableText(description: "the session ended")
    }
}
