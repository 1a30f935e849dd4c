// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("What was displayed on other devices (XEP-0490)", .timeLimit(.minutes(1)))
struct DisplayedStateTests {
    static let node = "urn:xmpp:mds:displayed:0"

    static func item(_ id: String, by: String, _ stanza: String = "s1") -> String {
        "<item id='\(id)'><displayed xmlns='\(node)'><stanza-id xmlns='urn:xmpp:sid:0' id='\(stanza)' by='\(by)'/></displayed></item>"
    }

    @Test("states are read with the conversation they belong to; those that make no sense are left out")
    func fetch() async throws {
        let online = try await OnlineSession()
        async let fetched = online.session.fetchDisplayedStates()
        let two = "<stanza-id xmlns='urn:xmpp:sid:0' id='a' by='juliet@example.org'/>"
        await online.reply(
            "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='\(Self.node)'>"
                + Self.item("bo@example.org", by: "juliet@example.org")
                + Self.item("tearoom@rooms.example.org", by: "tearoom@rooms.example.org", "s2")
                + Self.item("tearoom@rooms.example.org/eli", by: "juliet@example.org", "s3")
                + Self.item("cy@example.org", by: "mal@example.net") + Self.item("@", by: "juliet@example.org")
                + "<item id='di@example.org'><displayed xmlns='\(Self.node)'>\(two)\(two)</displayed></item>"
                + "<item id='ed@example.org'><displayed xmlns='\(Self.node)'/></item></items></pubsub>")
        let states = try await fetched
        #expect(states.map(\.message.id) == ["s1", "s2", "s3"])
        #expect(states.last?.conversation.resource == "eli")
        async let none = online.session.fetchDisplayedStates()
        await online.refuse("item-not-found")
        #expect(try await none.isEmpty)
        await online.end()
    }

    @Test("a state is published so that nobody else sees it")
    func publish() async throws {
        let online = try await OnlineSession()
        let state = DisplayedState(
            conversation: try JID("bo@example.org"), message: StanzaID(id: "s1", by: try JID("juliet@example.org")))
        async let done: Void = online.session.setDisplayed(state)
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("whitelist")
        let item = try #require(await online.reply().children.first?.children.first)
        #expect(item["id"] == "bo@example.org")
        #expect(item.children.first?.children.first.flatMap { StanzaID($0) } == state.message)
        try await done
        async let refused = failure { try await online.session.setDisplayed(state) }
        await online.refuse("forbidden")
        #expect(await refused?.stanzaError?.condition == .forbidden)
        await online.end()
    }

    @Test("T121 events count only from one's own account")
    func events() async throws {
        let online = try await OnlineSession()
        let own = try JID("juliet@example.org/balcony")
        var events = online.session.nodeEvents().makeAsyncIterator()
        for from in ["from='bo@example.org'", "from='juliet@example.org'", ""] {
            online.peer.inject(
                "<message \(from) type='headline'><event xmlns='http://jabber.org/protocol/pubsub#event'><items node='\(Self.node)'>"
                    + Self.item("bo@example.org", by: "juliet@example.org") + "</items></event></message>")
        }
        #expect(try await events.next()?.displayedStates(for: own) == [])
        #expect(try await events.next()?.displayedStates(for: own).map(\.message.id) == ["s1"])
        #expect(try await events.next()?.displayedStates(for: own).count == 1)
        await online.end()
    }

    @Test("a marker takes the state along for a server that helps")
    func assist() throws {
        var message = Message(to: try JID("bo@example.org"))
        message.setDisplayedState(StanzaID(id: "s1", by: try JID("juliet@example.org")))
        #expect(try written(message).contains("urn:xmpp:mds:displayed:0"))
        message.setDisplayedState(nil)
        #expect(message.payloads.isEmpty)
    }
}
