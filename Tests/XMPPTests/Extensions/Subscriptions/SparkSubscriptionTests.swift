// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Subscriptions with Spark on the other side (RFC 6121 §3)", .timeLimit(.minutes(1)))
struct SparkSubscriptionTests {
    let own: JID
    let romeo: JID

    init() throws {
        own = try JID("juliet@example.org/balcony")
        romeo = try JID("romeo@example.org")
    }

    func presence(_ type: String) throws -> Presence {
        try receivedPresence("<presence from='romeo@example.org' to='juliet@example.org' id='x' type='\(type)'/>")
    }

    @Test("SP15 a request that is repeated at each login is one, and can be answered by asking back")
    func adding() throws {
        var inbox = SubscriptionInbox()
        #expect(inbox.received(try presence("subscribe"), own: own) == .added(SubscriptionRequest(from: romeo)))
        for _ in 0..<5 { #expect(inbox.received(try presence("subscribe"), own: own) == nil) }
        #expect(inbox.requests.count == 1)
        let back = try Presence.subscriptionRequest(to: romeo, own: own, known: nil)
        #expect(back.kind == .subscribe && back.to == romeo)
    }

    @Test("SP16 an unsubscribe while one's own request waits is a refusal, and the request can be taken back")
    func refusing() throws {
        let waiting = RosterItem(jid: romeo, isRequested: true)
        for type in ["unsubscribe", "unsubscribed"] {
            #expect(try presence(type).refusesRequest { $0 == romeo ? waiting : nil })
            #expect(try !presence(type).refusesRequest { _ in nil })
            #expect(try !presence(type).refusesRequest { _ in RosterItem(jid: romeo, subscription: .both) })
        }
        #expect(try !presence("subscribed").refusesRequest { _ in waiting })
        let withdrawal = Presence.subscriptionWithdrawal(from: romeo)
        #expect(withdrawal.kind == .unsubscribe && withdrawal.to == romeo)
    }

    @Test("SP17 when the other side removes us, the cascade is followed and nothing of it answered")
    func removing() async throws {
        let online = try await OnlineSession()
        var list = ContactList([RosterItem(jid: romeo, subscription: .both)])
        let steps = ["subscription='to'", "subscription='none'", "subscription='remove'"]
        for (number, step) in steps.enumerated() {
            if number < 2 {
                online.peer.inject(
                    "<presence from='romeo@example.org' type='\(number == 0 ? "unsubscribe" : "unsubscribed")'/>")
            }
            let push = "<query xmlns='jabber:iq:roster'><item jid='romeo@example.org' \(step)/></query>"
            online.peer.inject("<iq type='set' id='p\(number)'>\(push)</iq>")
            let answer = await online.peer.expect("iq")
            #expect(answer?["type"] == "result" && answer?["id"] == "p\(number)")
            let change = try #require(try receivedIQ("<iq type='set' id='1'>\(push)</iq>").rosterPush(for: own))
            #expect(list.apply(change).isEmpty == false)
        }
        #expect(list.count == 0)
        await online.settle()
        #expect(!online.peer.writtenText.contains("<presence"))
        await online.end()
    }
}
