// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Contacts who moved (XEP-0283)", .timeLimit(.minutes(1)))
struct MoveClaimTests {
    let old: JID
    let new: JID

    init() throws {
        old = try JID("bo@example.org")
        new = try JID("bo@example.net")
    }

    func request(_ moved: String, from: String = "bo@example.net", type: String = "subscribe") throws -> Presence {
        try receivedPresence(
            "<presence from='\(from)' type='\(type)'><moved xmlns='urn:xmpp:moved:1'>\(moved)</moved></presence>")
    }

    func roster(_ state: RosterItem.SubscriptionState) -> (JID) -> RosterItem? {
        { $0 == old ? RosterItem(jid: old, subscription: state) : nil }
    }

    @Test("elements are written and read")
    func roundTrips() throws {
        try roundTrip(MovedStatement(newAddress: new))
        try roundTrip(MovedNotice(oldAddress: old))
        #expect(MovedStatement(try received("<moved xmlns='urn:xmpp:moved:1'><new-jid>@</new-jid></moved>")) == nil)
        let written = Presence.movedRequest(to: try JID("ann@example.org/x"), from: old)
        #expect(written.kind == .subscribe && written.to?.description == "ann@example.org")
        #expect(written.payloads.first.flatMap { MovedNotice($0) }?.oldAddress == old)
    }

    @Test("T087 a claim counts only for a contact who sees one's presence, and says which it is")
    func claims() throws {
        let notice = "<old-jid>bo@example.org</old-jid>"
        #expect(try request(notice).moveClaim(known: roster(.both))?.oldAddress == old)
        #expect(try request(notice).moveClaim(known: roster(.from))?.newAddress == new)
        #expect(try request(notice).moveClaim(known: roster(.to)) == nil)
        #expect(try request(notice).moveClaim(known: roster(.none)) == nil)
        #expect(try request(notice).moveClaim { _ in nil } == nil)
        #expect(try request("<old-jid>bo@example.org/x</old-jid>").moveClaim(known: roster(.both)) == nil)
        #expect(try request(notice + notice).moveClaim(known: roster(.both)) == nil)
        #expect(try request("bo@example.org").moveClaim(known: roster(.both)) == nil)
        #expect(try request(notice, from: "bo@example.org").moveClaim(known: roster(.both)) == nil)
        #expect(try request(notice, type: "subscribed").moveClaim(known: roster(.both)) == nil)
    }

    @Test("T087 with or without a claim it is a request that waits for the user")
    func plainRequest() throws {
        var inbox = SubscriptionInbox()
        let presence = try request("<old-jid>bo@example.org</old-jid>")
        #expect(
            inbox.received(presence, own: try JID("ann@example.org")) == .added(SubscriptionRequest(from: new)))
    }

    func outcome(_ online: OnlineSession, _ statement: String) async throws -> Bool {
        let claim = try #require(
            try request("<old-jid>bo@example.org</old-jid>").moveClaim(known: roster(.both)))
        async let verifying = online.session.verify(claim)
        let get = await online.answer(
            """
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:moved:1'><item id='current'>\
            \(statement)</item></items></pubsub>
            """)
        #expect(get?["to"] == "bo@example.org" && get?.xml.contains("urn:xmpp:moved:1") == true)
        return try await verifying
    }

    @Test("T087 the old account's own word decides: another address, none, or an error prove nothing")
    func verified() async throws {
        let online = try await OnlineSession()
        func statement(_ jid: String) -> String {
            "<moved xmlns='urn:xmpp:moved:1'><new-jid>\(jid)</new-jid></moved>"
        }
        #expect(try await outcome(online, statement("bo@example.net")))
        #expect(try await !outcome(online, statement("mal@example.net")))
        #expect(try await !outcome(online, statement("bo@example.com")))
        #expect(try await !outcome(online, statement("bo@example.net/x")))
        #expect(try await !outcome(online, ""))
        #expect(try await !outcome(online, "<moved xmlns='urn:xmpp:moved:0'/>"))
        let claim = try #require(
            try request("<old-jid>bo@example.org</old-jid>").moveClaim(known: roster(.both)))
        for condition in ["item-not-found", "forbidden", "gone", "service-unavailable"] {
            async let verifying = online.session.verify(claim)
            await online.refuse(condition)
            #expect(try await !verifying)
        }
        await online.end()
    }

    @Test("a server that says where the account has gone to counts as its word", arguments: ["net", "com"])
    func gone(_ domain: String) async throws {
        let online = try await OnlineSession()
        let claim = try #require(
            try request("<old-jid>bo@example.org</old-jid>").moveClaim(known: roster(.both)))
        async let verifying = online.session.verify(claim)
        let get = await online.peer.expect("iq")
        online.peer.inject(
            """
            <iq type='error' id='\(get?["id"] ?? "")' from='bo@example.org'><error type='cancel'>\
            <gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>xmpp:bo@example.\(domain)</gone></error></iq>
            """)
        #expect(try await verifying == (domain == "net"))
        await online.end()
    }

    @Test("a move is announced to contacts, and never to the same account")
    func announced() async throws {
        let online = try await OnlineSession()
        let same = try JID("juliet@example.org/x")
        #expect(await failureCode { try await online.session.announceMove(to: same) } == .yourself)
        async let announcing: Void = online.session.announceMove(to: new)
        let xml = await online.answer()?.xml ?? ""
        #expect(xml.contains("<new-jid>bo@example.net</new-jid>") && xml.contains("<value>presence</value>"))
        try await announcing
        await online.end()
    }
}
