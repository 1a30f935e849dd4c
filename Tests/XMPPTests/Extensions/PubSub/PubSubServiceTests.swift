// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Nodes and their items (XEP-0060)", .timeLimit(.minutes(1)))
struct PubSubServiceTests {
    static let namespace = "http://jabber.org/protocol/pubsub"
    static let owner = namespace + "#owner"

    @Test("items are fetched as values, those that cannot be read are left out")
    func items() async throws {
        let online = try await OnlineSession()
        let service = online.session.pubSub(at: try JID("pubsub.example.org"))
        async let fetched = service.items(of: "n", as: Word.self, ids: ["a", "b"], limit: 5)
        let request = await online.reply(
            "<pubsub xmlns='\(Self.namespace)'><items node='n'>\(Word.item("a", "one"))<item id='b'><odd xmlns='x'/></item>"
                + "<item id='c'/><item><word xmlns='urn:example:word'>two</word></item></items></pubsub>")
        let items = try #require(request.children.first)
        #expect(items["node"] == "n" && items["max_items"] == "5" && items.children.map { $0["id"] } == ["a", "b"])
        #expect(try await fetched == [NodeItem(id: "a", payload: Word("one"))])
        async let raw = service.items(of: "n", as: Element.self)
        await online.reply(
            "<pubsub xmlns='\(Self.namespace)'><items node='n'>\(Word.item("a", "one"))</items></pubsub>")
        #expect(try await raw.first?.payload.localName == "word")
        await online.end()
    }

    @Test("T143 an answer about another node is none")
    func otherNode() async throws {
        let online = try await OnlineSession()
        async let error = failure { _ = try await online.session.pubSub().items(of: "n", as: Word.self) }
        await online.reply("<pubsub xmlns='\(Self.namespace)'><items node='m'>\(Word.item("a", "x"))</items></pubsub>")
        #expect(await error?.code == .invalidReply)
        await online.end()
    }

    @Test("items come page by page")
    func pages() async throws {
        let online = try await OnlineSession()
        let all = Task {
            var words: [String] = []
            for try await page in online.session.pubSub().itemPages(of: "n", as: Word.self, from: PageRequest(limit: 1))
            {
                words += page.map(\.payload.text)
            }
            return words
        }
        func page(_ id: String, _ index: Int) -> String {
            "<pubsub xmlns='\(Self.namespace)'><items node='n'>\(Word.item(id, id))</items>"
                + "<set xmlns='http://jabber.org/protocol/rsm'><first index='\(index)'>\(id)</first><last>\(id)</last>"
                + "<count>2</count></set></pubsub>"
        }
        await online.reply(page("a", 0))
        let second = await online.reply(page("b", 1))
        #expect(second.child(PageRequest.name).flatMap { PageRequest($0) } == PageRequest(.after("a"), limit: 1))
        #expect(try await all.value == ["a", "b"])
        await online.end()
    }

    @Test("publishing gives the identifier, retracting tells subscribers")
    func publish() async throws {
        let online = try await OnlineSession()
        let service = online.session.pubSub()
        async let id = service.publish(Word("one"), to: "n")
        let request = await online.reply(
            "<pubsub xmlns='\(Self.namespace)'><publish node='n'><item id='made'/></publish></pubsub>")
        #expect(request.children.first?["node"] == "n" && form(in: request) == nil)
        #expect(try await id == "made")
        async let own = service.publish(Word("one"), id: "mine", to: "n", configuration: .publicData())
        let second = await online.reply()
        let options = try #require(form(in: second))
        #expect(options.formType == "http://jabber.org/protocol/pubsub#publish-options")
        #expect(options["pubsub#access_model"]?.text == "open" && options["pubsub#persist_items"]?.text == "true")
        #expect(try await own == "mine")
        async let gone: Void = service.retract("mine", from: "n")
        let third = await online.reply()
        #expect(third.children.first?["notify"] == "true" && third.children.first?.children.first?["id"] == "mine")
        try await gone
        await online.end()
    }

