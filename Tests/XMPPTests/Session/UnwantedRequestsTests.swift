// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Requests that nobody else may make", .timeLimit(.minutes(1)))
struct UnwantedRequestsTests {
    static let mallory = "mallory@evil.example/x"

    @Test(
        "T075 somebody else's change of blocking, privacy lists or own events is refused and changes nothing",
        arguments: [
            "<block xmlns='urn:xmpp:blocking'><item jid='bo@example.org'/></block>",
            "<unblock xmlns='urn:xmpp:blocking'/>",
            "<query xmlns='jabber:iq:privacy'><list name='public'/></query>",
            "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'/></query>",
            "<pubsub xmlns='http://jabber.org/protocol/pubsub'><publish node='urn:xmpp:bookmarks:1'/></pubsub>",
        ])
    func foreignState(_ payload: String) async throws {
        let online = try await OnlineSession()
        online.peer.inject("<iq type='set' id='m1' from='\(Self.mallory)'>\(payload)</iq>")
        let answer = await online.peer.expect("iq")
        #expect(answer?["type"] == "error" && answer?["id"] == "m1" && answer?["to"] == Self.mallory)
        await online.settle()
        await online.end()
    }

    @Test("T075 an event that somebody else sends stays that person's, whatever node it names")
    func foreignEvent() async throws {
        let online = try await OnlineSession()
        var messages = online.session.messages().makeAsyncIterator()
        online.peer.inject(
            "<message from='\(Self.mallory)' type='headline'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
                + "<items node='urn:xmpp:bookmarks:1'><item id='room@conference.example.org'/></items></event></message>"
        )
        online.peer.inject("<message from='\(Self.mallory)'><body>after</body></message>")
        // Whether a module keeps it or it comes through: it is never the account's own.
        while let message = try await messages.next() {
            #expect(message.from?.bare == (try JID("mallory@evil.example")))
            if message.body == "after" { break }
            #expect(message.body == nil)
        }
        await online.end()
    }

    @Test(
        "T076 remote control is neither offered nor carried out",
        arguments: [
            "http://jabber.org/protocol/rc#get-unreads", "http://jabber.org/protocol/rc#forward", "leave-groupchats",
            "",
        ])
    func commands(_ node: String) async throws {
        let online = try await OnlineSession()
        var messages = online.session.messages().makeAsyncIterator()
        // Not even to another resource of one's own account.
        for from in [Self.mallory, "juliet@example.org/phone"] {
            online.peer.inject(
                "<iq type='set' id='c1' from='\(from)'><command xmlns='http://jabber.org/protocol/commands' "
                    + "node='\(node)' action='execute'/></iq>")
            let answer = await online.peer.expect("iq")
            #expect(answer?["type"] == "error" && answer?["id"] == "c1")
            let error = answer.map { StanzaError(inChildrenOf: StanzaContent(received: $0)) }
            #expect(error?.condition == .serviceUnavailable)
            online.peer.inject(
                "<iq type='get' id='c2' from='\(from)'><query xmlns='http://jabber.org/protocol/disco#items' "
                    + "node='http://jabber.org/protocol/commands'/></iq>")
            #expect(await online.peer.expect("iq")?["type"] == "error")
        }
        #expect(!online.session.features.contains { $0.hasPrefix("http://jabber.org/protocol/commands") })
        online.peer.inject("<message from='\(Self.mallory)'><body>still here</body></message>")
        #expect(try await messages.next()?.body == "still here")
        await online.end()
    }
}
