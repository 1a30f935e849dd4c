// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Testing
import XMPP

@testable import ChatKit

@Suite("AccountSessionStore+Roster")
struct AccountSessionStoreRosterTests {
    private func push(_ item: String, version: String? = nil, from: String? = nil) -> String {
        let sender = from.map { " from='\($0)'" } ?? ""
        let ver = version.map { " ver='\($0)'" } ?? ""
        return "<iq type='set' id='1'\(sender)><query xmlns='jabber:iq:roster'\(ver)>\(item)</query></iq>"
    }

    private func result(_ items: String, version: String = "v1") -> String {
        "<iq type='result' id='1'><query xmlns='jabber:iq:roster' ver='\(version)'>\(items)</query></iq>"
    }

    private func version(_ fixture: StoreFixture) async throws -> String? {
        try await fixture.store.read { try $0.value("SELECT roster_version FROM account", as: String?.self) ?? nil }
    }

    @Test("a push adds, changes and removes one contact; the conversation with it stays")
    func push() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive("<message from='bo@example.net/p' id='1'><body>hi</body></message>")
        try await fixture.receive(
            push(
                "<item jid='Bo@Example.net' name='Bo' subscription='to'><group>b</group><group>a</group></item>",
                version: "v1"))
        #expect(
            try await fixture.roster() == [
                RosterEntry(
                    jid: "bo@example.net", name: "Bo", subscription: .to, isAsked: false, isApproved: false,
                    groups: ["a", "b"])
            ])
        try await fixture.receive(push("<item jid='bo@example.net' subscription='both'/>", version: "v2"))
        #expect(try await fixture.roster().map(\.subscription) == [.both])
        #expect(try await fixture.roster().map(\.groups) == [[]])
        try await fixture.receive(push("<item jid='bo@example.net' subscription='remove'/>", version: "v3"))
        #expect(try await fixture.roster().isEmpty)
        #expect(try await version(fixture) == "v3")
        #expect(try await fixture.bodies() == ["hi"])
    }

    @Test(
        "B63 B64 T073 a push counts from nobody but the own account",
        arguments: [
            ("mal@example.net/x", false), ("example.org", false), ("ann@example.org/desk", false),
            ("ann@example.org", true),
        ])
    func senders(_ from: String, _ isAllowed: Bool) async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(push("<item jid='x@example.net' subscription='both'/>", version: "v9", from: from))
        #expect(try await fixture.roster().isEmpty == !isAllowed)
        #expect(try await version(fixture) == (isAllowed ? "v9" : nil))
    }

    @Test("B66 a push without a version keeps the one that is known")
    func pushWithoutVersion() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(result("", version: "v4"))
        try await fixture.receive(push("<item jid='bo@example.net'/>"))
        #expect(try await version(fixture) == "v4")
        #expect(try await fixture.roster().map(\.jid) == ["bo@example.net"])
    }

    @Test("B67 an item without a subscription has none, and may be asked")
    func noSubscription() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(push("<item ask='subscribe' name='Bo' jid='bo@example.org'/>"))
        #expect(try await fixture.roster().map(\.subscription) == [.none])
        #expect(try await fixture.roster().map(\.isAsked) == [true])
    }

    @Test("B68 removing somebody who is not there changes nothing")
    func removeUnknown() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(push("<item jid='gone@example.org' subscription='remove'/>"))
        #expect(try await fixture.roster().isEmpty)
        #expect(try await fixture.count("event") == 0)
    }

    @Test("a push with no item, two items, or one without a valid address changes nothing")
    func malformedPush() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            push(""), push("<item jid='a@example.net'/><item jid='b@example.net'/>"), push("<item jid='@'/>"),
            push("<item/>"), push("<item jid='' subscription='remove'/>"))
        #expect(try await fixture.roster().isEmpty)
    }

    @Test("B70 a new list replaces the old one in one step, telling only what is different")
    func replace() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            result("<item jid='a@x.example'/><item jid='b@x.example' name='B'/><item jid='c@x.example'/>"))
        let before = try await fixture.count("event")
        try await fixture.receive(result("<item jid='b@x.example' name='B'/><item jid='d@x.example'/>", version: "v2"))
        #expect(try await fixture.roster().map(\.jid) == ["b@x.example", "d@x.example"])
        // a and c gone, d new; b is as it was.
        #expect(try await fixture.count("event") == before + 3)
    }

    @Test("T074 a list with one address in several spellings has it once")
    func duplicates() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(result("<item jid='A@x.example'/><item jid='a@X.example' name='last'/>"))
        #expect(try await fixture.roster().map(\.name) == ["last"])
    }

    @Test("an empty result means that nothing changed since the version that was asked for")
    func unchanged() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(result("<item jid='a@x.example'/>"))
        try await fixture.receive("<iq type='result' id='2'/>")
        #expect(try await fixture.roster().map(\.jid) == ["a@x.example"])
    }

    // MARK: Requests

    private func subscribe(_ from: String, _ content: String = "") -> String {
        "<presence type='subscribe' from='\(from)'>\(content)</presence>"
    }

    private func policy(_ policy: SubscriptionPolicy, _ fixture: StoreFixture) async throws {
        let account = fixture.account
        try await fixture.store.write { try $0.set(policy, account: account) }
    }

    private func requests(_ fixture: StoreFixture) async throws -> [String] {
        try await fixture.store.read { try Queries.requests($0).map(\.jid.description) }
    }

    @Test("B81 a request waits once by bare address, however often it comes")
    func inbox() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            subscribe(
                "bo@example.net", "<status>please</status><nick xmlns='http://jabber.org/protocol/nick'>Bo</nick>"),
            subscribe("bo@example.net/p"), subscribe("BO@example.net"))
        #expect(try await requests(fixture) == ["bo@example.net"])
        #expect(try await fixture.count("event") == 1)
        #expect(fixture.followUps.withLock { $0 }.isEmpty)
        try await fixture.receive("<presence type='unsubscribe' from='bo@example.net'/>")
        #expect(try await requests(fixture).isEmpty)
    }

    @Test("a request is answered when the list says that the contact sees us")
    func answeredElsewhere() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(subscribe("bo@example.net"))
        try await fixture.receive(push("<item jid='bo@example.net' subscription='from'/>"))
        #expect(try await requests(fixture).isEmpty)
    }

    @Test("T080 the inbox holds a bounded number of requests")
    func inboxBound() async throws {
        let fixture = try await StoreFixture.make()
        let account = fixture.account
        try await fixture.store.write { transaction in
            for number in 0..<StoreTransaction.maximumRequests {
                _ = try transaction.addRequest(account: account, jid: "m\(number)@x.example", nick: nil, text: nil)
            }
        }
        try await fixture.receive(subscribe("one-more@x.example"))
        #expect(try await requests(fixture).count == StoreTransaction.maximumRequests)
    }

    @Test("policy acceptKnown accepts whom we asked or see, and nobody else")
    func acceptKnown() async throws {
        let fixture = try await StoreFixture.make()
        try await policy(.acceptKnown, fixture)
        try await fixture.contact("asked@x.example", .none, isAsked: true)
        try await fixture.contact("seen@x.example", .to)
        try await fixture.contact("listed@x.example", .none)
        try await fixture.receive(
            subscribe("asked@x.example"), subscribe("seen@x.example"), subscribe("listed@x.example"),
            subscribe("stranger@x.example"))
        #expect(
            fixture.followUps.withLock { $0 } == [
                .accept(try JID("asked@x.example"), addsBack: false),
                .accept(try JID("seen@x.example"), addsBack: false),
            ])
        #expect(try await requests(fixture) == ["listed@x.example", "stranger@x.example"])
    }

    @Test("T080 policy acceptAllAndAddBack takes ten in a minute; the rest waits in the inbox")
    func acceptAll() async throws {
        let fixture = try await StoreFixture.make()
        try await policy(.acceptAllAndAddBack, fixture)
        for number in 0..<12 { try await fixture.receive(subscribe("s\(number)@x.example")) }
        #expect(fixture.followUps.withLock { $0.count } == 10)
        #expect(fixture.followUps.withLock { $0.first } == .accept(try JID("s0@x.example"), addsBack: true))
        #expect(try await requests(fixture) == ["s10@x.example", "s11@x.example"])
        fixture.time.advance(60_000)
        try await fixture.receive(subscribe("s12@x.example"))
        #expect(fixture.followUps.withLock { $0.count } == 11)
    }

    @Test("policy rejectStrangers declines strangers, and asks about contacts")
    func rejectStrangers() async throws {
        let fixture = try await StoreFixture.make()
        try await policy(.rejectStrangers, fixture)
        try await fixture.contact("listed@x.example", .none)
        try await fixture.receive(subscribe("stranger@x.example"), subscribe("listed@x.example"))
        #expect(fixture.followUps.withLock { $0 } == [.decline(try JID("stranger@x.example"))])
        #expect(try await requests(fixture) == ["listed@x.example"])
    }

    @Test("B80 subscribed and unsubscribed are never answered")
    func neverAnswered() async throws {
        let fixture = try await StoreFixture.make()
        try await policy(.acceptAllAndAddBack, fixture)
        try await fixture.receive(
            "<presence type='subscribed' from='bo@example.net'/>",
            "<presence type='unsubscribed' from='bo@example.net'/>")
        #expect(fixture.followUps.withLock { $0 }.isEmpty)
    }

    // MARK: Presence

    private func availability(_ fixture: StoreFixture) throws -> ContactPresence.Availability {
        fixture.presence.presence(of: try JID("bo@example.net"), account: try JID("ann@example.org")).availability
    }

    @Test("B71 presence is kept through a resumption, also after a restart, and forgotten on another stream")
    func presenceAndStream() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.contact("bo@example.net", .both)
        let presence = "<presence from='bo@example.net/p'><show>away</show><status>tea</status></presence>"
        try await fixture.receive(presence)
        #expect(try availability(fixture) == .away)
        try await fixture.receive(state: SessionState(streamID: "s1", received: 2))
        #expect(try availability(fixture) == .away)

        let again = try await fixture.reopened()
        #expect(try availability(again) == .unknown)
        _ = try await again.session.load()
        #expect(try availability(again) == .away)
        try await again.receive(state: SessionState(streamID: "s2"))
        #expect(try availability(again) == .offline)
        #expect(try await again.count("presence") == 0)
    }

    @Test("the presence of strangers is not stored")
    func strangersPresence() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive("<presence from='mal@example.net/p'/>")
        #expect(try await fixture.count("presence") == 0)
    }
}
