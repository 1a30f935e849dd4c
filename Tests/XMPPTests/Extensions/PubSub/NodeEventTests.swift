// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Events of nodes (XEP-0060, XEP-0163)", .timeLimit(.minutes(1)))
struct NodeEventTests {
    func send(
        _ online: OnlineSession, _ content: String, from: String? = "bo@example.org", type: String = "headline",
        more: String = ""
    ) {
        let sender = from.map { "from='\($0)'" } ?? ""
        online.peer.inject(
            "<message \(sender) type='\(type)'><event xmlns='http://jabber.org/protocol/pubsub#event'>\(content)</event>\(more)</message>"
        )
    }

    static func published(_ node: String = "n", _ items: String) -> String { "<items node='\(node)'>\(items)</items>" }

    @Test("B163 items are read as values, whoever's bare address they come from; no sender is one's own account")
    func published() async throws {
        let online = try await OnlineSession()
        var events = online.session.nodeEvents().makeAsyncIterator()
        send(online, Self.published("n", Word.item("a", "one") + "<item id='b'/>"))
        send(online, Self.published("n", Word.item("c", "two")), from: nil)
        let first = try #require(try await events.next())
        #expect(first.service?.description == "bo@example.org" && first.node == "n" && first.change == .published)
        #expect(first.items(as: Word.self) == [NodeItem(id: "a", payload: Word("one"))] && first.itemIDs == ["a", "b"])
        let own = try JID("juliet@example.org/balcony")
        #expect(!first.isOwn(own))
        let second = try #require(try await events.next())
        #expect(second.isOwn(own) && second.items(as: Word.self).first?.payload.text == "two")
        await online.end()
    }

    @Test("B165 an item that is taken back, a node that is emptied, changed or removed")
    func changes() async throws {
        let online = try await OnlineSession()
        var events = online.session.nodeEvents().makeAsyncIterator()
        send(online, "<items node='n'><retract id='i1'/><retract/></items>")
        send(online, "<purge node='n'/>")
        send(online, "<delete node='n'/>")
        send(online, "<configuration node='n'/>")
        send(online, "<subscription node='n' jid='juliet@example.org' subscription='none'/>")
        #expect(try await events.next()?.change == .retracted(["i1"]))
        #expect(try await events.next()?.change == .purged)
        #expect(try await events.next()?.change == .deleted)
        #expect(try await events.next()?.change == .configured)
        let jid = try JID("juliet@example.org")
        #expect(try await events.next()?.change == .subscription(NodeSubscription(node: "n", jid: jid, state: .none)))
        await online.end()
    }

    @Test("T143 events that break the rules, of resources, and of errors are dropped, and are no messages")
    func dropped() async throws {
        let online = try await OnlineSession()
        var events = online.session.nodeEvents().makeAsyncIterator()
        var messages = online.session.messages().makeAsyncIterator()
        send(online, Self.published("", Word.item("a", "x")))
        send(online, "<items node='n'/>")
        send(online, "<items><item id='a'/></items>")
        send(online, Self.published("n", Word.item("a", "x")), from: "bo@example.org/phone")
        send(online, Self.published("n", Word.item("a", "x")), type: "error")
        send(online, Self.published("n", Word.item("a", "x")), type: "groupchat")
        send(online, "<odd node='n'/>")
        send(online, "")
        send(online, Self.published("n", Word.item("last", "x")), more: "<body>also a message</body>")
        #expect(try await events.next()?.itemIDs == ["last"])
        #expect(try await messages.next()?.body == "also a message")
        await online.end()
    }

    @Test("T143 in an account nobody but its owner publishes; in a service everybody does")
    func publisher() async throws {
        let online = try await OnlineSession()
        var events = online.session.nodeEvents().makeAsyncIterator()
        let items =
            "<item id='a' publisher='mal@example.net/x'><word xmlns='urn:example:word'>x</word></item>"
            + "<item id='b' publisher='bo@example.org/x'><word xmlns='urn:example:word'>y</word></item>"
        send(online, Self.published("n", items))
        send(online, Self.published("n", items), from: "pubsub.example.org")
        #expect(try await events.next()?.items(as: Word.self).map(\.id) == ["b"])
        #expect(try await events.next()?.items(as: Word.self).map(\.id) == ["a", "b"])
        await online.end()
    }

    @Test("T145 events that nobody takes become one for each node, and in the end one for all; nothing stops")
    func flood() async throws {
        let online = try await OnlineSession()
        let subscription = online.session.nodeEvents()
        for number in 0..<10_000 { send(online, Self.published("n", Word.item("\(number)", "x"))) }
        await online.settle()
        var count = 0
        var last: NodeEvent?
        send(online, Self.published("end", Word.item("a", "x")))
        for try await event in subscription {
            count += 1
            if event.node == "end" { break }
            last = event
        }
        #expect(count <= 258 && last?.change == .several && last?.node == "n")
        for number in 0..<10_000 { send(online, Self.published("n\(number)", Word.item("a", "x"))) }
        await online.settle()
        send(online, Self.published("end", Word.item("a", "x")))
        count = 0
        var isLost = false
        for try await event in subscription {
            count += 1
            if event.node == "end" { break }
            isLost = isLost || event.change == .lost
        }
        #expect(isLost && count <= 1100)
        await online.end()
    }

    @Test("B164 the own events of a login change nothing that was there, and nothing is sent")
    func ownEvents() async throws {
        let online = try await OnlineSession()
        var events = online.session.nodeEvents().makeAsyncIterator()
        send(
            online, Self.published("n", Word.item("a", "one")), from: "juliet@example.org",
            more: "<delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/>")
        send(online, Self.published("n", Word.item("a", "one")), from: "juliet@example.org")
        let first = try #require(try await events.next())
        let second = try #require(try await events.next())
        #expect(first.items(as: Word.self) == second.items(as: Word.self))
        #expect(first.delay != nil && second.delay == nil)
        await online.settle()
        await online.end()
    }

    @Test("interests are announced")
    func interests() async throws {
        let online = try await OnlineSession { $0.modules.append(PubSubModule(nodes: [Bookmark.node])) }
        #expect(online.session.features.contains("urn:xmpp:bookmarks:1+notify"))
        await online.end()
    }

    @Test("the stream of events ends with the session")
    func end() async throws {
        let online = try await OnlineSession()
        var events = online.session.nodeEvents().makeAsyncIterator()
        await online.end()
        do {
            #expect(try await events.next() == nil)
        } catch { #expect(error.code == .connectionLost) }
    }
}
