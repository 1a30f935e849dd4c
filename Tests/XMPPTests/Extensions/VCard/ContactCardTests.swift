// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Cards about contacts (XEP-0292 §6)", .timeLimit(.minutes(1)))
struct ContactCardTests {
    static let sam = """
        <item id='sam@example.net'><vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Samantha</text></fn>\
        <kind><text>individual</text></kind></vcard></item>
        """

    static func items(_ items: String) -> String {
        "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:contacts'>\(items)</items></pubsub>"
    }

    @Test("are read by the contact's address; items that name nobody or hold no card are left out")
    func fetch() async throws {
        let online = try await OnlineSession()
        async let fetching = online.session.fetchContactCards()
        let card = "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'/>"
        await online.reply(
            Self.items(
                Self.sam + "<item id='@'>\(card)</item><item id='a@b.example/x'>\(card)</item>"
                    + "<item id='bo@example.net'><vCard xmlns='vcard-temp'/></item>"))
        let cards = try await fetching
        #expect(cards.map(\.jid.description) == ["sam@example.net"] && cards.first?.card.fullName == "Samantha")
        async let none = online.session.fetchContactCards()
        await online.refuse("item-not-found")
        #expect(try await none.isEmpty)
        await online.end()
    }

    @Test("T142 are stored in a node that is closed to others first, with all that they said before")
    func update() async throws {
        let online = try await OnlineSession()
        let sam = try JID("sam@example.net/desk")
        async let updating = online.session.updateContactCard(of: sam) { $0.note = "likes tea" }
        let asked = await online.reply(Self.items(Self.sam))
        #expect(asked.children.first?.children.first?["id"] == "sam@example.net")
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("whitelist")
        let xml = await online.reply().xml
        #expect(xml.contains("node='urn:xmpp:contacts'") && xml.contains("id='sam@example.net'"))
        #expect(xml.contains("likes tea") && xml.contains("individual") && xml.contains("<value>whitelist</value>"))
        #expect(try await updating.card.fullName == "Samantha")
        async let open = failureCode { try await online.session.updateContactCard(of: sam) { $0.note = "x" } }
        await online.reply(Self.items(Self.sam))
        await online.refuse("not-allowed")
        #expect(await open == .requestFailed)
        async let removing: Void = online.session.removeContactCard(of: sam)
        #expect(await online.refuse("item-not-found")?.xml.contains("retract") == true)
        try await removing
        await online.end()
    }

    @Test("T142 only one's own account tells of them")
    func events() async throws {
        let online = try await OnlineSession()
        let own = try JID("juliet@example.org/balcony")
        var events = online.session.nodeEvents().makeAsyncIterator()
        for from in ["juliet@example.org", "eve@example.org"] {
            online.peer.inject(
                "<message from='\(from)' type='headline'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
                    + "<items node='urn:xmpp:contacts'>\(Self.sam)</items></event></message>")
        }
        #expect(try await events.next()?.contactCards(for: own).map(\.card.fullName) == ["Samantha"])
        #expect(try await events.next()?.contactCards(for: own).isEmpty == true)
        await online.end()
    }
}
