// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Paging through an archive (XEP-0313 §4.3)", .timeLimit(.minutes(1)))
struct MessageArchivePagingTests {
    func collect(_ pages: ResultPages<ArchivePage>) async -> (ids: [[String]], error: XMPPError?) {
        var all: [[String]] = []
        do {
            for try await page in pages { all.append(page.messages.map(\.id)) }
            return (all, nil)
        } catch { return (all, error as? XMPPError) }
    }

    func answer(_ online: OnlineSession, _ ids: String..., complete: Bool = false) async -> ArchiveQuestion {
        let question = await online.expectQuestion()
        for id in ids { online.result(question, id) }
        online.end(question, complete: complete, first: ids.first, last: ids.last)
        return question
    }

    @Test("pages forward to the end, each asked for after the last message of the one before")
    func forward() async throws {
        let online = try await OnlineSession()
        let all = Task { await collect(online.session.archive().pages(from: PageRequest(.after("0"), limit: 2))) }
        let first = await answer(online, "1", "2")
        let second = await answer(online, "3", "4")
        _ = await answer(online, "5", complete: true)
        #expect(first.page == PageRequest(.after("0"), limit: 2) && second.page == PageRequest(.after("2"), limit: 2))
        let (ids, error) = await all.value
        #expect(ids == [["1", "2"], ["3", "4"], ["5"]] && error == nil)
        await online.end()
    }

    @Test("T110 T111 paging goes on behind what the archive named, whatever lives or calls itself otherwise meanwhile")
    func names() async throws {
        let online = try await OnlineSession()
        var live = online.session.messages().makeAsyncIterator()
        let all = Task { await collect(online.session.archive().pages(from: PageRequest(.after("a0"), limit: 2))) }
        let first = await online.expectQuestion()
        func inner(_ id: String) -> String {
            "<message xmlns='jabber:client' from='bo@example.org/p' to='juliet@example.org' id='\(id)' type='chat'>"
                + "<body>x</body><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/></message>"
        }
        online.result(first, "a1", inner: inner("wire-1"))
        // A live message comes before the end of the page, with its place in the archive.
        online.peer.inject(
            "<message from='bo@example.org/p' to='juliet@example.org' type='chat' id='wire-9'><body>live</body>"
                + "<stanza-id xmlns='urn:xmpp:sid:0' by='juliet@example.org' id='a9'/></message>")
        online.result(first, "a2", inner: inner("wire-2"))
        online.end(first, complete: false, first: "a1", last: "a2")
        let second = await answer(online, "a3", complete: true)
        #expect(first.page?.position == .after("a0") && second.page?.position == .after("a2"))
        #expect(await all.value.ids == [["a1", "a2"], ["a3"]])
        let message = try await live.next()
        let own = try JID("juliet@example.org")
        #expect(message?.body == "live" && message?.stanzaID(by: own) == "a9")
        await online.end()
    }

    @Test("pages backward from the end")
    func backward() async throws {
        let online = try await OnlineSession()
        let all = Task { await collect(online.session.archive().pages(from: PageRequest(.last, limit: 2))) }
        let first = await answer(online, "4", "5")
        let second = await answer(online, "2", "3")
        _ = await answer(online, "1", complete: true)
        #expect(first.page?.position == .last && second.page?.position == .before("4"))
        #expect(await all.value.ids == [["4", "5"], ["2", "3"], ["1"]])
        await online.end()
    }

    @Test("B143 T108 overlapping pages give each message once, in the order of the archive")
    func overlap() async throws {
        let online = try await OnlineSession()
        let all = Task { await collect(online.session.archive().pages(from: PageRequest(limit: 3))) }
        _ = await answer(online, "1", "2", "3")
        _ = await answer(online, "2", "3", "4")
        _ = await answer(online, "4", "5", complete: true)
        #expect(await all.value.ids == [["1", "2", "3"], ["4"], ["5"]])
        await online.end()
    }

    @Test("T108 an archive that goes in circles, or repeats itself, ends with a gap that is told")
    func circles() async throws {
        let online = try await OnlineSession()
        let circle = Task { await collect(online.session.archive().pages(from: PageRequest(limit: 2))) }
        _ = await answer(online, "1", "2")
        _ = await answer(online, "3", "2")
        var outcome = await circle.value
        #expect(outcome.ids == [["1", "2"], ["3"]] && outcome.error?.code == .listIncomplete)
        let same = Task { await collect(online.session.archive().pages(from: PageRequest(limit: 2))) }
        _ = await answer(online, "1", "2")
        _ = await answer(online, "1", "2")
        outcome = await same.value
        #expect(outcome.ids == [["1", "2"], []] && outcome.error?.code == .listIncomplete)
        let empty = Task { await collect(online.session.archive().pages(from: PageRequest(limit: 2))) }
        _ = await answer(online)
        outcome = await empty.value
        #expect(outcome.ids == [[]] && outcome.error?.code == .listIncomplete)
        let endless = Task { await collect(online.session.archive().pages(from: PageRequest(limit: 1), pageCap: 2)) }
        _ = await answer(online, "1")
        _ = await answer(online, "2")
        outcome = await endless.value
        #expect(outcome.ids == [["1"], ["2"]] && outcome.error?.code == .listIncomplete)
        await online.end()
    }

