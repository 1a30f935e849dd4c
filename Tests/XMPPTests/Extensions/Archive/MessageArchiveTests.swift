// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("The archive of messages (XEP-0313)", .timeLimit(.minutes(1)))
struct MessageArchiveTests {
    @Test("every filter goes into the form, and a page has ids, stamps and messages")
    func page() async throws {
        let online = try await OnlineSession()
        let filter = ArchiveFilter(
            with: try JID("bo@example.org"), start: DateTime("2031-03-04T00:00:00Z"),
            end: DateTime("2031-03-05T00:00:00Z"), fields: ["{urn:example}text": ["word"]])
        async let fetched = online.session.archive().page(filter, PageRequest(.after("a1"), limit: 20))
        let question = await online.expectQuestion()
        #expect(question.iq["to"] == nil && question.iq["type"] == "set")
        #expect(question.queryID.utf8.count >= 20)
        #expect(question.page == PageRequest(.after("a1"), limit: 20))
        let form = try #require(question.form)
        #expect(form.kind == .submit && form.formType == "urn:xmpp:mam:2")
        #expect(form["with"]?.values == ["bo@example.org"] && form["start"]?.values == ["2031-03-04T00:00:00Z"])
        #expect(form["end"]?.values == ["2031-03-05T00:00:00Z"] && form["{urn:example}text"]?.values == ["word"])
        #expect(form["after-id"] == nil && form["include-groupchat"] == nil)
        online.result(question, "a2", stamp: "2031-03-04T05:06:07.25Z")
        online.result(question, "a3", from: "juliet@example.org")
        online.end(question, complete: false, first: "a2", last: "a3", more: "stable='false' ")
        let page = try await fetched
        #expect(page.messages.map(\.id) == ["a2", "a3"])
        #expect(page.messages.first?.stamp?.description == "2031-03-04T05:06:07.25Z")
        #expect(page.messages.map(\.message.body) == ["a2", "a3"])
        #expect(page.info == PageInfo(first: "a2", last: "a3"))
        #expect(!page.isComplete && !page.isStable && page.unreadable == 0)
        await online.end()
    }

    @Test("B141 T106 results count only from the archive that was asked and with the open query's id")
    func senders() async throws {
        let online = try await OnlineSession()
        let heard = online.session.messages()
        async let fetched = online.session.archive().page()
        let question = await online.expectQuestion()
        online.result(question, "none")
        online.result(question, "own", from: "juliet@example.org")
        online.result(question, "forged", from: "mal@example.net/x")
        online.result(question, "full", from: "juliet@example.org/balcony")
        online.result(question, "domain", from: "example.org")
        online.result(question, "unknown", queryID: "guess")
        online.result(question, "unnamed", queryID: "")
        online.end(question, first: "none", last: "own")
        #expect(try await fetched.messages.map(\.id) == ["none", "own"])
        online.result(question, "late")
        online.peer.inject("<message from='bo@example.org/p'><body>live</body></message>")
        var iterator = heard.makeAsyncIterator()
        #expect(try await iterator.next()?.body == "live")
        await online.end()
    }

    @Test("T106 the archive of a room answers as the room and as nobody else")
    func room() async throws {
        let online = try await OnlineSession()
        let room = try JID("tearoom@rooms.example.org")
        async let fetched = online.session.archive(of: room).page()
        let question = await online.expectQuestion()
        #expect(question.iq["to"] == room.description)
        online.result(question, "own", from: "juliet@example.org")
        online.result(question, "none")
        online.result(question, "occupant", from: "tearoom@rooms.example.org/eli")
        online.result(question, "room", from: room.description)
        online.end(question, from: room.description, first: "r", last: "r")
        let page = try await fetched
        #expect(page.messages.map(\.id) == ["room"])
        #expect(page.info.last == "r")
        await online.end()
    }

    @Test("T107 what an archived message of a room says about real addresses does not change its author")
    func forgedAddress() async throws {
        let online = try await OnlineSession()
        let room = try JID("tearoom@rooms.example.org")
        async let fetched = online.session.archive(of: room).page()
        let question = await online.expectQuestion()
        online.result(
            question, "a", from: room.description,
            inner: "<message xmlns='jabber:client' type='groupchat' from='tearoom@rooms.example.org/eli'><body>x</body>"
                + "<x xmlns='http://jabber.org/protocol/muc#user'><item jid='victim@example.org'/></x></message>")
        online.end(question, from: room.description, first: "a", last: "a")
        let message = try #require(try await fetched.messages.first)
        #expect(message.message.author?.address.description == "tearoom@rooms.example.org/eli")
        #expect(try !message.isOutgoing(for: JID("victim@example.org")))
        await online.end()
    }

    @Test("T106 two queries at a time do not get each other's results")
    func twoQueries() async throws {
        let online = try await OnlineSession()
        let room = try JID("tearoom@rooms.example.org")
        async let own = online.session.archive().page()
        let first = await online.expectQuestion()
        async let other = online.session.archive(of: room).page()
        let second = await online.expectQuestion()
        online.result(first, "mixed", from: room.description)
        online.result(second, "mixed", from: "juliet@example.org")
        online.result(second, "b", from: room.description)
        online.result(first, "a")
        online.end(second, from: room.description, first: "b", last: "b")
        online.end(first, first: "a", last: "a")
        #expect(try await own.messages.map(\.id) == ["a"])
        #expect(try await other.messages.map(\.id) == ["b"])
        await online.end()
    }

