// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("The roster of a session", .timeLimit(.minutes(1)))
struct XMPPSessionRosterTests {
    static let versions = "<ver xmlns='urn:xmpp:features:rosterver'/>"

    @Test("OF22 roster get: no sender, a negative version, then unchanged")
    func versioned() async throws {
        let online = try await OnlineSession(features: Self.versions)
        async let first = online.session.fetchRoster()
        let get = await online.peer.expect("iq")
        #expect(get?["to"] == nil)
        #expect(get?.children.first?["ver"] == "")
        online.peer.inject(
            """
            <iq type="result" id="\(get?["id"] ?? "")" to="juliet@example.org/balcony"><query xmlns="jabber:iq:roster" \
            ver="-1583016440"><item jid="romeo@example.org" name="Romeo" ask="subscribe" subscription="none">\
            <group>Friends</group></item></query></iq>
            """)
        let romeo = RosterItem(
            jid: try JID("romeo@example.org"), name: "Romeo", groups: ["Friends"], isRequested: true)
        #expect(try await first == .items([romeo], version: "-1583016440"))

        async let second = online.session.fetchRoster(version: "-1583016440")
        let again = await online.peer.expect("iq")
        #expect(again?.children.first?["ver"] == "-1583016440")
        online.peer.inject("<iq type=\"result\" id=\"\(again?["id"] ?? "")\" to=\"juliet@example.org/balcony\"/>")
        #expect(try await second == .unchanged)
        await online.end()
    }

    @Test("no version is sent to a server that keeps none")
    func unversioned() async throws {
        let online = try await OnlineSession()
        async let fetch = online.session.fetchRoster(version: "v4")
        let get = await online.peer.expect("iq")
        #expect(get?.children.first?["ver"] == nil)
        online.peer.inject("<iq type='result' id='\(get?["id"] ?? "")'><query xmlns='jabber:iq:roster'/></iq>")
        #expect(try await fetch == .items([], version: nil))
        await online.end()
    }

