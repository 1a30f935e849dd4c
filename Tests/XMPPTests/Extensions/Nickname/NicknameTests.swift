// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Nicknames (XEP-0172)")
struct NicknameTests {
    @Test("are written and read")
    func roundTrips() throws { try roundTrip(try #require(Nickname("Bo"))) }

    @Test("an empty one is none")
    func empty() throws {
        #expect(Nickname("  ") == nil)
        #expect(
            try receivedPresence("<presence><nick xmlns='http://jabber.org/protocol/nick'> </nick></presence>").nickname
                == nil)
    }

    @Test("B72 a nickname in a request tells the other side, and names no contact")
    func inRequest() throws {
        let own = try JID("ann@example.org")
        let request = try Presence.subscriptionRequest(
            to: try JID("bo@example.org"), own: own, known: nil, nickname: "Ann")
        #expect(request.nickname == "Ann")
        let asked = try receivedPresence(
            "<presence from='bo@example.org' type='subscribe'><nick xmlns='http://jabber.org/protocol/nick'>Bo</nick></presence>"
        )
        #expect(asked.subscriptionRequest?.nickname == "Bo")
        let push = try receivedIQ(
            "<iq type='set' id='p1'><query xmlns='jabber:iq:roster'><item jid='bo@example.org' ask='subscribe'/></query></iq>"
        )
        guard case .set(let item) = push.rosterPush(for: own)?.change else {
            Issue.record("no push")
            return
        }
        #expect(item.name == nil)
    }
}
