// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP
import XMPPTesting

@Suite("RealServer: messages", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerMessagesTests {
    /// Two people who are online, and what each of them hears.
    struct Pair {
        var alice: XMPPSession
        var bob: XMPPSession
        var aliceJID: JID
        var bobJID: JID
        var heardByAlice: Subscription<Message>.Iterator
        var heardByBob: Subscription<Message>.Iterator

        init(_ server: TestServer, _ modules: [any SessionModule] = []) async throws {
            var configuration = SessionConfiguration()
            configuration.modules += modules
            alice = server.session(try server.account("alice"), configuration)
            bob = server.session(try server.account("bob"))
            heardByAlice = alice.messages().makeAsyncIterator()
            heardByBob = bob.messages().makeAsyncIterator()
            try await alice.connect()
            try await bob.connect()
            aliceJID = try #require(await alice.jid)
            bobJID = try #require(await bob.jid)
        }

        /// Bob's next message, sent by Alice.
        mutating func deliver(_ message: Message) async throws -> Message {
            try await alice.send(message)
            let heard = try await heardByBob.next()
            return try #require(heard)
        }

        func end() async {
            await alice.disconnect()
            await bob.disconnect()
        }
    }

    @Test("what a message can carry arrives as it was sent", arguments: TestServer.all)
    func payloads(_ server: TestServer) async throws {
        let picture = SmallData(SamplePictures.pixel, mediaType: "image/png")
        var pair = try await Pair(server, [SmallDataModule { cid, _ in cid == picture.cid ? picture : nil }])
        let (own, peer) = (pair.aliceJID, pair.bobJID)

        var message = Message.chat(to: peer, "@bob, *look*: https://example.org/a", id: "p1")
        message.originID = "p1"
        message.conversationThread = MessageThread(id: "t1", parent: "t0")
        message.chatState = .active
        message.isMarkable = true
        message.isUnstyled = true
        message.hints = [.store]
        message.links = [OutOfBandLink(url: "https://example.org/a")]
        message.references = [.mention(peer, range: 0..<4)]
        let first = try await pair.deliver(message)
        let parts = first.parts
        #expect(parts.originID == "p1" && parts.thread == MessageThread(id: "t1", parent: "t0"))
        #expect(parts.isMarkable && parts.isUnstyled && parts.hints == [.store] && parts.chatState == .active)
        #expect(parts.links == message.links && parts.references == message.references && first.mentions(peer))
        var hidden = Message.chat(to: peer, "hidden", id: "p0")
        hidden.encryption = EncryptionHint(namespace: "urn:example:none", name: "None")
        let shown = try await pair.deliver(hidden)
        #expect(shown.encryption == hidden.encryption && shown.isEncrypted)

        let metadata = FileMetadata(
            name: "a.png", mediaType: "image/png", byteCount: picture.bytes.count,
            hashes: [.sha256(of: picture.bytes)], thumbnails: [Thumbnail(uri: "cid:" + picture.cid)])
        let file = SharedFile(metadata: metadata, urls: ["https://example.org/a.png"])
        let shared = try await pair.deliver(.file(file, to: peer, id: "p2"))
        #expect(shared.sharedFiles.first?.metadata == metadata && shared.sharedFiles.first?.urls == file.urls)
        #expect(try await pair.bob.smallData("cid:" + picture.cid, from: own).bytes == picture.bytes)

        var correction = Message.chat(to: peer, "@bob, look", id: "p3")
        correction.correctedID = "p1"
        let corrected = try await pair.deliver(correction)
        #expect(corrected.corrects(first, account: peer))
        let thumbs = Reactions(to: "p1", ["👍", "🦊"])
        let reacted = try await pair.deliver(.reactions(thumbs, to: peer))
        #expect(reacted.reactions == thumbs)
        var reply = Message.chat(to: peer, "yes", id: "p4")
        reply.setReply(to: first)
        let answered = try await pair.deliver(reply)
        #expect(answered.reply?.id == "p1" && answered.bodyWithoutFallback(for: [Reply.namespace]) == "yes")
        var forwarding = Message.chat(to: peer, "he said:", id: "p5")
        forwarding.forward(.chat(to: own, "inner", id: "i1"), stamp: DateTime(seconds: 1_700_000_000))
        let forwarded = try await pair.deliver(forwarding).forwardedMessages.first
        #expect(forwarded?.message.body == "inner" && forwarded?.delay?.stamp.seconds == 1_700_000_000)
        let retraction = try await pair.deliver(.retraction(of: "p1", to: peer))
        #expect(retraction.retracts(first, account: peer) && retraction.fallbacks.count == 1)

        // And back: a marker, and that somebody writes.
        try await pair.bob.send(try #require(Message.displayedMarker(for: first, account: peer)))
        let marker = try await pair.heardByAlice.next()
        #expect(marker?.isDisplayedMarker(for: "p1", sentTo: peer) == true)
        for (sender, address) in [(pair.bob, own), (pair.alice, peer)] {
            var state = Message(to: address, kind: .chat)
            state.chatState = .composing
            try await sender.send(state)
        }
        let states = [try await pair.heardByAlice.next()?.chatState, try await pair.heardByBob.next()?.chatState]
        #expect(states == [.composing, .composing])
        await pair.end()
    }

    @Test("what older programs say is read", arguments: TestServer.all)
    func read(_ server: TestServer) async throws {
        var pair = try await Pair(server)
        let peer = pair.bobJID
        let markup = try received(
            "<html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>"
                + "<p>one<br/><strong>two</strong></p></body></html>")
        let held = try received("<x xmlns='jabber:x:delay' stamp='20080301T18:20:05'/>")
        var message = try await pair.deliver(Message(to: peer, kind: .chat, id: "r1", payloads: [markup, held]))
        #expect(message.plainTextOfRichBody?.contains("two") == true)
        #expect(message.parts.delays.first?.stamp == DateTime("2008-03-01T18:20:05Z"))

        let media = try received(
            "<reference xmlns='urn:xmpp:reference:0' type='data'><media-sharing xmlns='urn:xmpp:sims:1'>"
                + "<file xmlns='urn:xmpp:jingle:apps:file-transfer:5'><name>a.png</name></file><sources>"
                + "<reference xmlns='urn:xmpp:reference:0' type='data' uri='https://example.org/a.png'/>"
                + "</sources></media-sharing></reference>")
        message = try await pair.deliver(Message(to: peer, kind: .chat, id: "r2", body: "a file", payloads: [media]))
        #expect(message.parts.sharedFiles.first?.urls == ["https://example.org/a.png"])

        let form = try received(
            "<x xmlns='jabber:x:data' type='form'><field var='age' type='text-single'><validate "
                + "xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:integer'><range min='1' max='9'/>"
                + "</validate></field></x>")
        message = try await pair.deliver(Message(to: peer, id: "r3", body: "fill in", payloads: [form]))
        let read = try #require(message.payloads.lazy.compactMap { DataForm($0) }.first)
        #expect(read["age"]?.validation != nil)
        await pair.end()
    }

    @Test("nobody looks: the server hears of it, and what matters comes all the same", arguments: TestServer.all)
    func clientState(_ server: TestServer) async throws {
        var pair = try await Pair(server)
        #expect(await pair.bob.streamFeatures.offersClientState)
        await pair.bob.setActive(false)
        let (alice, bob) = (pair.aliceJID, pair.bobJID)
        _ = try await pair.bob.ping(alice)
        let urgent = try await pair.deliver(.chat(to: bob, "urgent", id: "c1"))
        await pair.bob.setActive(true)
        let later = try await pair.deliver(.chat(to: bob, "later", id: "c2"))
        #expect(urgent.body == "urgent" && later.body == "later")
        await pair.end()
    }
}
