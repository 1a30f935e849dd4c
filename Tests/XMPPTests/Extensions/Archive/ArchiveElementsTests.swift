// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Elements of archives")
struct ArchiveElementsTests {
    @Test("are written and read")
    func roundTrips() throws {
        let stamp = try #require(DateTime("2031-03-04T05:06:07.5Z"))
        let edge = ArchiveMetadata.Edge(id: "a", stamp: stamp)
        try roundTrip(ArchiveMetadata(start: edge, end: edge))
        try roundTrip(ArchiveMetadata(start: nil, end: nil))
        try roundTrip(ArchiveEnd(isComplete: true, info: PageInfo(first: "a", last: "b")))
        try roundTrip(ArchiveEnd(isComplete: false, isStable: false, info: PageInfo()))
        try roundTrip(
            ArchivePreferences(default: .roster, always: [JID("bo@example.org")], never: [JID("mal@example.net/x")]))
    }

    @Test(
        "metadata with one end, without stamp or with other content is refused",
        arguments: [
            "<start id='a' timestamp='2031-03-04T05:06:07Z'/>", "<start id='a'/><end id='b'/>",
            "<start timestamp='2031-03-04T05:06:07Z'/><end timestamp='2031-03-04T05:06:07Z'/>", "<x/>",
        ])
    func metadata(_ content: String) throws {
        #expect(ArchiveMetadata(try received("<metadata xmlns='urn:xmpp:mam:2'>\(content)</metadata>")) == nil)
    }

    @Test("an end without a description of the page is an empty page that is not complete")
    func bareEnd() throws {
        let end = try #require(ArchiveEnd(try received("<fin xmlns='urn:xmpp:mam:2'/>")))
        #expect(!end.isComplete && end.isStable && end.info == PageInfo())
        #expect(ArchiveEnd(try received("<fin xmlns='urn:xmpp:mam:1'/>")) == nil)
    }

    @Test("preferences without a default that exists are refused, addresses that are none left out")
    func preferences() throws {
        #expect(ArchivePreferences(try received("<prefs xmlns='urn:xmpp:mam:2'/>")) == nil)
        #expect(ArchivePreferences(try received("<prefs xmlns='urn:xmpp:mam:2' default='x'/>")) == nil)
        let read = ArchivePreferences(
            try received(
                "<prefs xmlns='urn:xmpp:mam:2' default='never'><always><jid> bo@example.org </jid><jid>@</jid></always></prefs>"
            ))
        #expect(try read == ArchivePreferences(default: .never, always: [JID("bo@example.org")]))
    }
}

@Suite("Preferences of the archive (XEP-0441)", .timeLimit(.minutes(1)))
struct ArchivePreferencesTests {
    @Test("are asked for and changed; what the server makes of them counts")
    func exchange() async throws {
        let online = try await OnlineSession()
        async let asked = online.session.archivePreferences()
        let get = await online.peer.expect("iq")
        #expect(get?["type"] == "get")
        online.peer.inject(
            "<iq type='result' id='\(get?["id"] ?? "")'><prefs xmlns='urn:xmpp:mam:2' default='roster'><always/><never/></prefs></iq>"
        )
        #expect(try await asked == ArchivePreferences(default: .roster))
        let wanted = ArchivePreferences(default: .never, always: [try JID("bo@example.org")])
        async let changed = online.session.setArchivePreferences(wanted)
        let set = await online.peer.expect("iq")
        #expect(set?["type"] == "set" && set?.children.first.flatMap { ArchivePreferences($0) } == wanted)
        online.peer.inject(
            "<iq type='result' id='\(set?["id"] ?? "")'><prefs xmlns='urn:xmpp:mam:2' default='always'><always/><never/></prefs></iq>"
        )
        #expect(try await changed == ArchivePreferences(default: .always))
        async let odd = failure { _ = try await online.session.archivePreferences() }
        let last = await online.peer.expect("iq")
        // Openfire answers everything in this namespace with the form of queries.
        online.peer.inject("<iq type='result' id='\(last?["id"] ?? "")'><query xmlns='urn:xmpp:mam:2'/></iq>")
        #expect(await odd?.code == .invalidReply)
        await online.end()
    }
}
