// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Service discovery (XEP-0030)")
struct DiscoInfoTests {
    @Test("is written and read")
    func roundTrips() throws {
        let identity = DiscoIdentity(category: "client", type: "pc", name: "Apus", language: "en")
        try roundTrip(identity)
        try roundTrip(DiscoItem(jid: try JID("conference.example.org"), node: "n", name: "Rooms"))
        try roundTrip(
            DiscoInfo(node: "n", identities: [identity], features: ["b", "a"], forms: [DataForm(.result, title: "T")]))
    }

    @Test("identities and features that say nothing are left out")
    func lenient() throws {
        let info = try #require(
            DiscoInfo(
                try received(
                    """
                    <query xmlns='http://jabber.org/protocol/disco#info'><identity category='server' type='im'/>
                    <identity category='server'/><identity type='im'/><feature var='a'/><feature var='a'/><feature/>
                    <feature xmlns='urn:example:other' var='b'/></query>
                    """)))
        #expect(info.isKind("server", "im") && info.isKind("server") && !info.isKind("client"))
        #expect(info.identities.count == 1)
        #expect(info.features == ["a"] && info.supports("a") && !info.supports("b"))
    }

    @Test("another name and an item without address are refused")
    func refusal() throws {
        #expect(DiscoInfo(try received("<query xmlns='http://jabber.org/protocol/disco#items'/>")) == nil)
        #expect(DiscoItem(try received("<item xmlns='http://jabber.org/protocol/disco#items'/>")) == nil)
        #expect(DiscoItem(try received("<item xmlns='http://jabber.org/protocol/disco#items' jid='@'/>")) == nil)
    }
}