    @Test("a service that knows few conditions gets the rest afterwards, as ejabberd 23.01")
    func fallback() async throws {
        let online = try await OnlineSession()
        async let id = online.session.pubSub().publish(
            Word("one"), id: "a", to: "n", configuration: .publicData(.presence))
        await online.refuse("resource-constraint")
        let essential = try #require(form(in: await online.reply()))
        #expect(essential.fields.map(\.name) == ["FORM_TYPE", "pubsub#access_model", "pubsub#persist_items"])
        let configured = await online.reply()
        #expect(configured.name == XMLName("pubsub", Self.owner))
        #expect(form(in: configured)?["pubsub#send_last_published_item"]?.text == "never")
        #expect(try await id == "a")
        await online.end()
    }

    @Test("a node that is otherwise is changed first; other refusals are told")
    func precondition() async throws {
        let online = try await OnlineSession()
        async let id = online.session.pubSub().publish(Word("one"), id: "a", to: "n", configuration: .publicData())
        await online.refuse(
            "conflict", detail: "<precondition-not-met xmlns='http://jabber.org/protocol/pubsub#errors'/>")
        #expect(form(in: await online.reply())?["pubsub#access_model"]?.text == "open")
        #expect(form(in: await online.reply()) == nil)
        #expect(try await id == "a")
        async let error = failure {
            _ = try await online.session.pubSub().publish(Word("x"), to: "n", configuration: .publicData())
        }
        await online.refuse("forbidden")
        #expect(await error?.stanzaError?.condition == .forbidden)
        await online.end()
    }

    @Test("nodes are made, looked at, changed, emptied and removed")
    func nodes() async throws {
        let online = try await OnlineSession()
        let service = online.session.pubSub(at: try JID("pubsub.example.org"))
        async let made = service.createNode(nil, .publicData())
        let create = await online.reply("<pubsub xmlns='\(Self.namespace)'><create node='made'/></pubsub>")
        #expect(create.children.map(\.localName) == ["create", "configure"])
        #expect(form(in: create)?.formType == NodeConfiguration.formType)
        #expect(try await made == "made")
        async let nameless = failure { _ = try await service.createNode() }
        await online.reply()
        #expect(await nameless?.code == .invalidReply)
        async let configuration = service.configuration(of: "n")
        let get = await online.replyConfiguration("whitelist", items: "10")
        #expect(get.name == XMLName("pubsub", Self.owner) && get.children.first?.localName == "configure")
        #expect(try await configuration.accessModel == .whitelist)
        #expect(try await configuration.itemCount == .count(10))
        async let purged: Void = service.purge("n")
        #expect(await online.reply().children.first?.name == XMLName("purge", Self.owner))
        try await purged
        async let deleted: Void = service.deleteNode("n")
        #expect(await online.reply().children.first?.name == XMLName("delete", Self.owner))
        try await deleted
        async let odd = failure { _ = try await service.defaultConfiguration() }
        await online.reply("<pubsub xmlns='\(Self.owner)'><default/></pubsub>")
        #expect(await odd?.code == .invalidReply)
        await online.end()
    }

