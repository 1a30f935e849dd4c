// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Roster items (RFC 6121 §2.1.2)")
struct RosterItemTests {
    func item(_ xml: String) throws -> RosterItem? { RosterItem(try received(xml)) }

    @Test("are written with address, name and groups, and read again")
    func roundTrips() throws {
        let jid = try JID("romeo@example.org")
        try roundTrip(RosterItem(jid: jid))
        try roundTrip(RosterItem(jid: jid, name: "Romeo & co", groups: ["Friends", "Montague"]))
    }

    @Test("an item is never sent with a state, an empty name or an empty group")
    func sent() throws {
        let item = RosterItem(
            jid: try JID("romeo@example.org"), name: "", groups: ["", "A", "A"], subscription: .both, isRequested: true,
            isApproved: true)
        #expect(item.element.xml == "<item xmlns='jabber:iq:roster' jid='romeo@example.org'><group>A</group></item>")
    }

    @Test("everything that a server says is read")
    func full() throws {
        let item = try #require(
            try item(
                """
                <item xmlns='jabber:iq:roster' jid='Romeo@Example.org' name='Romeo' subscription='from' ask='subscribe' \
                approved='true'><group>Friends</group><group/><group>Friends</group></item>
                """))
        #expect(item.jid.description == "romeo@example.org")
        #expect(item.name == "Romeo" && item.groups == ["Friends"])
        #expect(item.subscription == .from && item.isRequested && item.isApproved)
        #expect(item.seesPresence && !item.showsPresence)
    }

    @Test("B67 an item without subscription has none, and may be requested")
    func missingSubscription() throws {
        let item = try item("<item xmlns='jabber:iq:roster' ask='subscribe' name='Bo' jid='bo@example.org'/>")
        #expect(item?.subscription == RosterItem.SubscriptionState.none)
        #expect(item?.isRequested == true)
        #expect(item?.name == "Bo")
    }

    @Test("OF23 ask=unsubscribe is no request, and an absent name is none")
    func otherAsk() throws {
        let item = try item("<item xmlns='jabber:iq:roster' jid='bo@example.org' ask='unsubscribe' subscription='to'/>")
        #expect(item?.isRequested == false)
        #expect(item?.name == nil)
        #expect(item?.subscription == .to)
    }

    @Test("an unknown subscription reads as none")
    func unknownSubscription() throws {
        let item = try item("<item xmlns='jabber:iq:roster' jid='bo@example.org' subscription='maybe'/>")
        #expect(item?.subscription == RosterItem.SubscriptionState.none)
    }

    @Test(
        "an item without a valid address is none",
        arguments: [
            "<item xmlns='jabber:iq:roster'/>", "<item xmlns='jabber:iq:roster' jid=''/>",
            "<item xmlns='jabber:iq:roster' jid='@example.org'/>",
            "<item xmlns='jabber:iq:roster' jid='bo@example.org' subscription='remove'/>",
        ])
    func refusal(_ xml: String) throws { #expect(try item(xml) == nil) }
}
