// SPDX-License-Identifier: Apache-2.0
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

    private func next(
        _ messages: inout Subscription<Message>.Iterator, _ isWanted: (Message) -> Bool
    ) async throws -> Message {
        while let message = try await messages.next() { if isWanted(message) { return message } }
        throw UnreadableText(description: "the session ended")
    }
}
