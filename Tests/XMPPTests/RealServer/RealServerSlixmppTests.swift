// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

/// Another library on the other side, with its own idea of each specification.
@Suite("RealServer: with slixmpp", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerSlixmppTests {
    @Test("receipts, markers, corrections, reactions, answers and retractions, both ways", arguments: TestServer.all)
    func messages(_ server: TestServer) async throws {
        var configuration = SessionConfiguration()
        configuration.modules += [ReceiptsModule(answersByItself: true), MarkersModule(), ReactionsModule()]
        let alice = server.session(try server.account("alice"), configuration)
        var heard = alice.messages().makeAsyncIterator()
        try await alice.connect()
        let own = try #require(await alice.jid)
        let bob = try await SlixmppPeer(try server.account("bob"), on: server)
        let me = own.description

        // From us to slixmpp.
        var first = Message.chat(to: bob.jid, "frist", id: "m1")
        first.requestsReceipt = true
        first.isMarkable = true
        try await alice.send(first)
        #expect(try await bob.wait("message", ["body": "frist"])["id"] == "m1")
        #expect(try await heard.next()?.isReceipt(for: "m1", sentTo: bob.jid) == true)
        try await bob.call("mark", ["to": me, "of": "m1"])
        #expect(try await heard.next()?.isDisplayedMarker(for: "m1", sentTo: bob.jid) == true)
        var correction = Message.chat(to: bob.jid, "first", id: "m2")
        correction.correctedID = "m1"
        try await alice.send(correction)
        #expect(try await bob.wait("correction", ["of": "m1"])["body"] == "first")
        try await alice.send(.reactions(Reactions(to: "m1", ["👍", "🦊"]), to: bob.jid))
        #expect(try await bob.wait("reactions", ["of": "m1"]).list("emojis") == ["👍", "🦊"].sorted())

        // From slixmpp to us.
        let id = try #require(
            try await bob.call("send", ["to": me, "body": "really?"], numbers: ["receipt": 1])["message"])
        let question = try #require(try await heard.next())
        #expect(question.body == "really?" && question.id == id)
        #expect(try await bob.wait("receipt", ["of": id])["from"] == me)
        try await alice.send(try marker(question))
        #expect(try await bob.wait("marker", ["of": id])["from"] == me)
        var reply = Message.chat(to: bob.jid, "yes", id: "m3")
        reply.setReply(to: question)
        try await alice.send(reply)
        #expect(try await bob.wait("reply", ["of": id])["text"]?.hasSuffix("yes") == true)
        try await bob.call("correct", ["to": me, "of": id, "body": "truly?"])
        let corrected = try #require(try await heard.next())
        #expect(corrected.corrects(question, account: own) && corrected.body == "truly?")
        try await bob.call("react", ["to": me, "of": "m1"], lists: ["emojis": ["🎉"]])
        #expect(try await heard.next()?.reactions == Reactions(to: "m1", ["🎉"]))
        try await bob.call("reply", ["to": me, "of": "m1", "author": me, "body": "fine"])
        #expect(try await heard.next()?.reply?.id == "m1")
        try await bob.call("retract", ["to": me, "of": id])
        let retraction = try #require(try await heard.next())
        #expect(retraction.retracts(question, account: own) && !retraction.fallbacks.isEmpty)
        try await alice.send(.retraction(of: "m1", to: bob.jid))
        #expect(try await bob.wait("retraction", ["of": "m1"])["from"] == me)
        await bob.end()
        await alice.disconnect()
    }

    /// A marker for a message that does not ask for one.
    private func marker(_ message: Message) throws -> Message {
        let displayed = try received("<displayed xmlns='urn:xmpp:chat-markers:0' id='\(message.id ?? "")'/>")
        return Message(to: message.from, kind: .chat, payloads: [displayed])
    }

    @Test("nicknames and avatars on nodes, both ways", arguments: TestServer.all)
    func nodes(_ server: TestServer) async throws {
        var configuration = SessionConfiguration()
        configuration.modules += [PubSubModule(nodes: [NickPayload.node]), AvatarsModule(), CapabilitiesModule()]
        let alice = server.session(try server.account("alice"), configuration)
        let events = alice.nodeEvents()
        let asked = alice.presences()
        try await alice.connect()
        let own = try #require(await alice.jid)
        let bob = try await SlixmppPeer(try server.account("bob"), on: server)
        // Contacts, so that each hears of the other's nodes.
        try await alice.requestSubscription(to: bob.jid, known: nil)
        try await bob.wait("subscription", ["type": "subscribe", "from": own.bare.description])
        try await bob.call("accept", ["jid": own.bare.description])
        try await bob.call("subscribe", ["jid": own.bare.description])
        try await RealServerPeopleTests.wait(asked) { $0.kind == .subscribe }
        try await alice.acceptSubscription(of: bob.jid)
        try await bob.wait("presence", ["from": own.description])

        let service = alice.pubSub()
        try await service.publish(
            NickPayload("Juliet"), id: "current", to: NickPayload.node, configuration: .publicData(.presence))
        #expect(
            try await alice.pubSub().items(of: NickPayload.node, as: NickPayload.self).map(\.payload.text) == ["Juliet"]
        )
        // A server that has not asked yet what a program can do tells it nothing: publish until it does.
        let publishing = Task {
            while !Task.isCancelled {
                try await bob.call("nick", ["nick": "Bobby"])
                try await Task.sleep(for: .milliseconds(300))
            }
        }
        for try await event in events where event.service == bob.jid && event.node == NickPayload.node {
            if event.items(as: NickPayload.self).contains(where: { $0.payload.text == "Bobby" }) { break }
        }
        publishing.cancel()

        let picture = try Picture(SamplePictures.pixel)
        let hex = picture.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(try await bob.call("avatar", ["hex": hex])["avatar"] == picture.hash.description)
        let change = try await alice.fetchAvatarChange(of: bob.jid)
        #expect(change?.preferred?.hash == picture.hash)
        let request = AvatarRequest(jid: bob.jid, hash: picture.hash, source: .node)
        #expect(try await alice.fetchAvatar(request) == picture)
        try await alice.publishAvatar(picture)
        let seen = try await bob.call(
            "fetch-avatar", ["jid": own.bare.description, "avatar": picture.hash.description])
        #expect(seen["hex"] == hex)
        await bob.end()
        await alice.disconnect()
    }

    @Test("the archive has the same for both, and whoever blocks is not reached", arguments: TestServer.all)
    func archiveAndBlocking(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        var heard = alice.messages().makeAsyncIterator()
        try await alice.connect()
        let own = try #require(await alice.jid)
        let bob = try await SlixmppPeer(try server.account("bob"), on: server)
        for number in 1...3 {
            try await alice.send(.chat(to: bob.jid, "a\(number)", id: "a\(number)"))
            try await bob.wait("message", ["body": "a\(number)"])
            try await bob.call("send", ["to": own.description, "body": "b\(number)"])
            #expect(try await heard.next()?.body == "b\(number)")
        }
        let expected = ["a1", "b1", "a2", "b2", "a3", "b3"]
        var ours: [String] = []
        var theirs: [String] = []
        for _ in 0..<50 where ours.count < expected.count || theirs.count < expected.count {
            ours = try await alice.archive().page(ArchiveFilter(with: bob.jid)).messages.compactMap(\.message.body)
            theirs = try await bob.call("archive", ["with": own.bare.description]).objects("messages").compactMap {
                $0["body"]
            }
            if ours.count < expected.count { try await Task.sleep(for: .milliseconds(100)) }
        }
        #expect(ours == expected && theirs == expected)

        // Whether whoever is kept away hears of it is up to the server.
        try await bob.call("block", ["jid": own.bare.description])
        #expect(try await bob.call("blocked").list("jids") == [own.bare.description])
        try await alice.send(.chat(to: bob.jid, "kept away", id: "x1")).acknowledged()
        try await bob.call("unblock", ["jid": own.bare.description])
        try await alice.send(.chat(to: bob.jid, "let through", id: "x2"))
        try await bob.wait("message", ["body": "let through"])
        await #expect(throws: UnreadableText.self) {
            try await bob.wait("message", ["body": "kept away"], seconds: 1)
        }
        try await alice.block([bob.jid])
        try await bob.call("send", ["to": own.bare.description, "body": "kept away, too"])
        try await bob.call("ping", ["to": server.domain])
        try await alice.unblockAll()
        try await bob.call("send", ["to": own.description, "body": "let through"])
        var next = try await heard.next()
        while next?.kind == .error { next = try await heard.next() }
        #expect(next?.body == "let through")
        await bob.end()
        await alice.disconnect()
    }
}

/// A nickname on a node (XEP-0172 §4).
private struct NickPayload: NodePayload {
    static let node = "http://jabber.org/protocol/nick"
    private static let name = XMLName("nick", node)
    var text: String
    init(_ text: String) { self.text = text }
    init?(_ element: Element) {
        guard element.matches(Self.name), !element.text.isEmpty else { return nil }
        text = element.text
    }
    var element: Element { Element(Self.name, text: text) }
}
