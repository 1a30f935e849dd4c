// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Requests of a session", .timeLimit(.minutes(1)))
struct SessionRequestsTests {
    static let version = XMLName("query", "jabber:iq:version")

    /// Starts a request and gives its id on the wire.
    static func ask(_ fixture: SessionFixture, to: String?) async throws -> (Task<IQ, any Error>, String) {
        let to = try to.map { try JID($0) }
        let task = Task { try await fixture.session.get(Element(version), to: to) }
        let request = await fixture.expect("iq")
        return (task, try #require(request?["id"]))
    }

    @Test("T068 B61 a reply from somebody else is dropped, and the right one still counts")
    func forgedReplies() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let (reply, id) = try await Self.ask(fixture, to: "bo@example.org/p")
        for from in [
            "from='mal@example.net/x'", "from='bo@example.org'", "from='example.org'", "", "from='bo@example.org/P'",
            "from='juliet@example.org'",
        ] {
            fixture.peer.inject(
                "<iq type='result' id='\(id)' \(from)><query xmlns='jabber:iq:version'><name>evil</name></query></iq>")
        }
        fixture.peer.inject(
            "<iq type='result' id='\(id)' from='bo@example.org/p'><query xmlns='jabber:iq:version'><name>good</name></query></iq>"
        )
        #expect(try await reply.value.payload?.child(XMLName("name", "jabber:iq:version"))?.text == "good")
        #expect(await fixture.session.droppedStanzas == 6)
        await fixture.leave()
    }

