// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("A session that resumes", .timeLimit(.minutes(2)))
struct SessionResumingTests {
    static let truncated = TransportError(.truncated, "the connection ended without the closing message of TLS")

    @Test("T007 T029 an end in the middle of a stanza has no effect, and what follows is a resumption")
    func cutAnywhere() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        let bytes = Array(SessionFixture.message("é&lt;x/>🦊").utf8)
        for (handled, cut) in stride(from: 1, to: bytes.count, by: 1).enumerated() {
            fixture.peer.inject(Array(bytes[..<cut]))
            fixture.peer.cut(Self.truncated)
            #expect(await fixture.acceptResumption(h: 0) == String(handled))
            fixture.peer.inject(bytes)
            #expect(try await messages.next()?.body == "é<x/>🦊")
        }
        #expect(await fixture.count() == String(bytes.count - 1))
        await fixture.leave()
    }

    @Test(
        "T029 an unclean end is no logout: nothing is said, everything is kept",
        arguments: [
            TransportError(.truncated, "truncated"), TransportError(.reset, "reset"),
            TransportError(.timedOut, "timed out"),
        ])
    func uncleanEnd(_ error: TransportError) async throws {
        let fixture = try SessionFixture()
        var events = EventReader(fixture.session)
        try await fixture.connect()
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "unacknowledged", id: "u1"))
        await fixture.expect("message")
        await fixture.peer.expect("r")
        fixture.peer.cut(error)
        await fixture.acceptResumption(h: 0)
        let again = await fixture.expect("message")
        #expect(again?["id"] == "u1" && again?.xml.contains("unacknowledged") == true)
        await fixture.peer.expect("r")
        fixture.acknowledge(1)
        try await ticket.acknowledged()
        #expect(try await events.interruption()?.0.isRetryable == true)
        #expect(!fixture.peer.writtenText.contains("</stream:stream>"))
        await fixture.leave()
    }

    @Test("T092 B148 the counters go on after a resumption")
    func countersGoOn() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        for index in 0..<20 { fixture.peer.inject(SessionFixture.message("\(index)")) }
        #expect(await fixture.count() == "20")
        fixture.peer.cut()
        #expect(await fixture.acceptResumption(h: 0) == "20")
        fixture.peer.inject(SessionFixture.message("one more"))
        #expect(await fixture.count() == "21")
        await fixture.leave()
    }

    @Test("T092 a resumed stream is asked for its count at once, with what it repeats or alone")
    func asksForProof() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        fixture.peer.cut()
        await fixture.acceptResumption(h: 0, answers: false)
        await fixture.peer.expect("r")
        fixture.acknowledge(0)
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "1", id: "1"))
        #expect(await fixture.message()?["id"] == "1")
        await fixture.peer.expect("r")
        fixture.peer.cut()
        await fixture.acceptResumption(h: 0, answers: false)
        #expect(await fixture.message()?["id"] == "1")
        await fixture.peer.expect("r")
        fixture.acknowledge(1)
        fixture.peer.cut()
        await fixture.acceptResumption(h: 1, answers: false)
        await fixture.peer.expect("r")
        // What goes out while the question is open is asked for after the answer.
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "2", id: "2"))
        #expect(await fixture.peer.expect("message")?["id"] == "2")
        fixture.acknowledge(1)
        await fixture.peer.expect("r")
        fixture.acknowledge(2)
        try await ticket.acknowledged()
        await fixture.leave()
    }

    @Test("T092 a resumed stream that answered nothing is taken up for its count alone, and a new one gets the rest")
    func unanswered() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        let to = try JID("bo@example.org")
        var tickets: [SendTicket] = []
        for number in 1...4 {
            tickets.append(try await fixture.session.send(.chat(to: to, "\(number)", id: "\(number)")))
            #expect(await fixture.message()?["id"] == "\(number)")
        }
        fixture.peer.cut()
        await fixture.acceptResumption(h: 1, answers: false)
        for number in 2...4 { #expect(await fixture.message()?["id"] == "\(number)") }
        await fixture.peer.expect("r")
        fixture.peer.inject(SessionFixture.message("handled"))
        #expect(try await messages.next()?.body == "handled")
        fixture.peer.cut()
        // The count goes on in both directions; nothing that comes after it is handled, and nothing is written.
        await fixture.acceptReconnection()
        #expect(await fixture.peer.expect("resume")?["h"] == "1")
        fixture.peer.inject(
            "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='2'/>" + SessionFixture.message("comes again"))
        try await tickets[1].acknowledged()
        #expect(await fixture.peer.expectEnd() == nil)
        await fixture.acceptReconnection()
        await fixture.peer.acceptBind(id: "sm-2")
        for number in 3...4 { #expect(await fixture.message()?["id"] == "\(number)") }
        fixture.acknowledge(2)
        try await tickets[3].acknowledged()
        fixture.peer.inject(SessionFixture.message("comes again"))
        #expect(try await messages.next()?.body == "comes again")
        fixture.peer.cut()
        #expect(await fixture.acceptResumption(h: 2, previous: "sm-2") == "1")
        await fixture.leave()
    }

    @Test("B152 T096 what was open goes first after a resumption, then what came meanwhile, each once")
    func orderAfterResumption() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let to = try JID("bo@example.org")
        for number in 7...8 { try await fixture.session.send(.chat(to: to, "\(number)", id: "\(number)")) }
        #expect(await fixture.expect("message")?["id"] == "7")
        fixture.peer.cut()
        await fixture.acceptReconnection()
        try await fixture.session.send(.chat(to: to, "N", id: "N"))
        #expect(await fixture.peer.expect("resume")?["h"] == "0")
        fixture.peer.inject("<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>")
        var ids: [String] = []
        while ids.last != "N", let step = await fixture.peer.next() {
            if case .element(let element) = step, element.localName == "message" { ids.append(element["id"] ?? "") }
        }
        // Before the cut the second one may have been written, too.
        #expect(ids.suffix(3) == ["7", "8", "N"])
        #expect(ids.filter { $0 == "N" }.count == 1)
        await fixture.leave()
    }

    @Test("B144 a refusal with a count resends only the rest, with the same ids")
    func refusedWithCount() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let to = try JID("bo@example.org")
        var tickets: [SendTicket] = []
        for number in 1...8 {
            tickets.append(try await fixture.session.send(.chat(to: to, "\(number)", id: "\(number)")))
            #expect(await fixture.message()?["id"] == "\(number)")
        }
        fixture.acknowledge(3)
        try await tickets[2].acknowledged()
        fixture.peer.cut()
        await fixture.refuseResumption(h: 6)
        try await tickets[5].acknowledged()
        #expect(await fixture.message()?["id"] == "7")
        #expect(await fixture.message()?["id"] == "8")
        fixture.acknowledge(2)
        try await tickets[7].acknowledged()
        await fixture.leave()
    }

    @Test("T095 a refusal without a count resends all messages with the same ids, and drops presence and requests")
    func refusedWithoutCount() async throws {
        let fixture = try SessionFixture()
        var events = EventReader(fixture.session)
        try await fixture.connect()
        let to = try JID("bo@example.org")
        try await fixture.session.send(.chat(to: to, "4", id: "4"))
        try await fixture.session.send(Presence(to: to))
        let request = Task { try await fixture.session.get(Element(XMLName("query", "jabber:iq:version")), to: to) }
        await fixture.expect("message")
        await fixture.expect("presence")
        await fixture.expect("iq")
        fixture.peer.cut()
        await fixture.refuseResumption()
        await #expect { try await request.value } throws: { ($0 as? XMPPError)?.code == .connectionLost }
        #expect(try await events.next { if case .dropped(let count) = $0 { count } else { nil } } == 2)
        #expect(await fixture.expect("message")?["id"] == "4")
        await fixture.peer.expect("r")
        fixture.acknowledge(1)
        #expect(await fixture.count() == "0")
        await fixture.leave()
    }

    @Test("a request that was under way when the connection broke is answered on the resumed stream")
    func requestsSurvive() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let request = Task { try await fixture.session.get(Element(XMLName("query", "jabber:iq:version"))) }
        let id = await fixture.expect("iq")?["id"] ?? ""
        await fixture.peer.expect("r")
        fixture.peer.cut()
        await fixture.acceptResumption(h: 1)
        fixture.peer.inject("<iq type='result' id='\(id)'/>")
        #expect(try await request.value.kind == .result)
        await fixture.leave()
    }

    @Test(
        "T088 B158 a count above what was sent is answered, believed in nothing, and never resumed",
        arguments: [
            "<a xmlns='urn:xmpp:sm:3' h='2'/>", "<a xmlns='urn:xmpp:sm:3' h='4294967295'/>",
        ])
    func countTooHigh(_ answer: String) async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        await fixture.expect("message")
        await fixture.peer.expect("r")
        fixture.peer.inject(answer)
        let error = await fixture.peer.expectEnd()
        #expect(error?.children.map(\.localName) == ["undefined-condition", "text", "handled-count-too-high"])
        let detail = error?.child(XMLName("handled-count-too-high", "urn:xmpp:sm:3"))
        #expect(detail?["send-count"] == "1")
        // The next stream is a new session, and the message is still to be delivered.
        await fixture.acceptReconnection()
        await fixture.peer.acceptBind(id: "sm-2")
        #expect(await fixture.expect("message")?["id"] == "h1")
        await fixture.peer.expect("r")
        fixture.acknowledge(1)
        try await ticket.acknowledged()
        await fixture.leave()
    }

    @Test("T088 B158 a resumption with a count above what was sent ends the session of before")
    func resumedTooHigh() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        for number in 1...3 {
            try await fixture.session.send(.chat(to: try JID("bo@example.org"), "\(number)", id: "\(number)"))
            _ = await fixture.message()
        }
        fixture.peer.cut()
        await fixture.acceptResumption(h: 40, answers: false)
        let error = await fixture.peer.expectEnd()
        let detail = error?.child(XMLName("handled-count-too-high", "urn:xmpp:sm:3"))
        #expect(detail?["h"] == "40" && detail?["send-count"] == "3")
        await fixture.acceptReconnection()
        await fixture.peer.acceptBind(id: "sm-2")
        for number in 1...3 { #expect(await fixture.message()?["id"] == "\(number)") }
        await fixture.leave()
    }

    @Test("T090 B150 the count wraps around in the middle of a session")
    func wrapsAround() async throws {
        let stored = StoredSession(
            state: SessionState(
                streamID: "sm-1", boundJID: try JID("juliet@example.org/balcony"), received: .max, sentOnStream: .max,
                acknowledgedOnStream: .max, nextSequence: 5_000_000_000),
            unacknowledged: [])
        let fixture = try SessionFixture(store: RecordingStore(stored))
        async let connecting: Void = fixture.session.connect()
        #expect(await fixture.acceptResumption(h: Int(UInt32.max)) == "4294967295")
        try await connecting
        fixture.peer.inject(SessionFixture.message("one") + SessionFixture.message("two"))
        #expect(await fixture.count() == "1")
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi"))
        #expect(ticket.sequence == 5_000_000_000)
        await fixture.expect("message")
        await fixture.peer.expect("r")
        fixture.acknowledge(0)
        try await ticket.acknowledged()
        await fixture.leave()
    }

    @Test(
        "T093 stream management out of order ends the stream",
        arguments: [
            "<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>",
            "<failed xmlns='urn:xmpp:sm:3'/>", "<enable xmlns='urn:xmpp:sm:3'/>",
            "<resume xmlns='urn:xmpp:sm:3' previd='x' h='0'/>",
            "<a xmlns='urn:xmpp:sm:3'/>", "<a xmlns='urn:xmpp:sm:3' h=''/>", "<a xmlns='urn:xmpp:sm:3' h='x'/>",
            "<a xmlns='urn:xmpp:sm:3' h='-1'/>", "<a xmlns='urn:xmpp:sm:3' h='4294967296'/>",
        ])
    func outOfOrder(_ text: String) async throws {
        let fixture = try SessionFixture { $0.reconnect = .never }
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(text)
        #expect(await fixture.peer.expectEnd() != nil)
        await #expect { try await messages.next() } throws: { ($0 as? XMPPError)?.code == .protocolViolation }
    }

    @Test("B153 T091 a stanza before <enabled/> is delivered and not counted")
    func beforeEnabled() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        async let connecting: Void = fixture.session.connect()
        await fixture.peer.acceptLogin(resumes: true)
        let bind = await fixture.expect("iq")
        fixture.peer.inject(
            "<iq type='result' id='\(bind?["id"] ?? "")'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                + "<jid>juliet@example.org/balcony</jid></bind></iq>")
        await fixture.peer.expect("enable")
        fixture.peer.inject(
            SessionFixture.message("early") + "<enabled xmlns='urn:xmpp:sm:3' id='sm-1' resume='true'/>"
                + SessionFixture.message("late"))
        try await connecting
        #expect(try await messages.bodies(2) == ["early", "late"])
        #expect(await fixture.count() == "1")
        await fixture.leave()
    }

    @Test("B08 every bind asks for the configured resource, whatever the server made of it")
    func resourceIsAWish() async throws {
        let fixture = try SessionFixture("juliet@example.org/phone")
        async let connecting: Void = fixture.session.connect()
        var bound = "juliet@example.org/phone-n1"
        await fixture.peer.acceptLogin(resumes: true)
        for round in 1...4 {
            let bind = await fixture.expect("iq")
            let name = XMLName("resource", "urn:ietf:params:xml:ns:xmpp-bind")
            #expect(bind?.children.first { _ in true }?.child(name)?.text == "phone")
            fixture.peer.inject(
                "<iq type='result' id='\(bind?["id"] ?? "")'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                    + "<jid>\(bound)</jid></bind></iq>")
            await fixture.peer.expect("enable")
            fixture.peer.inject("<enabled xmlns='urn:xmpp:sm:3' id='\(round)' resume='true'/>")
            #expect(await fixture.count() == "0")
            #expect(await fixture.session.jid?.description == bound)
            bound += "-n\(round + 1)"
            fixture.peer.cut()
            await fixture.acceptReconnection()
            await fixture.peer.expect("resume")
            fixture.peer.inject("<failed xmlns='urn:xmpp:sm:3'/>")
        }
        try await connecting
        await fixture.leave()
    }

    @Test("without stream management nothing is resumed, and requests end with the connection")
    func unmanaged() async throws {
        let fixture = try SessionFixture { $0.sendsAhead = false }
        try await fixture.connect(managed: false)
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        await fixture.expect("message")
        try await ticket.written()
        await #expect { try await ticket.acknowledged() } throws: { ($0 as? XMPPError)?.code == .notSupported }
        let request = Task { try await fixture.session.get(Element(XMLName("query", "jabber:iq:version"))) }
        await fixture.expect("iq")
        fixture.peer.cut()
        await #expect { try await request.value } throws: { ($0 as? XMPPError)?.code == .connectionLost }
        await fixture.acceptReconnection(features: SessionFixture.bindOnly)
        await fixture.peer.acceptBind(managed: false)
        let next = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "next", id: "h2"))
        #expect(await fixture.expect("message")?["id"] == "h2")
        try await next.written()
        await fixture.leave()
    }

}
