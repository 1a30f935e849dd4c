// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Messages that come late, too often, or from rooms that nobody joined", .timeLimit(.minutes(1)))
struct UnwantedMessagesTests {
    @Test("T124 a message that was held back comes like any other, whoever held it, in the order of arrival")
    func delayed() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(SessionFixture.message("live", id: "1"))
        fixture.peer.cut()
        await fixture.acceptResumption(h: 0)
        for (id, from) in [("2", "example.org"), ("3", "romeo@example.net/orchard"), ("4", "")] {
            let sender = from.isEmpty ? "" : "from='\(from)'"
            fixture.peer.inject(
                "<message from='romeo@example.net/orchard' type='chat' id='\(id)'><body>late</body>"
                    + "<delay xmlns='urn:xmpp:delay' \(sender) stamp='2001-01-01T00:00:00Z'/></message>")
        }
        fixture.peer.inject(SessionFixture.message("live", id: "5"))
        var ids: [String] = []
        while ids.count < 5, let message = try await messages.next() {
            ids.append(message.id ?? "")
            #expect(message.body == (["1", "5"].contains(message.id) ? "live" : "late") && message.kind == .chat)
        }
        #expect(ids == ["1", "2", "3", "4", "5"])
        #expect(await fixture.count() == "5")
        await fixture.leave()
    }

    @Test("T126 a flood waits in the network while nobody reads, and none of it is lost afterwards")
    func flood() async throws {
        let online = try await OnlineSession()
        let messages = online.session.messages()
        for number in 0..<10_000 {
            online.peer.inject(
                "<message from='m\(number)@evil.example/x' type='chat' id='\(number)'><body>x</body></message>")
        }
        await online.peer.waitUntil(isReadingPaused: true)
        // No more than the reader's buffer and what one read brings is taken in.
        var iterator = messages.makeAsyncIterator()
        for number in 0..<10_000 { #expect(try await iterator.next()?.id == "\(number)") }
        await online.peer.waitUntil(isReadingPaused: false)
        await online.settle()
        await online.end()
    }

    @Test(
        "T127 a room that nobody joined, its subject, and invitations with a password join nothing and answer nothing",
        arguments: [
            "<body>come in</body>", "<subject>new topic</subject>",
            "<x xmlns='http://jabber.org/protocol/muc#user'><invite from='mal@evil.example'/><password>p</password></x>",
            "<x xmlns='jabber:x:conference' jid='trap@rooms.evil.example' password='p'/>",
        ])
    func unknownRoom(_ content: String) async throws {
        let online = try await OnlineSession { $0.modules.append(PubSubModule(nodes: [Bookmark.node])) }
        var messages = online.session.messages().makeAsyncIterator()
        for (type, from) in [("groupchat", "trap@rooms.evil.example/mal"), ("normal", "trap@rooms.evil.example")] {
            online.peer.inject(
                "<message type='\(type)' from='\(from)' id='x'>\(content)</message>"
            )
            let message = try await messages.next()
            #expect(message?.kind.rawValue == type && message?.kind != .chat)
        }
        await online.settle()
        #expect(!online.peer.writtenText.contains("<presence"))
        #expect(!online.peer.writtenText.contains("trap@rooms.evil.example"))
        await online.end()
    }
}
