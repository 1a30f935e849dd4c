// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("Subscriptions of a session", .timeLimit(.minutes(1)))
struct XMPPSessionSubscriptionsTests {
    @Test("OF25 B80 ask, be granted, and never acknowledge the grant")
    func granted() async throws {
        let pushes = Locked([RosterPush]())
        let online = try await OnlineSession {
            $0.modules = [PingModule(), RosterModule { push in pushes.withLock { $0.append(push) } }]
        }
        let presences = online.session.presences()
        let romeo = try JID("romeo@example.org/orchard")
        try await online.session.requestSubscription(to: romeo, known: nil)
        let request = await online.peer.expect("presence")
        #expect(request?["type"] == "subscribe" && request?["to"] == "romeo@example.org")
        func push(_ id: String, _ state: String) -> String {
            "<iq type=\"set\" id=\"\(id)\" to=\"juliet@example.org/balcony\"><query xmlns=\"jabber:iq:roster\" ver=\"1\">"
                + "<item jid=\"romeo@example.org\" \(state)/></query></iq>"
        }
        online.peer.inject(push("1", "ask=\"subscribe\" subscription=\"none\""))
        #expect(await online.peer.expect("iq")?["id"] == "1")
        online.peer.inject(
            push("2", "subscription=\"to\"")
                + "<presence type=\"subscribed\" from=\"romeo@example.org\" to=\"juliet@example.org\"/>"
                + "<presence from=\"romeo@example.org/orchard\" to=\"juliet@example.org/balcony\"><show>chat</show></presence>"
        )
        #expect(await online.peer.expect("iq")?["id"] == "2")
        var iterator = presences.makeAsyncIterator()
        var tracker = PresenceTracker()
        #expect(try await iterator.next()?.kind == .subscribed)
        if let available = try await iterator.next() { tracker.received(available) }
        #expect(tracker.best(of: romeo)?.show == .chat)
        await online.settle()
        #expect(
            pushes.withLock { $0.map(\.change) } == [
                .set(RosterItem(jid: romeo.bare, isRequested: true)),
                .set(RosterItem(jid: romeo.bare, subscription: .to)),
            ])
        await online.end()
    }

    @Test("OF26 stored requests come with every first presence, and are one request")
    func repeated() async throws {
        let online = try await OnlineSession()
        let presences = online.session.presences()
        let request = "<presence type=\"subscribe\" from=\"p@example.org\" to=\"juliet@example.org\"/>"
        online.peer.inject(request + "<presence from='q@example.org/x'/>" + request)
        await online.settle()
        var inbox = SubscriptionInbox()
        var iterator = presences.makeAsyncIterator()
        var added = 0
        for _ in 0..<3 {
            guard let presence = try await iterator.next() else { break }
            if inbox.received(presence, own: try JID("juliet@example.org")) != nil { added += 1 }
        }
        #expect(added == 1)
        #expect(online.peer.writtenText.contains("subscribed") == false)
        try await online.session.acceptSubscription(of: try JID("p@example.org"))
        #expect(await online.peer.expect("presence")?["type"] == "subscribed")
        await online.end()
    }

    @Test("the other steps go out as they are called")
    func steps() async throws {
        let online = try await OnlineSession()
        let jid = try JID("p@example.org/x")
        try await online.session.declineSubscription(of: jid)
        #expect(await online.peer.expect("presence")?["type"] == "unsubscribed")
        try await online.session.withdrawSubscription(from: jid)
        #expect(await online.peer.expect("presence")?["type"] == "unsubscribe")
        try await online.session.cancelSubscription(of: jid)
        let last = await online.peer.expect("presence")
        #expect(last?["type"] == "unsubscribed" && last?["to"] == "p@example.org")
        await online.end()
    }

    @Test("nobody is approved beforehand on a server that does not know it", arguments: [true, false])
    func approval(_ isOffered: Bool) async throws {
        let online = try await OnlineSession(features: isOffered ? "<sub xmlns='urn:xmpp:features:pre-approval'/>" : "")
        do {
            try await online.session.approveSubscription(of: try JID("p@example.org"))
            #expect(isOffered)
            #expect(await online.peer.expect("presence")?["type"] == "subscribed")
        } catch { #expect((error as? XMPPError)?.code == .notSupported && !isOffered) }
        await online.end()
    }

    @Test("oneself is not asked")
    func yourself() async throws {
        let online = try await OnlineSession()
        do {
            try await online.session.requestSubscription(to: try JID("juliet@example.org/other"), known: nil)
            Issue.record("the own address was asked")
        } catch { #expect((error as? XMPPError)?.code == .yourself) }
        await online.settle()
        await online.end()
    }
}
