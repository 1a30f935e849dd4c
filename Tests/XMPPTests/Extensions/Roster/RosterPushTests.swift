// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Roster pushes (RFC 6121 §2.1.6)")
struct RosterPushTests {
    static let item = "<item jid='fake@example.net'/>"

    func own() throws -> JID { try JID("ann@example.org/pc") }

    func push(_ from: String? = nil, _ content: String = item, type: String = "set", query: String = "") throws -> IQ {
        let from = from.map { "from='\($0)'" } ?? ""
        return try receivedIQ(
            "<iq type='\(type)' id='1' \(from)><query xmlns='jabber:iq:roster' \(query)>\(content)</query></iq>")
    }

    @Test("B64 a push without sender or from the own bare address counts", arguments: [nil, "ann@example.org"])
    func legal(_ from: String?) throws {
        let change = try push(from).rosterPush(for: try own())?.change
        #expect(change == .set(RosterItem(jid: try JID("fake@example.net"))))
    }

    @Test(
        "B63 B64 T073 a push from anybody else does not",
        arguments: [
            "mal@example.net/x", "ann@example.org/pc", "ann@example.org/other", "example.org", "ann@example.net",
        ])
    func forged(_ from: String) throws { #expect(try push(from).rosterPush(for: try own()) == nil) }

    @Test("only a set with exactly one item is a push")
    func shape() throws {
        let own = try own()
        #expect(try push(nil, "").rosterPush(for: own) == nil)
        #expect(try push(nil, Self.item + "<item jid='b@example.net'/>").rosterPush(for: own) == nil)
        #expect(try push(nil, Self.item + Self.item).rosterPush(for: own) == nil)
        #expect(try push(nil, "<item jid=''/>").rosterPush(for: own) == nil)
        #expect(try push(nil, "<item jid='' subscription='remove'/>").rosterPush(for: own) == nil)
        #expect(try push(type: "get").rosterPush(for: own) == nil)
        #expect(try push(type: "result").rosterPush(for: own) == nil)
        let other = try receivedIQ("<iq type='set' id='1'><query xmlns='jabber:iq:other'>\(Self.item)</query></iq>")
        #expect(other.rosterPush(for: own) == nil)
    }

    @Test("B68 a removal names the address, whether or not it is known")
    func removal() throws {
        let push = try push(nil, "<item jid='gone@example.org' subscription='remove'/>").rosterPush(for: try own())
        #expect(push?.change == .removed(try JID("gone@example.org")))
    }

    @Test("B66 a push without version says nothing about it")
    func version() throws {
        #expect(try push().rosterPush(for: try own())?.version == nil)
        #expect(try push(query: "ver='-77310212'").rosterPush(for: try own())?.version == "-77310212")
        #expect(try push(query: "ver=''").rosterPush(for: try own())?.version == "")
    }
}

@Suite("The answer to a request for the roster")
struct RosterFetchTests {
    func fetch(_ content: String, asked: String?) throws -> RosterFetch? {
        RosterFetch(try receivedIQ("<iq type='result' id='g1'>\(content)</iq>"), askedVersion: asked)
    }

    @Test("OF22 a result without child means unchanged, where there was a version")
    func unchanged() throws {
        #expect(try fetch("", asked: "-1583016440") == .unchanged)
        #expect(try fetch("", asked: "") == .items([], version: nil))
        #expect(try fetch("", asked: nil) == .items([], version: nil))
    }

    @Test("items without address are left out, of two with one address the later counts")
    func items() throws {
        let fetch = try fetch(
            """
            <query xmlns='jabber:iq:roster' ver='x'><item jid='a@example.org'/><item/><item jid='@'/>
            <item jid='b@example.org' subscription='both'/><item jid='A@example.org' name='A'/>
            <item jid='c@example.org' subscription='remove'/></query>
            """, asked: nil)
        guard case .items(let items, let version) = fetch else {
            Issue.record("no items")
            return
        }
        #expect(version == "x")
        #expect(items.map(\.jid.description) == ["a@example.org", "b@example.org"])
        #expect(items.first?.name == "A")
    }

    @Test("another payload is no roster")
    func refusal() throws { #expect(try fetch("<query xmlns='jabber:iq:other'/>", asked: nil) == nil) }

    @Test("T074 a list of 100 000 items with repeated addresses is read in linear time")
    func long() throws {
        let names = (0..<100_000).map { "<item jid='u\($0 % 50_000)@example.org'/>" }.joined()
        let start = ContinuousClock().now
        guard case .items(let items, _) = try fetch("<query xmlns='jabber:iq:roster'>\(names)</query>", asked: nil)
        else {
            Issue.record("no items")
            return
        }
        #expect(items.count == 50_000)
        #expect(start.duration(to: ContinuousClock().now) < .seconds(30))
    }
}