    @Test("subscriptions and rights are asked for and changed")
    func subscriptions() async throws {
        let online = try await OnlineSession()
        let service = online.session.pubSub(at: try JID("pubsub.example.org"))
        async let made = service.subscribe(to: "n")
        let subscribe = await online.reply(
            "<pubsub xmlns='\(Self.namespace)'><subscription node='n' jid='juliet@example.org' subid='s' subscription='pending'/></pubsub>"
        )
        #expect(subscribe.children.first?["jid"] == "juliet@example.org")
        #expect(
            try await made == NodeSubscription(node: "n", jid: JID("juliet@example.org"), state: .pending, id: "s"))
        async let mine = service.subscriptions()
        await online.reply(
            "<pubsub xmlns='\(Self.namespace)'><subscriptions><subscription node='a' jid='juliet@example.org' subscription='subscribed'/><subscription node='b' jid='@'/></subscriptions></pubsub>"
        )
        #expect(try await mine.map(\.node) == ["a"])
        async let ended: Void = service.unsubscribe(from: "n", id: "s")
        #expect(await online.reply().children.first?["subid"] == "s")
        try await ended
        async let rights = service.affiliations()
        await online.reply(
            "<pubsub xmlns='\(Self.namespace)'><affiliations><affiliation node='n' affiliation='publish-only'/><affiliation node='m' affiliation='king'/></affiliations></pubsub>"
        )
        #expect(try await rights == [NodeAffiliation(node: "n", jid: nil, rights: .publishOnly)])
        async let members = service.members(of: "n")
        await online.reply(
            "<pubsub xmlns='\(Self.owner)'><affiliations node='n'><affiliation jid='bo@example.org' affiliation='member'/></affiliations></pubsub>"
        )
        #expect(try await members.map(\.rights) == [.member])
        let bo = try JID("bo@example.org")
        async let changed: Void = service.setRights(.outcast, of: bo, in: "n")
        let set = await online.reply()
        #expect(set.children.first?.children.first?["affiliation"] == "outcast")
        try await changed
        async let subscribers = service.subscribers(of: "n")
        await online.reply(
            "<pubsub xmlns='\(Self.owner)'><subscriptions node='n'><subscription jid='bo@example.org' subscription='pending'/></subscriptions></pubsub>"
        )
        #expect(try await subscribers == [NodeSubscription(node: "n", jid: bo, state: .pending)])
        async let agreed: Void = service.setSubscription(.subscribed, of: bo, to: "n")
        #expect(await online.reply().children.first?.children.first?["subscription"] == "subscribed")
        try await agreed
        async let options = service.subscriptionOptions(of: "n")
        await online.reply(
            "<pubsub xmlns='\(Self.namespace)'><options node='n' jid='juliet@example.org'><x xmlns='jabber:x:data' type='form'/></options></pubsub>"
        )
        let form = try await options
        async let chosen: Void = service.setSubscriptionOptions(form.filled(with: ["pubsub#deliver": ["1"]]), of: "n")
        #expect(XMPPTests.form(in: await online.reply())?["pubsub#deliver"]?.text == "1")
        try await chosen
        await online.end()
    }

    @Test("what a node tells everybody, and what the service and the server can do")
    func features() async throws {
        let online = try await OnlineSession()
        async let features = online.session.pubSub().features()
        await online.reply(
            "<query xmlns='http://jabber.org/protocol/disco#info'><feature var='http://jabber.org/protocol/pubsub#publish'/></query>"
        )
        await online.reply(
            "<query xmlns='http://jabber.org/protocol/disco#info'><feature var='http://jabber.org/protocol/pubsub#purge-nodes'/><feature var='x'/></query>"
        )
        #expect(try await features == ["publish", "purge-nodes"])
        async let metadata = online.session.pubSub(at: try JID("pubsub.example.org")).metadata(of: "n")
        await online.reply(
            "<query xmlns='http://jabber.org/protocol/disco#info' node='n'><x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE' type='hidden'><value>http://jabber.org/protocol/pubsub#meta-data</value></field><field var='pubsub#title'><value>T</value></field></x></query>"
        )
        #expect(try await metadata?["pubsub#title"]?.text == "T")
        await online.end()
    }
}

@Suite("How nodes behave")
struct NodeConfigurationTests {
    @Test("is written and read, fields that are not known too")
    func roundTrips() throws {
        var configuration = NodeConfiguration.privateData
        configuration.title = "Words"
        configuration.publishModel = .publishers
        configuration.deliversPayloads = true
        configuration.notifiesRetractions = true
        configuration.rosterGroups = ["Friends", "Work"]
        configuration.others = ["pubsub#type": ["urn:example:word"]]
        let form = try #require(DataForm(try received(configuration.form().element.xml)))
        #expect(form.typed(NodeConfiguration.self) == configuration)
        #expect(NodeConfiguration().fields.isEmpty)
    }

    @Test("T085 values that are none are kept as they are, and not taken for something")
    func odd() throws {
        let form = DataForm(
            .form,
            fields: [
                .init("pubsub#access_model", text: "magic"), .init("pubsub#max_items", text: "99999999999999999999"),
                .init("pubsub#persist_items", text: "perhaps"),
            ])
        let configuration = try #require(NodeConfiguration(form))
        #expect(configuration.accessModel == nil && configuration.itemCount == nil && configuration.keepsItems == nil)
        #expect(configuration.others["pubsub#access_model"] == ["magic"])
    }
}
