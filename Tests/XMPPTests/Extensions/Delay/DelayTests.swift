// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Delays (XEP-0203, XEP-0091)")
struct DelayTests {
    static let precise = "<delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07.25Z'/>"
    static let legacy = "<x xmlns='jabber:x:delay' stamp='20310304T05:06:07'/>"

    @Test("are written and read")
    func roundTrips() throws {
        let stamp = try #require(DateTime("2031-03-04T05:06:07.25Z"))
        try roundTrip(Delay(stamp: stamp))
        try roundTrip(Delay(stamp: stamp, from: try JID("example.org"), reason: "Offline Storage"))
    }

    @Test("B102 the precise stamp wins in both orders", arguments: [precise + legacy, legacy + precise])
    func preciseWins(_ xml: String) throws {
        let message = try receivedMessage("<message><body>hi</body>\(xml)</message>")
        #expect(message.delay?.stamp.description == "2031-03-04T05:06:07.25Z")
        #expect(message.delays.count == 1)
        let presence = try receivedPresence("<presence>\(xml)</presence>")
        #expect(presence.delay?.stamp.description == "2031-03-04T05:06:07.25Z")
    }

    @Test("B102 the legacy stamp counts where it stands alone")
    func legacyAlone() throws {
        let message = try receivedMessage("<message>\(Self.legacy)</message>")
        #expect(message.delay?.stamp.description == "2031-03-04T05:06:07Z")
    }

    @Test(
        "B103 every form of the legacy stamp is UTC",
        arguments: [
            ("20310304T05:06:07", "2031-03-04T05:06:07Z"), ("20310304T05:06:07.012345", "2031-03-04T05:06:07.012345Z"),
            ("20310304T05:06:07Z", "2031-03-04T05:06:07Z"),
        ])
    func legacyForms(_ stamp: String, _ moment: String) throws {
        let message = try receivedMessage("<message><x xmlns='jabber:x:delay' stamp='\(stamp)'/></message>")
        #expect(message.delay?.stamp.description == moment)
    }

    @Test(
        "B104 every form of the precise stamp is read",
        arguments: [
            ("2031-03-04T05:06:07.5Z", "2031-03-04T05:06:07.5Z"),
            ("2031-03-04T05:06:07.123456Z", "2031-03-04T05:06:07.123456Z"),
            ("2031-03-04T05:06:07.25+00:00", "2031-03-04T05:06:07.25Z"),
            ("2031-03-04T05:06:07+05:30", "2031-03-03T23:36:07Z"),
            ("2031-03-04T05:06:07", "2031-03-04T05:06:07Z"),
        ])
    func preciseForms(_ stamp: String, _ moment: String) throws {
        let message = try receivedMessage("<message><delay xmlns='urn:xmpp:delay' stamp='\(stamp)'/></message>")
        #expect(message.delay?.stamp.description == moment)
    }

    @Test("a stamp that is none leaves the message alone", arguments: ["", "yesterday", "2031-13-04T05:06:07Z"])
    func brokenStamp(_ stamp: String) throws {
        let message = try receivedMessage(
            "<message><body>hi</body><delay xmlns='urn:xmpp:delay' stamp='\(stamp)'/></message>")
        #expect(message.delay == nil)
        #expect(message.body == "hi")
    }

    @Test("B106 of two delays the one of the room can be asked for")
    func byWhom() throws {
        let message = try receivedMessage(
            """
            <message><delay xmlns='urn:xmpp:delay' stamp='2031-03-04T08:10:02.5Z'/>
            <delay xmlns='urn:xmpp:delay' stamp='2031-03-04T08:11:13.25Z' from='tearoom@rooms.example.org'/></message>
            """)
        let room = try JID("tearoom@rooms.example.org")
        #expect(message.delay(from: room)?.stamp.description == "2031-03-04T08:11:13.25Z")
        #expect(message.delay(from: try JID("example.org")) == nil)
        #expect(message.delays.count == 2)
    }
}