    @Test("B140 a message that inherits the namespace of the wrap is read all the same")
    func inherited() async throws {
        let online = try await OnlineSession()
        async let fetched = online.session.archive().page()
        let question = await online.expectQuestion()
        online.result(
            question, "a",
            inner:
                "<message from='bo@example.org/p' id='m1' xml:lang='en'><body>Hi</body><x xmlns='urn:x'>y</x></message>"
        )
        online.end(question, first: "a", last: "a")
        let message = try #require(try await fetched.messages.first?.message)
        #expect(message.body == "Hi" && message.id == "m1" && message.language == "en")
        #expect(message.payload(XMLName("x", "urn:x"))?.text == "y")
        await online.end()
    }

    @Test("messages that were removed or break the rules are counted, and the page is good")
    func unreadable() async throws {
        let online = try await OnlineSession()
        async let fetched = online.session.archive().page()
        let question = await online.expectQuestion()
        online.result(question, "gone", inner: "")
        online.result(question, "two", inner: String(repeating: "<message xmlns='jabber:client'/>", count: 2))
        online.result(question, "bad", inner: "<message xmlns='jabber:client' from='@'/>")
        online.result(question, "", inner: nil)
        online.result(question, "good")
        online.end(question, first: "gone", last: "good")
        let page = try await fetched
        #expect(page.unreadable == 4 && page.messages.map(\.id) == ["good"])
        await online.end()
    }

    @Test("B142 direction comes from the sender, the time from the delay")
    func direction() async throws {
        let online = try await OnlineSession()
        async let fetched = online.session.archive().page()
        let question = await online.expectQuestion()
        online.result(
            question, "out",
            inner: "<message xmlns='jabber:client' from='juliet@example.org/old' to='bo@example.org'/>")
        online.result(question, "in")
        // To somebody's own account: who it is to says nothing.
        online.result(
            question, "note",
            inner: "<message xmlns='jabber:client' from='juliet@example.org/old' to='juliet@example.org'/>")
        online.end(question, first: "out", last: "note")
        let page = try await fetched
        let own = try JID("juliet@example.org/balcony")
        #expect(page.messages.map { $0.isOutgoing(for: own) } == [true, false, true])
        await online.end()
    }

    @Test("T108 more messages than were asked for are not taken")
    func tooMuch() async throws {
        let online = try await OnlineSession()
        async let error = failure {
            _ = try await online.session.archive().page(ArchiveFilter(), PageRequest(limit: 2))
        }
        let question = await online.expectQuestion()
        for id in ["a", "b", "c"] { online.result(question, id) }
        online.end(question, first: "a", last: "c")
        #expect(await error?.code == .invalidReply)
        await online.end()
    }

    @Test("B139 a position that is gone is told as such, other refusals as what they are")
    func positionGone() async throws {
        let online = try await OnlineSession()
        async let gone = failure {
            _ = try await online.session.archive().page(ArchiveFilter(), PageRequest(.after("old")))
        }
        let first = await online.expectQuestion()
        refuse(online, first, "item-not-found")
        #expect(await gone?.code == .archivePositionUnknown)
        async let forbidden = failure { _ = try await online.session.archive().page() }
        let second = await online.expectQuestion()
        refuse(online, second, "forbidden")
        #expect(await forbidden?.stanzaError?.condition == .forbidden)
        async let odd = failure { _ = try await online.session.archive().page() }
        let third = await online.expectQuestion()
        online.peer.inject("<iq type='result' id='\(third.id)'/>")
        #expect(await odd?.code == .invalidReply)
        await online.end()
    }

    func refuse(_ online: OnlineSession, _ question: ArchiveQuestion, _ condition: String) {
        online.peer.inject(
            "<iq type='error' id='\(question.id)'><error type='cancel'>"
                + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    }

    @Test("a cancelled query is forgotten, and what still comes for it is dropped")
    func cancelled() async throws {
        let online = try await OnlineSession()
        let heard = online.session.messages()
        let task = Task { try await online.session.archive().page() }
        let question = await online.expectQuestion()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        online.result(question, "a")
        online.end(question)
        online.peer.inject("<message from='bo@example.org/p'><body>live</body></message>")
        var iterator = heard.makeAsyncIterator()
        #expect(try await iterator.next()?.body == "live")
        await online.end()
    }

    @Test("OF50 an archive that never says it is incomplete, and names pages otherwise than messages, is read on")
    func openfire() async throws {
        let online = try await OnlineSession()
        let pages = Task { try await collect(online.session.archive().pages(from: PageRequest(limit: 2))) }
        let first = await online.expectQuestion()
        online.result(first, "90210")
        online.result(first, "90211")
        online.end(first, complete: false, first: "s1", last: "s2", more: "queryid='\(first.queryID)' ")
        let second = await online.expectQuestion()
        #expect(second.page?.position == .after("s2"))
        online.result(second, "90212")
        online.end(second, complete: true, first: "s3", last: "s3")
        #expect(try await pages.value == [["90210", "90211"], ["90212"]])
        await online.end()
    }

    func collect(_ pages: ResultPages<ArchivePage>) async throws -> [[String]] {
        var all: [[String]] = []
        for try await page in pages { all.append(page.messages.map(\.id)) }
        return all
    }
}
