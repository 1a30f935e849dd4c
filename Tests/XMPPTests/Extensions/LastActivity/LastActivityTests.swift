// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Last activity (XEP-0012)", .timeLimit(.minutes(1)))
struct LastActivityTests {
    @Test("is written and read")
    func roundTrips() throws {
        try roundTrip(LastActivity(age: .seconds(903), status: "Heading Home"))
        try roundTrip(LastActivity(age: .zero))
        #expect(LastActivity(age: .seconds(-5)).age == .zero)
    }

    @Test("T085 numbers that no clock shows are refused", arguments: ["-1", "", "x", "9223372036854775807", "1e9"])
    func refusal(_ seconds: String) throws {
        #expect(LastActivity(try received("<query xmlns='jabber:iq:last' seconds='\(seconds)'/>")) == nil)
    }

    @Test("is asked, and answered by a program that wants to")
    func exchange() async throws {
        let online = try await OnlineSession { $0.modules.append(LastActivityModule { .seconds(90) }) }
        let jid = try JID("bo@example.org")
        async let asked = online.session.lastActivity(of: jid)
        let get = await online.peer.expect("iq")
        online.peer.inject(
            "<iq type='result' from='bo@example.org' id='\(get?["id"] ?? "")'><query xmlns='jabber:iq:last' seconds='7'/></iq>"
        )
        #expect(try await asked == LastActivity(age: .seconds(7)))
        online.peer.inject("<iq type='get' id='q' from='bo@example.org/p'><query xmlns='jabber:iq:last'/></iq>")
        let answer = await online.peer.expect("iq")
        #expect(answer?.children.first?["seconds"] == "90")
        await online.end()
    }

    @Test("is refused by a program that does not want to tell")
    func silent() async throws {
        let online = try await OnlineSession { $0.modules.append(LastActivityModule { nil }) }
        online.peer.inject("<iq type='get' id='q' from='bo@example.org/p'><query xmlns='jabber:iq:last'/></iq>")
        #expect(await online.peer.expect("iq")?["type"] == "error")
        await online.end()
    }
}
