// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP
import XMPPTesting

/// What Openfire keeps, tells and routes for an account, in its own words.
@Suite("Openfire, what it offers and delivers", .timeLimit(.minutes(1)))
struct OpenfireServicesTests {
    static let info = "http://jabber.org/protocol/disco#info"

    @Test("OF31 server and account are asked both, and services are known by what they are, not by their names")
    func discovery() async throws {
        let online = try await OnlineSession()
        async let services = online.session.discoverServices()
        let account = await online.answer(
            "<query xmlns=\"\(Self.info)\"><identity category=\"account\" type=\"registered\"/>"
                + "<identity category=\"pubsub\" type=\"pep\"/><feature var=\"urn:xmpp:push:0\"/></query>")
        #expect(account?["to"] == "juliet@example.org")
        // Carbons and blocking are announced by the domain only.
        let domain = await online.answer(
            "<query xmlns=\"\(Self.info)\"><identity category=\"server\" name=\"Openfire Server\" type=\"im\"/>"
                + "<identity category=\"pubsub\" type=\"pep\"/><feature var=\"urn:xmpp:carbons:2\"/>"
                + "<feature var=\"urn:xmpp:blocking\"/></query>")
        #expect(domain?["to"] == "example.org")
        await online.answer(
            "<query xmlns=\"http://jabber.org/protocol/disco#items\"><item jid=\"odd.example.org\" name=\"x\"/>"
                + "<item jid=\"search.example.org\" name=\"User Search\"/></query>")
        #expect(
            await online.answer(
                "<query xmlns=\"\(Self.info)\"><identity category=\"conference\" type=\"text\"/>"
                    + "<feature var=\"http://jabber.org/protocol/muc\"/></query>")?["to"] == "odd.example.org")
        await online.refuse("service-unavailable")
        #expect(try await services == [.carbons, .blocking, .rooms, .personalEventing, .push])
        await online.end()
    }

    @Test("OF31 facts about the server come as forms; other people and unknown nodes are refused")
    func facts() async throws {
        let online = try await OnlineSession()
        func form(_ type: String, _ fields: String) -> String {
            "<x xmlns=\"jabber:x:data\" type=\"result\"><field var=\"FORM_TYPE\" type=\"hidden\"><value>\(type)</value>"
                + "</field>\(fields)</x>"
        }
        async let asked = online.session.discoverServer()
        await online.answer(
            "<query xmlns=\"\(Self.info)\"><identity category=\"server\" type=\"im\"/>"
                + form(
                    "http://jabber.org/network/serverinfo",
                    "<field var=\"admin-addresses\" type=\"list-multi\"><value>xmpp:admin@example.org</value></field>")
                + form(
                    "urn:xmpp:dataforms:softwareinfo",
                    "<field var=\"os\"><value>Linux</value></field><field var=\"os_version\"><value>6</value></field>"
                        + "<field var=\"software\"><value>Openfire</value></field>"
                        + "<field var=\"software_version\"><value>5.1.1</value></field>") + "</query>")
        let info = try await asked
        #expect(info.contactAddresses?[.admin] == ["xmpp:admin@example.org"])
        #expect(info.software?.program == "Openfire" && info.software?.version == "5.1.1")
        let romeo = try JID("romeo@example.org")
        for (name, condition) in [
            ("service-unavailable", StanzaError.Condition.serviceUnavailable), ("item-not-found", .itemNotFound),
        ] {
            async let refused = failure { _ = try await online.session.discoverInfo(of: romeo, node: "x") }
            await online.refuse(name)
            #expect(await refused?.stanzaError?.condition == condition)
        }
        await online.end()
    }

    @Test("OF32 what was kept comes in order with the server's stamp, and a full mailbox sends our message back")
    func offlineMessages() async throws {
        let online = try await OnlineSession()
        let own = try JID("juliet@example.org/balcony")
        var messages = online.session.messages().makeAsyncIterator()
        for number in 1...2 {
            online.peer.inject(
                "<message id=\"m\(number)\" type=\"chat\" from=\"romeo@example.org/orchard\" to=\"juliet@example.org\">"
                    + "<body>\(number)</body><delay xmlns=\"urn:xmpp:delay\" from=\"example.org\" "
                    + "stamp=\"2025-03-01T18:20:0\(number).123Z\"/></message>")
        }
        online.peer.inject(
            "<message id=\"o1\" type=\"error\" to=\"juliet@example.org/balcony\" from=\"tybalt@example.org\"><body>hi</body>"
                + "<error code=\"503\" type=\"cancel\"><service-unavailable "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/></error></message>")
        for number in 1...2 {
            let message = try #require(try await messages.next())
            #expect(message.body == "\(number)" && message.kind == .chat)
            #expect(message.trustedDelay(for: own)?.stamp == DateTime("2025-03-01T18:20:0\(number).123Z"))
        }
        let bounce = try #require(try await messages.next())
        #expect(bounce.kind == .error && bounce.body == nil && bounce.error?.condition == .serviceUnavailable)
        await online.end()
    }

    @Test("OF33 the newer stamp counts where both are there, and the older one alone is universal time")
    func legacyDelay() throws {
        let old = "<x xmlns=\"jabber:x:delay\" from=\"example.org\" stamp=\"20080301T18:20:05\"/>"
        let new = "<delay xmlns=\"urn:xmpp:delay\" from=\"example.org\" stamp=\"2008-03-01T18:20:06Z\"/>"
        let both = try receivedMessage("<message from=\"romeo@example.org/a\"><body>x</body>\(old)\(new)</message>")
        #expect(both.delays.map(\.stamp) == [DateTime("2008-03-01T18:20:06Z")])
        let alone = try receivedMessage("<message from=\"romeo@example.org/a\"><body>x</body>\(old)</message>")
        #expect(alone.delay?.stamp == DateTime("2008-03-01T18:20:05Z"))
        #expect(alone.delay?.from?.description == "example.org")
    }

    @Test("OF34 a message to the bare address is a message, not a copy, whatever travels along")
    func routing() async throws {
        let online = try await OnlineSession { $0.modules += [ReceiptsModule(answersByItself: true)] }
        var messages = online.session.messages().makeAsyncIterator()
        online.peer.inject(
            "<message id=\"r1\" type=\"chat\" from=\"romeo@example.org/orchard\" to=\"juliet@example.org\"><body>hi</body>"
                + "<x xmlns=\"jabber:x:event\"><offline/><delivered/><displayed/><composing/></x>"
                + "<active xmlns=\"http://jabber.org/protocol/chatstates\"/></message>")
        let message = try #require(try await messages.next())
        #expect(message.body == "hi" && message.to?.description == "juliet@example.org" && !message.isCarbon)
        #expect(message.chatState == .active && message.parts.unknown == [XMLName("x", "jabber:x:event")])
        // Nothing of the old notifications is answered.
        await online.settle()
        #expect(!online.peer.writtenText.contains("jabber:x:event"))
        await online.end()
    }

    @Test("OF35 copies are switched on for each bound stream, kept by a resumed one, and believed of the account alone")
    func carbons() async throws {
        let fixture = try SessionFixture { $0.modules.append(CarbonsModule()) }
        let own = try JID("juliet@example.org/balcony")
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        func enable() async {
            let request = await fixture.expect("iq")
            #expect(request?.children.first?.xml == "<enable xmlns='urn:xmpp:carbons:2'/>")
            fixture.peer.inject(
                "<iq type=\"result\" id=\"\(request?["id"] ?? "")\" from=\"juliet@example.org\" "
                    + "to=\"juliet@example.org/balcony\"/>")
        }
        await enable()
        for from in ["juliet@example.org", "romeo@example.org"] {
            fixture.peer.inject(
                "<message type=\"chat\" from=\"\(from)\" to=\"juliet@example.org/balcony\">"
                    + "<sent xmlns=\"urn:xmpp:carbons:2\"><forwarded xmlns=\"urn:xmpp:forward:0\">"
                    + "<message xmlns=\"jabber:client\" id=\"m2\" type=\"chat\" from=\"juliet@example.org/phone\" "
                    + "to=\"romeo@example.org\"><body>copied</body></message></forwarded></sent></message>")
        }
        let copy = try await messages.next()?.carbon(for: own)
        #expect(copy?.direction == .sent && copy?.message.body == "copied" && copy?.delay == nil)
        #expect(try await messages.next()?.carbon(for: own) == nil)
        fixture.peer.cut()
        await fixture.acceptResumption(h: 1)
        fixture.peer.inject("<r xmlns='urn:xmpp:sm:3'/>")
        await fixture.expect("a")
        fixture.peer.cut()
        await fixture.refuseResumption()
        await enable()
        await fixture.leave()
    }

    @Test("OF39 what an administrator gives to everybody is shown, but not stored as one's own; the rest is kept whole")
    func sharedBookmarks() async throws {
        let online = try await OnlineSession()
        let list = """
            <query xmlns="jabber:iq:private"><storage xmlns="storage:bookmarks">\
            <conference name="All hands" autojoin="true" jid="all@conference.example.org">\
            <shared_bookmark xmlns="http://jivesoftware.com/jeps/bookmarks"/></conference>\
            <conference name="Tea" jid="tea@conference.example.org" minimize="true"><nick>J</nick>\
            <color xmlns="urn:example:odd">red</color></conference></storage></query>
            """
        let nodes = "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:bookmarks:1'/></pubsub>"
        let separate = "<query xmlns='\(Self.info)'/>"
        async let fetching = online.session.fetchBookmarks()
        for payload in [nodes, separate, list] { await online.answer(payload) }
        #expect(try await fetching.map(\.name) == ["All hands", "Tea"])

        async let setting: Void = online.session.setBookmark(
            Bookmark(room: try JID("attic@conference.example.org"), name: "Attic"))
        await online.answer(nodes)
        await online.replyFeatures("publish-options")
        await online.replyConfiguration("whitelist")
        for payload in ["", separate, list] { await online.answer(payload) }
        let stored = try #require(await online.answer()?.children.first?.children.first)
        try await setting
        #expect(stored.children.map { $0["name"] } == ["Tea", "Attic"])
        #expect(stored.children.first?["minimize"] == "true" && stored.xml.contains("red"))
        await online.end()
    }

    @Test("OF39 nothing stored is the request sent back, and whoever changes a shared bookmark makes it one's own")
    func emptyStorage() async throws {
        let online = try await OnlineSession()
        async let value = online.session.privateValue(BookmarkList.self)
        await online.answer(
            "<query xmlns=\"jabber:iq:private\"><storage xmlns=\"storage:bookmarks\"/></query>")
        #expect(try await value?.bookmarks.isEmpty == true)
        var list = try #require(
            BookmarkList(
                try received(
                    "<storage xmlns='storage:bookmarks'><conference jid='all@conference.example.org' name='All'>"
                        + "<shared_bookmark xmlns='http://jivesoftware.com/jeps/bookmarks'/></conference></storage>")))
        #expect(list.element.children.isEmpty)
        list.set(Bookmark(room: try JID("all@conference.example.org"), name: "Mine"))
        #expect(list.element.children.first?["name"] == "Mine" && !list.element.xml.contains("shared_bookmark"))
        await online.end()
    }

    @Test("OF40 the server's clock is its own, and without a subscription nobody hears when somebody was there")
    func timeAndLast() async throws {
        let online = try await OnlineSession()
        let domain = try JID("example.org")
        let romeo = try JID("romeo@example.org")
        async let time = online.session.entityTime(of: domain)
        await online.answer(
            "<time xmlns=\"urn:xmpp:time\"><tzo>+01:00</tzo><utc>2025-03-01T18:20:05.123Z</utc></time>")
        let moment = try #require(DateTime("2025-03-01T18:20:05.123Z"))
        #expect(try await time == EntityTime(moment: moment, offset: .seconds(3600)))
        async let last = online.session.lastActivity(of: romeo)
        await online.answer("<query xmlns=\"jabber:iq:last\" seconds=\"903\">gone</query>")
        #expect(try await last == LastActivity(age: .seconds(903), status: "gone"))
        async let refused = failure { _ = try await online.session.lastActivity(of: romeo) }
        await online.refuse("forbidden", "auth")
        #expect(await refused?.stanzaError?.condition == .forbidden)
        await online.end()
    }

    @Test("OF53 what was held back comes in one burst, in order, and what somebody did then is over")
    func burst() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        async let connecting: Void = fixture.session.connect()
        await fixture.acceptReconnection(features: ScriptedPeer.bindFeatures + "<csi xmlns=\"urn:xmpp:csi:0\"/>")
        await fixture.peer.acceptBind(managed: true, id: "sm-1")
        try await connecting
        await fixture.session.setActive(false)
        await fixture.expect("inactive")
        await fixture.session.setActive(true)
        await fixture.expect("active")
        let states = "<composing xmlns=\"http://jabber.org/protocol/chatstates\"/>"
        var burst = ""
        for number in 0..<500 {
            burst +=
                "<message from=\"romeo@example.org/a\" to=\"juliet@example.org/balcony\" type=\"chat\" id=\"b\(number)\">"
                + (number == 499 ? "<body>urgent</body>" : states)
                + "<delay xmlns=\"urn:xmpp:delay\" from=\"example.org\" stamp=\"2025-03-01T18:20:05Z\"/></message>"
        }
        fixture.peer.inject(burst)
        for number in 0..<500 {
            let message = try #require(try await messages.next())
            #expect(message.id == "b\(number)" && message.chatState == nil)
        }
        #expect(await fixture.count() == "500")
        await fixture.leave()
    }
}
