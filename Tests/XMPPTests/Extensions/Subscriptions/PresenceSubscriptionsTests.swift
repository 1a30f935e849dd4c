// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Subscriptions (RFC 6121 §3)")
struct PresenceSubscriptionsTests {
    func own() throws -> JID { try JID("ann@example.org/pc") }
    func bo() throws -> JID { try JID("bo@example.org/p") }

    func code(_ text: String, _ known: RosterItem? = nil) throws -> XMPPError.Code? {
        let own = try own()
        do throws(XMPPError) {
            _ = try Presence.subscriptionRequest(to: text, own: own, known: { known?.jid == $0 ? known : nil })
            return nil
        } catch { return error.code }
    }

    @Test("a request goes to the bare address")
    func request() throws {
        let request = try Presence.subscriptionRequest(to: try bo(), own: try own(), known: nil)
        #expect(try written(request) == "<presence to=\"bo@example.org\" type=\"subscribe\"></presence>")
        #expect(try code(" bo@example.org ") == nil)
    }

    @Test("oneself, a contact, one that was asked, and no address are refused, each with its own error")
    func refusals() throws {
        let bo = try bo().bare
        #expect(try code("ann@example.org") == .yourself)
        #expect(try code("Ann@EXAMPLE.org/other") == .yourself)
        #expect(try code("bo@example.org", RosterItem(jid: bo, subscription: .to)) == .alreadySubscribed)
        #expect(try code("bo@example.org", RosterItem(jid: bo, subscription: .both)) == .alreadySubscribed)
        #expect(try code("bo@example.org", RosterItem(jid: bo, isRequested: true)) == .alreadyRequested)
        #expect(try code("bo@example.org", RosterItem(jid: bo, subscription: .from)) == nil)
        for text in ["", "  ", "bo@", "@example.org", "bo smith@example.org", "bo@exa mple.org"] {
            #expect(try code(text) == .invalidAddress, "\(text)")
        }
    }

    @Test("each step is a presence of its type to the bare address")
    func steps() throws {
        let bo = try bo()
        let steps: [(Presence, Presence.Kind)] = [
            (.subscriptionAcceptance(of: bo), .subscribed), (.subscriptionRefusal(of: bo), .unsubscribed),
            (.subscriptionWithdrawal(from: bo), .unsubscribe), (.subscriptionCancellation(of: bo), .unsubscribed),
            (.subscriptionApproval(of: bo), .subscribed),
        ]
        for (presence, kind) in steps {
            #expect(presence.kind == kind)
            #expect(presence.to == bo.bare)
        }
    }
}

@Suite("The inbox of requests")
struct SubscriptionInboxTests {
    func request(_ from: String, _ content: String = "") throws -> Presence {
        try receivedPresence("<presence type='subscribe' from='\(from)' to='ann@example.org'>\(content)</presence>")
    }

    @Test("B81 OF26 an address asks once, however often and from wherever it does")
    func once() throws {
        let own = try JID("ann@example.org")
        var inbox = SubscriptionInbox()
        let nick = "<nick xmlns='http://jabber.org/protocol/nick'>Bo</nick><status>Let me in</status>"
        let bo = SubscriptionRequest(from: try JID("bo@example.org"), nickname: "Bo", text: "Let me in")
        #expect(inbox.received(try request("bo@example.org", nick), own: own) == .added(bo))
        #expect(inbox.received(try request("bo@example.org"), own: own) == nil)
        #expect(inbox.received(try request("bo@example.org/p"), own: own) == nil)
        #expect(inbox.received(try request("cy@example.org/p"), own: own) != nil)
        #expect(inbox.requests.map(\.from.description) == ["bo@example.org", "cy@example.org"])

        var restored = SubscriptionInbox(inbox.requests)
        #expect(restored.received(try request("bo@example.org"), own: own) == nil)
        #expect(restored.answered(try JID("bo@example.org/x")) == bo)
        #expect(restored.answered(try JID("bo@example.org")) == nil)
    }

    @Test("a request that is taken back goes, and so does one of oneself or of nobody")
    func withdrawn() throws {
        let own = try JID("ann@example.org/pc")
        var inbox = SubscriptionInbox()
        _ = inbox.received(try request("bo@example.org"), own: own)
        let back = try receivedPresence("<presence type='unsubscribe' from='bo@example.org'/>")
        #expect(inbox.received(back, own: own) == .withdrawn(try JID("bo@example.org")))
        #expect(inbox.received(back, own: own) == nil)
        #expect(inbox.received(try request("ann@example.org/x"), own: own) == nil)
        #expect(inbox.received(try receivedPresence("<presence type='subscribe'/>"), own: own) == nil)
        #expect(inbox.received(try receivedPresence("<presence from='bo@example.org'/>"), own: own) == nil)
        #expect(inbox.requests.isEmpty)
    }

    @Test("the inbox is bounded")
    func bounded() throws {
        let own = try JID("ann@example.org")
        var inbox = SubscriptionInbox()
        for number in 0...SubscriptionInbox.capacity {
            _ = inbox.received(try request("u\(number)@example.net"), own: own)
        }
        #expect(inbox.requests.count == SubscriptionInbox.capacity)
    }
}
