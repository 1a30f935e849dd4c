// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("The contact list as a value (RFC 6121 §2)")
struct ContactListTests {
    func jid(_ name: String) throws -> JID { try JID("\(name)@example.org") }

    func fetch(_ items: String, version: String? = nil) throws -> RosterFetch {
        let ver = version.map { "ver='\($0)'" } ?? ""
        let reply = try receivedIQ(
            "<iq type='result' id='1'><query xmlns='jabber:iq:roster' \(ver)>\(items)</query></iq>")
        return try #require(RosterFetch(reply, askedVersion: nil))
    }

    func push(_ item: String, version: String? = nil) throws -> RosterPush {
        let ver = version.map { "ver='\($0)'" } ?? ""
        let iq = try receivedIQ("<iq type='set' id='1'><query xmlns='jabber:iq:roster' \(ver)>\(item)</query></iq>")
        return try #require(iq.rosterPush(for: try JID("ann@example.org")))
    }

    @Test("B70 a fetched list replaces the one of before in one step, and says what that changed")
    func replaced() throws {
        var list = ContactList(
            [RosterItem(jid: try jid("a")), RosterItem(jid: try jid("b"), name: "B"), RosterItem(jid: try jid("c"))],
            version: "v1")
        let changes = list.apply(
            try fetch(
                "<item jid='b@example.org' name='Bo'/><item jid='c@example.org'/><item jid='d@example.org'/>",
                version: "v2"))
        #expect(try changes.added == [jid("d")])
        #expect(try changes.changed == [jid("b")])
        #expect(try changes.removed == [jid("a")])
        #expect(list.count == 3 && list.version == "v2")
        #expect(list[try jid("b")]?.name == "Bo")
        #expect(list[try JID("b@example.org/phone")]?.name == "Bo")
        #expect(list.apply(.unchanged).isEmpty)
        #expect(list.version == "v2")
    }

    @Test("B66 B68 pushes change one contact; no version keeps the known one, and what is not there is not removed")
    func pushes() throws {
        var list = ContactList([RosterItem(jid: try jid("a"))], version: "v4")
        #expect(list.apply(try push("<item jid='b@example.org'/>")).added == [try jid("b")])
        #expect(list.version == "v4")
        #expect(list.apply(try push("<item jid='b@example.org'/>", version: "v5")).isEmpty)
        #expect(list.version == "v5")
        #expect(list.apply(try push("<item jid='b@example.org' name='B'/>")).changed == [try jid("b")])
        #expect(list.apply(try push("<item jid='gone@example.org' subscription='remove'/>")).isEmpty)
        #expect(list.apply(try push("<item jid='a@example.org' subscription='remove'/>")).removed == [try jid("a")])
        #expect(list.contacts.map(\.jid) == [try jid("b")])
    }

    @Test("T074 a list of 100 000 contacts with repeated addresses, and its removal one by one, take linear time")
    func large() throws {
        let items = (0..<100_000).map { "<item jid='c\($0 % 90_000)@example.org' name='\($0)'/>" }.joined()
        var list = ContactList()
        let clock = ContinuousClock()
        var changes = list.apply(.unchanged)
        let fetch = try fetch(items, version: "v1")
        let taken = clock.measure { changes = list.apply(fetch) }
        #expect(changes.added.count == 90_000 && list.count == 90_000)
        #expect(list[try jid("c5")]?.name == "90005")
        #expect(list.apply(fetch).isEmpty)
        let twice = [RosterItem(jid: try jid("x"), name: "1"), RosterItem(jid: try jid("x"), name: "2")]
        var other = ContactList()
        #expect(other.apply(.items(twice, version: nil)).added == [try jid("x")])
        #expect(other[try jid("x")]?.name == "2")
        var removed = 0
        let removing = try clock.measure {
            for number in 0..<90_000 {
                let gone = try RosterPush.removal(of: jid("c\(number)"))
                removed += list.apply(gone).removed.count
            }
        }
        #expect(removed == 90_000 && list.count == 0)
        #expect(taken < .seconds(10) && removing < .seconds(60))
    }

    @Test("groups are named, listed, renamed, joined and dissolved")
    func groups() throws {
        let list = ContactList([
            RosterItem(jid: try jid("a"), groups: ["Work", "Friends"]), RosterItem(jid: try jid("b"), groups: ["Work"]),
            RosterItem(jid: try jid("c")),
        ])
        #expect(list.groups == ["Friends", "Work"])
        #expect(list.contacts(in: "Work").count == 2)
        #expect(list.contacts(in: nil).map(\.jid) == [try jid("c")])
        let renamed = list.renaming(group: "Work", to: "Office")
        #expect(Set(renamed.map(\.groups)) == [["Office", "Friends"], ["Office"]])
        #expect(Set(list.renaming(group: "Work", to: "Friends").map(\.groups)) == [["Friends"]])
        #expect(Set(list.renaming(group: "Work", to: "").map(\.groups)) == [["Friends"], []])
        #expect(list.renaming(group: "Work", to: "Work").isEmpty && list.renaming(group: "None", to: "x").isEmpty)
    }

    @Test("OF24 several items are set one by one, and an error ends it", .timeLimit(.minutes(1)))
    func set() async throws {
        let online = try await OnlineSession()
        let items = [RosterItem(jid: try jid("a"), name: "A", groups: ["G"]), RosterItem(jid: try jid("b"))]
        async let setting = failureCode { try await online.session.setRosterItems(items + items) }
        let first = await online.answer()
        #expect(first?.children.first?.children.map(\.localName) == ["item"])
        #expect(first?.xml.contains("<group>G</group>") == true)
        let second = await online.refuse("not-acceptable", "modify")
        #expect(second?.children.first?.children.first?["jid"] == "b@example.org")
        #expect(await setting == .requestFailed)
        await online.settle()
        await online.end()
    }
}

extension RosterPush {
    fileprivate static func removal(of jid: JID) throws -> RosterPush {
        let query = try received("<query xmlns='jabber:iq:roster'><item jid='\(jid)' subscription='remove'/></query>")
        return try #require(RosterPush(query: query))
    }
}
