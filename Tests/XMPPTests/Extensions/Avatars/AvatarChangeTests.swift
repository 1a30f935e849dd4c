// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Changes of avatars and cards (XEP-0084 §3.3, XEP-0292 §4.2)", .timeLimit(.minutes(1)))
struct AvatarChangeTests {
    let hash = PictureHash(of: [1])
    let own: JID

    init() throws { own = try JID("juliet@example.org/balcony") }

    func event(_ from: String?, node: String = "urn:xmpp:avatar:metadata", type: String = "headline") -> String {
        let from = from.map { "from='\($0)'" } ?? ""
        return """
            <message \(from) to='juliet@example.org/balcony' type='\(type)'>\
            <event xmlns='http://jabber.org/protocol/pubsub#event'><items node='\(node)'><item id='\(hash)'>\
            <metadata xmlns='urn:xmpp:avatar:metadata'><info bytes='9' id='\(hash)' type='image/png'/></metadata></item>\
            </items></event></message>
            """
    }

    /// Whose avatar changed, by the events that a session gets from these messages.
    func changes(_ messages: [String]) async throws -> [AvatarChange] {
        let online = try await OnlineSession()
        let events = online.session.nodeEvents()
        for message in messages + [event("last@example.org")] { online.peer.inject(message) }
        var changes: [AvatarChange] = []
        for try await event in events {
            if event.service?.local == "last" { break }
            if let change = event.avatarChange(own: own) { changes.append(change) }
        }
        await online.end()
        return changes
    }

    @Test("B163 a change belongs to its sender, and without one to the own account")
    func senders() async throws {
        let found = try await changes([
            event("bo@example.org"), event(nil), event("ann@example.org", type: "normal"),
            "<message from='eve@example.org'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
                + "<items node='urn:xmpp:avatar:metadata'><item id='x'><metadata xmlns='urn:xmpp:avatar:metadata'/></item>"
                + "</items></event></message>",
        ])
        #expect(
            found.map(\.jid.description) == [
                "bo@example.org", "juliet@example.org", "ann@example.org", "eve@example.org",
            ])
        #expect(found.first?.preferred?.hash == hash && found.last?.forms == [])
    }

    @Test("an avatar that is switched off is told of by an item without a name (§3.5)")
    func switchedOff() async throws {
        let off = """
            <message from='bo@example.org' type='headline'><event xmlns='http://jabber.org/protocol/pubsub#event'>\
            <items node='urn:xmpp:avatar:metadata'><item><metadata xmlns='urn:xmpp:avatar:metadata'/></item></items>\
            </event></message>
            """
        let found = try await changes([off])
        #expect(found == [AvatarChange(jid: try JID("bo@example.org"), forms: [])])
    }

    @Test("T143 nobody but the account itself tells of its avatar, and no other node does")
    func forged() async throws {
        let found = try await changes([
            event("bo@example.org/phone"), event("example.org"), event("bo@example.org", type: "error"),
            event("tea@rooms.example.org/bo", type: "groupchat"), event("bo@example.org", node: "urn:xmpp:avatar:data"),
        ])
        #expect(found.isEmpty)
    }

    @Test("OF41 a change of the newer card is told by the account itself, with or without content")
    func cards() async throws {
        let online = try await OnlineSession()
        let events = online.session.nodeEvents()
        for from in ["romeo@example.org", "mal@example.org/x", "example.org", "last@example.org"] {
            online.peer.inject(
                "<message from='\(from)'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
                    + "<items node='urn:xmpp:vcard4'><item id='1'/></items></event></message>")
        }
        var found: [String] = []
        for try await event in events {
            if event.service?.local == "last" { break }
            if let jid = event.vCardChange(own: own) { found.append(jid.description) }
        }
        await online.end()
        #expect(found == ["romeo@example.org"])
        #expect(VCardModule().features == ["vcard-temp"])
        #expect(VCardModule(notifies: true).features.contains("urn:xmpp:vcard4+notify"))
        #expect(AvatarsModule().features == ["urn:xmpp:avatar:metadata+notify"])
    }

    @Test("the avatar of an account can be asked for, and none is an answer")
    func asked() async throws {
        let online = try await OnlineSession()
        let bo = try JID("bo@example.org/x")
        async let some = online.session.fetchAvatarChange(of: bo)
        let get = await online.answer(
            """
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:avatar:metadata'><item id='\(hash)'>\
            <metadata xmlns='urn:xmpp:avatar:metadata'><info bytes='9' id='\(hash)' type='image/png'/></metadata></item>\
            </items></pubsub>
            """)
        #expect(get?["to"] == "bo@example.org")
        #expect(try await some?.preferred?.hash == hash)
        async let none = online.session.fetchAvatarChange(of: bo)
        await online.refuse("item-not-found")
        #expect(try await none == AvatarChange(jid: bo, forms: []))
        await online.end()
    }
}