    @Test("B70 after a reconnect the list comes as a whole, to be put in place in one step")
    func reconnect() async throws {
        let online = try await OnlineSession(features: Self.versions) {
            $0.reconnect = ReconnectPolicy(minimum: .milliseconds(1))
        }
        func fetch(_ names: [String], version: String?) async throws -> RosterFetch {
            async let fetch = online.session.fetchRoster(version: version)
            let get = await online.peer.expect("iq")
            let items = names.map { "<item jid='\($0)@example.org'/>" }.joined()
            online.peer.inject(
                "<iq type='result' id='\(get?["id"] ?? "")'><query xmlns='jabber:iq:roster' ver='\(names.count)'>"
                    + "\(items)</query></iq>")
            return try await fetch
        }
        _ = try await fetch(["a", "b", "c"], version: nil)
        online.peer.cut()
        await online.peer.acceptTLS()
        online.peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await online.peer.acceptSCRAM()
        await online.peer.expectHeader()
        online.peer.openStream(id: "up", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>" + Self.versions)
        await online.peer.acceptBind(managed: false)
        try await online.session.connect()
        let second = try await fetch(["x", "y"], version: "3")
        let expected = [RosterItem(jid: try JID("x@example.org")), RosterItem(jid: try JID("y@example.org"))]
        #expect(second == .items(expected, version: "2"))
        await online.end()
    }

    @Test("OF23 B64 a push without sender is answered and told; a removal too")
    func push() async throws {
        let pushes = Locked([RosterPush]())
        let online = try await OnlineSession {
            $0.modules = [PingModule(), RosterModule { push in pushes.withLock { $0.append(push) } }]
        }
        online.peer.inject(
            """
            <iq type="set" id="482-19" to="juliet@example.org/balcony"><query xmlns="jabber:iq:roster" ver="77310212">\
            <item jid="romeo@example.org" name="Romeo" subscription="to"><group>Friends</group></item></query></iq>
            """)
        let answer = await online.peer.expect("iq")
        #expect(answer?["type"] == "result" && answer?["id"] == "482-19")
        #expect(answer?["to"] == nil && answer?.children.isEmpty == true)
        online.peer.inject(
            """
            <iq type="set" id="482-20" from="juliet@example.org" to="juliet@example.org/balcony">\
            <query xmlns="jabber:iq:roster"><item jid="romeo@example.org" subscription="remove"/></query></iq>
            """)
        #expect(await online.peer.expect("iq")?["id"] == "482-20")
        let told = pushes.withLock { $0 }
        #expect(told.count == 2)
        #expect(told.first?.version == "77310212")
        #expect(told.last?.change == .removed(try JID("romeo@example.org")))
        await online.end()
    }

    @Test("B63 T073 a forged push changes nothing and gets no answer")
    func forged() async throws {
        let pushes = Locked(0)
        let online = try await OnlineSession {
            $0.modules = [PingModule(), RosterModule { _ in pushes.withLock { $0 += 1 } }]
        }
        for sender in ["mal@example.net/x", "juliet@example.org/balcony", "example.org"] {
            online.peer.inject(
                "<iq from='\(sender)' type='set' id='1'><query xmlns='jabber:iq:roster'>"
                    + "<item jid='fake@example.net'/></query></iq>")
        }
        online.peer.inject("<iq type='get' id='p9' from='example.org'><ping xmlns='urn:xmpp:ping'/></iq>")
        #expect(await online.peer.expect("iq")?["id"] == "p9")
        #expect(pushes.withLock { $0 } == 0)
        await online.end()
    }

    @Test("a push with two items is refused as a bad request, and changes nothing")
    func twoItems() async throws {
        let pushes = Locked(0)
        let online = try await OnlineSession { $0.modules = [RosterModule { _ in pushes.withLock { $0 += 1 } }] }
        online.peer.inject(
            "<iq type='set' id='1'><query xmlns='jabber:iq:roster'><item jid='a@example.net'/><item jid='b@example.net'/>"
                + "</query></iq>")
        let answer = await online.peer.expect("iq")
        #expect(answer?["type"] == "error")
        #expect(answer?.child(XMLName("error", "jabber:client"))?.children.first?.localName == "bad-request")
        #expect(pushes.withLock { $0 } == 0)
        await online.end()
    }

    @Test("OF24 B69 a set has an id and one item; the push comes before the result")
    func set() async throws {
        let pushes = Locked([RosterPush]())
        let online = try await OnlineSession {
            $0.modules = [RosterModule { push in pushes.withLock { $0.append(push) } }]
        }
        let jid = try JID("romeo@example.org")
        async let setting: Void = online.session.setRosterItem(jid, name: "Romeo", groups: ["Friends", "Friends", ""])
        let set = await online.peer.expect("iq")
        #expect(set?["type"] == "set" && set?["id"]?.isEmpty == false && set?["to"] == nil)
        #expect(
            try set?.children.first
                == received(
                    "<query xmlns='jabber:iq:roster'><item jid='romeo@example.org' name='Romeo'><group>Friends</group>"
                        + "</item></query>"))
        online.peer.inject(
            """
            <iq type="set" id="482-21" to="juliet@example.org/balcony"><query xmlns="jabber:iq:roster" ver="1"><item \
            jid="romeo@example.org" name="Romeo" subscription="none"><group>Friends</group></item></query></iq>\
            <iq type="result" id="\(set?["id"] ?? "")" from="juliet@example.org" to="juliet@example.org/balcony"/>
            """)
        try await setting
        #expect(pushes.withLock { $0.count } == 1)
        #expect(await online.peer.expect("iq")?["id"] == "482-21")
        await online.end()
    }

    @Test(
        "OF24 a refusal without echo or with one reaches whoever asked",
        arguments: ["", "<query xmlns='jabber:iq:roster'/>"])
    func refused(_ echo: String) async throws {
        let online = try await OnlineSession()
        let jid = try JID("romeo@example.org")
        async let setting: Void = online.session.setRosterItem(jid, groups: ["Everybody"])
        let set = await online.peer.expect("iq")
        online.peer.inject(
            """
            <iq type="error" id="\(set?["id"] ?? "")" from="juliet@example.org" to="juliet@example.org/balcony">\(echo)<error \
            code="406" type="modify"><not-acceptable xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></error></iq>
            """)
        do {
            try await setting
            Issue.record("an error was taken for a result")
        } catch let error as XMPPError { #expect(error.stanzaError?.condition == .notAcceptable) }
        await online.end()
    }

    @Test("B73 a contact with a pending request is removed by a roster set")
    func remove() async throws {
        let online = try await OnlineSession()
        let jid = try JID("bo@example.org")
        async let removing: Void = online.session.removeRosterItem(jid)
        let set = await online.peer.expect("iq")
        #expect(set?["type"] == "set")
        #expect(
            try set?.children.first
                == received(
                    "<query xmlns='jabber:iq:roster'><item jid='bo@example.org' subscription='remove'/></query>"))
        online.peer.inject("<iq type='result' id='\(set?["id"] ?? "")'/>")
        try await removing
        await online.end()
    }

    @Test("one's own address is no contact")
    func yourself() async throws {
        let online = try await OnlineSession()
        do {
            try await online.session.setRosterItem(try JID("juliet@example.org"))
            Issue.record("the own address was taken")
        } catch let error as XMPPError { #expect(error.code == .yourself) }
        await online.settle()
        await online.end()
    }
}