    @Test("where the archive is extended, identifiers go into the form and pages are flipped by it; asked for once")
    func extended() async throws {
        let online = try await OnlineSession()
        let archive = online.session.archive()
        let filter = ArchiveFilter(afterID: "a", beforeID: "z", includesRooms: false)
        async let fetched = archive.page(filter, isFlipped: true)
        await online.tellFeatures("urn:xmpp:mam:2", "urn:xmpp:mam:2#extended", "urn:xmpp:mam:2#groupchat-field")
        let question = await answer(online, "c", "b", complete: true)
        #expect(question.isFlipped)
        #expect(question.form?["after-id"]?.values == ["a"] && question.form?["before-id"]?.values == ["z"])
        #expect(question.form?["include-groupchat"]?.values == ["false"])
        #expect(try await fetched.messages.map(\.id) == ["c", "b"])
        async let again = archive.messages(ids: ["b", "c"])
        let ids = await answer(online, "b", "c", complete: true)
        #expect(ids.form?["ids"]?.values == ["b", "c"] && ids.page?.limit == 2)
        #expect(try await again.count == 2)
        await online.end()
    }

    @Test("where it is not, paging and cutting stand for them")
    func fallback() async throws {
        let online = try await OnlineSession()
        let archive = online.session.archive()
        let filter = ArchiveFilter(afterID: "a", beforeID: "c", includesRooms: false)
        async let forward = archive.page(filter)
        await online.tellFeatures("urn:xmpp:mam:2")
        let first = await answer(online, "b", "c", "d")
        #expect(first.page?.position == .after("a") && first.form == nil)
        let page = try await forward
        #expect(page.messages.map(\.id) == ["b"] && page.isComplete)
        async let backward = archive.page(filter, PageRequest(.last), isFlipped: true)
        let second = await answer(online, "0", "a", "b1", "b2")
        #expect(second.page?.position == .before("c") && !second.isFlipped)
        let flipped = try await backward
        #expect(flipped.messages.map(\.id) == ["b2", "b1"] && flipped.isComplete)
        await online.end()
    }

    @Test("where it is not, a message is found beside the one before it, the first one at the beginning")
    func singleMessages() async throws {
        let online = try await OnlineSession()
        async let fetched = online.session.archive().messages(ids: ["m", "first"])
        await online.tellFeatures("urn:xmpp:mam:2")
        let before = await answer(online, "l")
        let after = await answer(online, "m")
        #expect(before.page == PageRequest(.before("m"), limit: 1) && after.page == PageRequest(.after("l"), limit: 1))
        _ = await answer(online, complete: true)
        let beginning = await answer(online, "first")
        #expect(beginning.page == PageRequest(.first, limit: 1))
        #expect(try await fetched.map(\.id) == ["m", "first"])
        await online.end()
    }

    @Test("an archive tells what it holds, or is asked for its first and last message")
    func metadata() async throws {
        let online = try await OnlineSession()
        let room = try JID("tearoom@rooms.example.org")
        async let told = online.session.archive(of: room).metadata()
        await online.tellFeatures("urn:xmpp:mam:2", "urn:xmpp:mam:2#extended")
        let get = await online.peer.expect("iq")
        #expect(get?["to"] == room.description && get?.children.first?.localName == "metadata")
        online.peer.inject(
            "<iq type='result' id='\(get?["id"] ?? "")' from='\(room)'><metadata xmlns='urn:xmpp:mam:2'>"
                + "<start id='a' timestamp='2031-03-04T05:06:07Z'/><end id='z' timestamp='2031-03-05T05:06:07Z'/>"
                + "</metadata></iq>")
        #expect(try await told.start?.id == "a")
        #expect(try await told.end?.stamp.description == "2031-03-05T05:06:07Z")
        async let found = online.session.archive().metadata()
        await online.tellFeatures("urn:xmpp:mam:2")
        #expect(await answer(online, "a").page == PageRequest(.first, limit: 1))
        #expect(await answer(online, "z").page == PageRequest(.last, limit: 1))
        #expect(try await found.start?.id == "a")
        #expect(try await found.end?.id == "z")
        async let empty = online.session.archive().metadata()
        _ = await answer(online, complete: true)
        #expect(try await empty.isEmpty)
        await online.end()
    }

    @Test("the fields that can be asked for are told")
    func form() async throws {
        let online = try await OnlineSession()
        async let form = online.session.archive().queryForm()
        let get = await online.peer.expect("iq")
        #expect(get?["type"] == "get" && get?.children.first?.name == XMLName("query", "urn:xmpp:mam:2"))
        online.peer.inject(
            "<iq type='result' id='\(get?["id"] ?? "")'><query xmlns='urn:xmpp:mam:2'><x xmlns='jabber:x:data' type='form'>"
                + "<field type='jid-single' var='with'/></x></query></iq>")
        #expect(try await form["with"]?.kind == .address)
        await online.end()
    }
}
