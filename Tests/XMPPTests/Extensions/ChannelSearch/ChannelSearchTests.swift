// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Looking for rooms (XEP-0433)", .timeLimit(.minutes(1)))
struct ChannelSearchTests {
    static let namespace = "urn:xmpp:channel-search:0:search"

    @Test("what is looked for is asked, and what is found has all that is said about it")
    func search() async throws {
        let online = try await OnlineSession()
        var wanted = ChannelSearch("xmpp.org", order: .address)
        wanted.inNames = true
        wanted.minimumOccupants = 1
        var pages = online.session.rooms.search(wanted, at: try JID("search.service.example"), pageSize: 5)
            .makeAsyncIterator()
        async let first = pages.next()
        let iq = await online.answer(
            """
            <result xmlns='\(Self.namespace)'><item address='commteam@muc.xmpp.org'><name>commteam</name>\
            <nusers>10</nusers><is-open/></item><item address='operators@muc.xmpp.org'><name>Operators</name>\
            <description>For operators</description><language>en</language><nusers>-3</nusers>\
            <anonymity-mode>semi</anonymity-mode></item><item address='muc.xmpp.org'/><item/>\
            <set xmlns='http://jabber.org/protocol/rsm'><first>1</first><last>4</last><count>4</count></set></result>
            """)
        let query = try #require(iq?.children.first)
        #expect(iq?["type"] == "get" && query.matches(XMLName("search", Self.namespace)))
        let form = try #require(query.child(DataForm.name).flatMap { DataForm($0) })
        #expect(form.formType == "urn:xmpp:channel-search:0:search-params" && form["q"]?.text == "xmpp.org")
        #expect(form["key"]?.text == "{urn:xmpp:channel-search:0:order}address" && form["all"] == nil)
        #expect(form.typed(ChannelSearch.self) == wanted)
        #expect(query.child(PageRequest.name)?.children.first?.text == "5")
        let found = try #require(try await first)
        #expect(found.map(\.address.local) == ["commteam", "operators"])
        #expect(found.first?.occupantCount == 10 && found.first?.isOpen == true && found.first?.showsAddresses == nil)
        #expect(found.last?.details == "For operators" && found.last?.occupantCount == nil)
        #expect(found.last?.showsAddresses == false && found.last?.language == "en" && found.last?.isOpen == false)
        await online.end()
    }

    @Test("without words all rooms are asked for, and a service that does not do that says why")
    func all() async throws {
        #expect(ChannelSearch().form()["all"]?.flag == true)
        let online = try await OnlineSession()
        let pages = online.session.rooms.search(ChannelSearch(), at: try JID("search.service.example"))
        async let failed = failure { for try await _ in pages {} }
        await online.refuse("not-allowed")
        #expect(await failed?.stanzaError?.condition == .notAllowed)
        async let can = online.session.rooms.canSearch(at: JID("search.service.example"))
        await online.answer(
            "<query xmlns='http://jabber.org/protocol/disco#info'><feature var='\(Self.namespace)'/></query>")
        #expect(try await can)
        await online.end()
    }
}
