// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Nodes for one's own account alone (XEP-0223)", .timeLimit(.minutes(1)))
struct PrivateNodeTests {
    func publish(_ online: OnlineSession) async throws -> String {
        try await online.session.pubSub().publishPrivately(Word("secret"), id: "a", to: "n")
    }

    @Test("a node that is closed already is looked at once, and used")
    func closed() async throws {
        let online = try await OnlineSession()
        async let first = publish(online)
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("whitelist")
        let options = try #require(form(in: await online.reply()))
        #expect(options["pubsub#access_model"]?.text == "whitelist")
        #expect(try await first == "a")
        async let second = publish(online)
        #expect(await online.reply().children.first?.localName == "publish")
        #expect(try await second == "a")
        await online.end()
    }

    @Test("a node that is not there is made closed before anything is in it")
    func missing() async throws {
        let online = try await OnlineSession()
        async let published = publish(online)
        await online.replyFeatures("publish-options")
        await online.refuse("item-not-found")
        let create = await online.reply()
        #expect(create.children.first?.localName == "create")
        #expect(form(in: create)?["pubsub#access_model"]?.text == "whitelist")
        await online.replyConfiguration("whitelist")
        await online.reply()
        #expect(try await published == "a")
        await online.end()
    }

    @Test("a node that is open, or keeps one item, is changed before anything is put in it")
    func changed() async throws {
        let online = try await OnlineSession()
        async let published = publish(online)
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("presence", items: "1")
        #expect(form(in: await online.reply())?["pubsub#access_model"]?.text == "whitelist")
        await online.replyConfiguration("whitelist")
        await online.reply()
        #expect(try await published == "a")
        await online.end()
    }

    @Test("T142 where the server does not know conditions, nothing is published")
    func unsupported() async throws {
        let online = try await OnlineSession()
        async let error = failure { _ = try await publish(online) }
        await online.replyFeatures("publish")
        #expect(await error?.code == .notPrivate)
        #expect(!online.peer.writtenText.contains("secret"))
        await online.end()
    }

    @Test("T142 where the server ignores them, nothing is published")
    func ignored() async throws {
        let online = try await OnlineSession()
        async let error = failure { _ = try await publish(online) }
        await online.replyFeatures("publish-options")
        await online.refuse("item-not-found")
        await online.reply()
        await online.replyConfiguration("presence")
        await online.reply()
        await online.replyConfiguration("presence")
        #expect(await error?.code == .notPrivate)
        #expect(!online.peer.writtenText.contains("secret"))
        await online.end()
    }

    @Test("a node that was opened meanwhile is closed again first")
    func opened() async throws {
        let online = try await OnlineSession()
        async let published = publish(online)
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("whitelist")
        await online.refuse(
            "conflict", detail: "<precondition-not-met xmlns='http://jabber.org/protocol/pubsub#errors'/>")
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("open")
        await online.reply()
        await online.replyConfiguration("whitelist")
        await online.reply()
        #expect(try await published == "a")
        await online.end()
    }

    @Test("a node of somebody else is not private, whatever it says")
    func others() async throws {
        let online = try await OnlineSession()
        let service = online.session.pubSub(at: try JID("pubsub.example.org"))
        #expect(await failure { _ = try await service.publishPrivately(Word("x"), to: "n") }?.code == .invalidArgument)
        await online.end()
    }
}