    @Test(
        "T070 OF20 the server answers for the account in each way that RFC 6120 knows",
        arguments: [
            "", "from='juliet@example.org'", "from='example.org'", "from='juliet@example.org/balcony'",
        ])
    func legalReplies(_ from: String) async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let (reply, id) = try await Self.ask(fixture, to: nil)
        fixture.peer.inject("<iq type='result' id='\(id)' \(from)/>")
        #expect(try await reply.value.kind == .result)
        await fixture.leave()
    }

    @Test("T071 B56 a request with an open id completes nothing, and a second reply is dropped")
    func completesOnce() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let (reply, id) = try await Self.ask(fixture, to: "bo@example.org/p")
        fixture.peer.inject("<iq type='set' id='\(id)' from='bo@example.org/p'><x xmlns='urn:example:odd'/></iq>")
        let refusal = await fixture.expect("iq")
        #expect(refusal?["type"] == "error")
        fixture.peer.inject(
            "<iq type='error' id='\(id)' from='bo@example.org/p'><error type='cancel'>"
                + "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
        fixture.peer.inject("<iq type='result' id='\(id)' from='bo@example.org/p'/>")
        await #expect(throws: XMPPError.self) { try await reply.value }
        #expect(await fixture.count() == "3")
        #expect(await fixture.session.droppedStanzas == 1)
        await fixture.leave()
    }

    @Test("T069 ids are random: 22 characters each, none like another")
    func randomIDs() async throws {
        let fixture = try SessionFixture { $0.randomness = SystemRandomness() }
        try await fixture.connect()
        var ids: Set<String> = []
        for _ in 0..<50 {
            let (reply, id) = try await Self.ask(fixture, to: nil)
            ids.insert(id)
            reply.cancel()
        }
        #expect(ids.count == 50)
        #expect(ids.allSatisfy { $0.utf8.count == 22 })
        // Sequential ids would share a long beginning.
        #expect(Set(ids.map { $0.prefix(4) }).count > 40)
        await fixture.leave()
    }

    @Test("B57 B59 an unknown request is refused once, to its sender, and a ping gets one empty result")
    func answersRequests() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        fixture.peer.inject("<iq type='get' id='q7' from='bo@example.org/p'><x xmlns='urn:example:odd'/></iq>")
        let refusal = await fixture.expect("iq")
        #expect(refusal?["id"] == "q7" && refusal?["to"] == "bo@example.org/p" && refusal?["type"] == "error")
        #expect(refusal?.xml.contains("service-unavailable") == true)
        fixture.peer.inject("<iq type='get' id='p1' from='example.org'><ping xmlns='urn:xmpp:ping'/></iq>")
        let pong = await fixture.expect("iq")
        #expect(pong?["id"] == "p1" && pong?["to"] == "example.org" && pong?["type"] == "result")
        #expect(pong?.children.contains { _ in true } == false)
        #expect(await fixture.count() == "2")
        await fixture.leave()
    }

    @Test(
        "T072 B60 a broken request is refused or dropped, the stream lives, and everything counts",
        arguments: [
            ("type='get' id='1'", "", true), ("type='set' id='1'", "", true),
            ("type='get' id='1'", "<a xmlns='urn:example:a'/><b xmlns='urn:example:b'/>", true),
            ("type='get'", "<a xmlns='urn:example:a'/>", false),
            ("type='get' id=''", "<a xmlns='urn:example:a'/>", false),
            ("id='d1'", "<x xmlns='urn:example:odd'/>", false),
            ("type='bogus' id='1'", "<x xmlns='urn:example:odd'/>", false),
            ("type='GET' id='1'", "<x xmlns='urn:example:odd'/>", false), ("type='result' id='1'", "", false),
            ("type='error' id='1'", "<error type='cancel'/>", false), ("type='error'", "", false),
            ("type='result'", "<x xmlns='urn:example:odd'/>", false),
        ])
    func brokenRequests(_ attributes: String, _ children: String, _ isAnswered: Bool) async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        fixture.peer.inject("<iq \(attributes) from='bo@example.org/p'>\(children)</iq>")
        if isAnswered {
            let answer = await fixture.expect("iq")
            #expect(answer?["type"] == "error" && answer?["id"] == "1" && answer?["to"] == "bo@example.org/p")
            #expect(answer?.xml.contains("bad-request") == true)
        }
        // Had there been an answer, it would stand before this one.
        #expect(await fixture.count() == "1")
        #expect(await fixture.session.droppedStanzas == 1)
        await fixture.leave()
    }

    @Test("T072 T098 replies to a flood of requests stop when nobody takes them")
    func floodOfRequests() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        await fixture.peer.blockNetwork(true)
        let id = String(repeating: "i", count: 1000)
        let flood = "<iq type='get' id='\(id)' from='mal@example.net/x'><x xmlns='urn:example:odd'/></iq>"
        for _ in 0..<20 { fixture.peer.inject(String(repeating: flood, count: 50)) }
        fixture.peer.inject(SessionFixture.message("after"))
        var messages = fixture.session.messages().makeAsyncIterator()
        fixture.peer.inject(SessionFixture.message("later"))
        _ = try await messages.next()
        #expect(await fixture.session.droppedStanzas > 500)
        await fixture.peer.blockNetwork(false)
        await fixture.leave()
    }

    @Test("B59 a module that answers later answers once, and not at all after the stream")
    func laterAnswers() async throws {
        struct Slow: SessionModule {
            var requests: [XMLName] { [XMLName("slow", "urn:example:slow")] }
            func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
                .later { .result(Element(XMLName("done", "urn:example:slow"))) }
            }
        }
        let fixture = try SessionFixture { $0.modules = [Slow()] }
        try await fixture.connect()
        fixture.peer.inject("<iq type='get' id='s' from='bo@example.org/p'><slow xmlns='urn:example:slow'/></iq>")
        let answer = await fixture.expect("iq")
        #expect(answer?["type"] == "result" && answer?.xml.contains("done") == true)
        #expect(await fixture.count() == "1")
        await fixture.leave()
    }

    @Test("a request that nobody answers ends by its timeout, and its late reply is dropped")
    func timesOut() async throws {
        let fixture = try SessionFixture(movesClock: true)
        try await fixture.connect()
        let (reply, id) = try await Self.ask(fixture, to: "bo@example.org/p")
        await fixture.peer.expect("r")
        fixture.acknowledge(1)
        #expect(await fixture.count() == "0")
        await fixture.clock.advanceWhenPlanned(by: .seconds(30))
        await #expect { try await reply.value } throws: { ($0 as? XMPPError)?.code == .timedOut }
        fixture.peer.inject("<iq type='result' id='\(id)' from='bo@example.org/p'/>")
        #expect(await fixture.count() == "1")
        #expect(await fixture.session.droppedStanzas == 1)
        await fixture.leave()
    }

    @Test("T071 cancelling a request forgets it at once")
    func cancels() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let (reply, id) = try await Self.ask(fixture, to: "bo@example.org/p")
        reply.cancel()
        await #expect(throws: CancellationError.self) { try await reply.value }
        fixture.peer.inject("<iq type='result' id='\(id)' from='bo@example.org/p'/>")
        #expect(await fixture.count() == "1")
        #expect(await fixture.session.droppedStanzas == 1)
        await fixture.leave()
    }

    @Test(
        "T073 B63 only one's own account changes the contact list, and a forger hears nothing",
        arguments: [
            ("", true), ("from='juliet@example.org'", true), ("from='mal@example.net/x'", false),
            ("from='juliet@example.org/balcony'", false), ("from='juliet@example.org/other'", false),
            ("from='example.org'", false), ("from='juliet@example.net'", false),
        ])
    func rosterPushes(_ from: String, _ isTaken: Bool) async throws {
        let pushes = RosterPushes()
        let fixture = try SessionFixture { $0.modules = [RosterModule { pushes.add($0) }] }
        try await fixture.connect()
        fixture.peer.inject(
            "<iq type='set' id='push' \(from)><query xmlns='jabber:iq:roster'><item jid='x@evil.example' "
                + "subscription='both'/></query></iq>")
        if isTaken {
            let answer = await fixture.expect("iq")
            #expect(answer?["type"] == "result" && answer?["id"] == "push")
        }
        #expect(await fixture.count() == "1")
        #expect(pushes.count == (isTaken ? 1 : 0))
        await fixture.leave()
    }
}
