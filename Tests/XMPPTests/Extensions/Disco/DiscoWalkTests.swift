// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Finding what belongs to an entity")
struct DiscoWalkTests {
    func items(_ names: String...) throws -> [DiscoItem] { try names.map { DiscoItem(jid: try JID($0)) } }

    @Test("T082 a cycle is walked once, and no deeper than the depth")
    func cycle() throws {
        var walk = DiscoWalk(from: .init(jid: try JID("a.example")), depth: 3, cap: 100)
        #expect(walk.next()?.place.jid.description == "a.example")
        walk.received(try items("b.example", "a.example"), at: 0)
        #expect(walk.next()?.depth == 1)
        walk.received(try items("a.example", "b.example", "c.example"), at: 1)
        #expect(walk.next()?.place.jid.description == "c.example")
        walk.received(try items("d.example"), at: 2)
        #expect(walk.next() == nil)
        #expect(walk.found.map(\.jid.description) == ["b.example", "c.example", "d.example"] && !walk.isCut)
    }

    @Test("T082 a list of 100 000 entries is cut at the cap")
    func endless() throws {
        var walk = DiscoWalk(from: .init(jid: try JID("a.example")), depth: 2, cap: 1000)
        _ = walk.next()
        let jid = try JID("a.example")
        walk.received((0..<100_000).map { DiscoItem(jid: jid, node: "\($0)") }, at: 0)
        #expect(walk.found.count == 1000 && walk.isCut)
        #expect(walk.next() == nil)
    }

    @Test("depth 0 asks nothing")
    func none() throws {
        var walk = DiscoWalk(from: .init(jid: try JID("a.example")), depth: 0, cap: 10)
        #expect(walk.next() == nil)
    }
}

@Suite("Long lists of items", .timeLimit(.minutes(1)))
struct DiscoItemPagesTests {
    func answer(_ online: OnlineSession, _ content: String, type: String = "result") async -> Element? {
        let get = await online.peer.expect("iq")
        let from = get?["to"].map { "from='\($0)'" } ?? ""
        let payload =
            type == "error" ? content : "<query xmlns='http://jabber.org/protocol/disco#items'>\(content)</query>"
        online.peer.inject("<iq type='\(type)' id='\(get?["id"] ?? "")' \(from)>\(payload)</iq>")
        return get
    }

    @Test("T082 not more items than asked for are taken from one answer")
    func limit() async throws {
        let online = try await OnlineSession()
        let jid = try JID("example.org")
        async let found = online.session.discoverItems(of: jid, limit: 3)
        _ = await answer(online, (0..<50).map { "<item jid='a.example' node='\($0)'/>" }.joined())
        #expect(try await found.map(\.node) == ["0", "1", "2"])
        await online.end()
    }

    @Test("pages are asked for one after the other; who cannot page gives one page")
    func pages() async throws {
        let online = try await OnlineSession()
        let jid = try JID("rooms.example.org")
        let all = Task {
            var pages: [[String]] = []
            for try await page in online.session.discoverItemPages(of: jid, pageSize: 2) {
                pages.append(page.map(\.jid.description))
            }
            return pages
        }
        let set = "<set xmlns='http://jabber.org/protocol/rsm'>"
        let first = await answer(
            online,
            "<item jid='a@rooms.example.org'/><item jid='b@rooms.example.org'/>\(set)<first index='0'>a</first>"
                + "<last>b</last><count>3</count></set>")
        #expect(first?.children.first?.child(PageRequest.name).flatMap { PageRequest($0) } == PageRequest(limit: 2))
        let second = await answer(
            online,
            "<item jid='c@rooms.example.org'/>\(set)<first index='2'>c</first><last>c</last><count>3</count></set>")
        #expect(second?.children.first?.child(PageRequest.name).flatMap { PageRequest($0) }?.position == .after("b"))
        #expect(try await all.value.map(\.count) == [2, 1])
        let plain = Task {
            var count = 0
            for try await page in online.session.discoverItemPages(of: jid) { count += page.count }
            return count
        }
        _ = await answer(online, "<item jid='a@rooms.example.org'/><item jid='b@rooms.example.org'/>")
        #expect(try await plain.value == 2)
        await online.end()
    }

    @Test("T082 a walk asks each place once, and passes over what refuses")
    func walk() async throws {
        let online = try await OnlineSession()
        async let found = online.session.discoverAll(depth: 2)
        #expect(
            await answer(online, "<item jid='a.example.org'/><item jid='b.example.org'/><item jid='example.org'/>")?[
                "to"]
                == "example.org")
        _ = await answer(
            online, "<error type='cancel'><forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
            type: "error")
        #expect(
            await answer(online, "<item jid='a.example.org'/><item jid='x@b.example.org'/>")?["to"] == "b.example.org")
        #expect(
            try await found.map(\.jid.description) == ["a.example.org", "b.example.org", "x@b.example.org"])
        await online.end()
    }
}
