// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("A session that comes back", .timeLimit(.minutes(1)))
struct SessionReconnectingTests {
    static func streamError(_ condition: String, _ rest: String = "") -> String {
        "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>\(rest)</stream:error></stream:stream>"
    }

    @Test(
        "B21 OF04 condition, text and detail of a stream error come through, however it is spelled",
        arguments: [
            "<stream:error><system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/><text xml:lang='en' "
                + "xmlns='urn:ietf:params:xml:ns:xmpp-streams'>bye</text><x xmlns='urn:example:why'/></stream:error></stream:stream>",
            "<stream:error xmlns:stream=\"http://etherx.jabber.org/streams\"><x xmlns='urn:example:why'/><text "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\">bye</text><system-shutdown "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>",
            "<s:error xmlns:s='http://etherx.jabber.org/streams' xmlns:e='urn:ietf:params:xml:ns:xmpp-streams'><e:system-shutdown/>"
                + "<e:text>bye</e:text><x xmlns='urn:example:why'/></s:error>",
        ])
    func streamErrors(_ text: String) async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        fixture.peer.inject(text)
        let (error, wait) = try #require(try await events.interruption())
        #expect(error.streamError?.condition == .systemShutdown)
        #expect(error.streamError?.text == "bye")
        #expect(error.streamError?.application?.name == XMLName("x", "urn:example:why"))
        #expect(error.description.contains("bye"))
        #expect(await fixture.peer.expectEnd() == nil)
        await fixture.clock.advanceWhenPlanned(by: wait)
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.count() == "0")
        await fixture.leave()
    }

    @Test("B32 T009 OF12 whoever is replaced stays away, and does not take the session back later")
    func conflict() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(Self.streamError("conflict"))
        await #expect { try await messages.next() } throws: { ($0 as? XMPPError)?.code == .replaced }
        #expect(await fixture.peer.expectEnd() == nil)
        #expect(fixture.peer.connections == 1)
        // Told to by its user, it comes with a session of its own.
        try await fixture.connect(id: "sm-2")
        #expect(!fixture.peer.writtenText.contains("<resume"))
        await fixture.leave()
    }

    @Test("T043 B34 a login that is refused later ends the session, too")
    func refusedLater() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.cut()
        await fixture.peer.acceptTLS()
        fixture.peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await fixture.peer.expect("auth")
        fixture.peer.inject("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
        await #expect { try await messages.next() } throws: { ($0 as? XMPPError)?.code == .notAuthorized }
        #expect(fixture.peer.connections == 2)
    }

    @Test("T008 B17 the same failure after each login: the wait grows, and each time it is told")
    func growingWaits() async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        var waits: [Duration] = []
        for _ in 0..<6 {
            fixture.peer.inject("<message from='bo@example.org/p'><body>tea & cake</body></message>")
            let (error, wait) = try #require(try await events.interruption())
            #expect(error.code == .protocolViolation)
            waits.append(wait)
            #expect(await fixture.peer.expectEnd()?.children.first { _ in true }?.localName == "not-well-formed")
            await fixture.clock.advanceWhenPlanned(by: wait)
            await fixture.acceptResumption(h: 0)
            #expect(await fixture.count() == "0")
        }
        #expect(waits[0] <= .milliseconds(200))
        for (index, wait) in waits.enumerated().dropFirst() {
            let longest = Duration.seconds(1 << index)
            #expect(wait <= longest && wait >= longest / 2)
        }
        await fixture.leave()
    }

    @Test("T008 a server that refuses connections is asked less and less often, and the first failure of all is final")
    func refusedConnections() async throws {
        let refused = TransportError(.refused, "example.org refused the connection")
        let fixture = try SessionFixture(movesClock: true)
        fixture.peer.failNext([refused])
        await #expect { try await fixture.session.connect() } throws: { ($0 as? XMPPError)?.code == .connectionFailed }
        var events = EventReader(fixture.session)
        try await fixture.connect()
        fixture.peer.failNext([refused, refused, refused])
        fixture.peer.cut()
        var total = Duration.zero
        for _ in 0..<4 {
            let (_, wait) = try #require(try await events.interruption())
            total += wait
            await fixture.clock.advanceWhenPlanned(by: wait)
        }
        #expect(total > .seconds(6))
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.count() == "0")
        await fixture.leave()
    }

    @Test(
        "T067 a message that makes the server close the stream is given up after three errors, the others arrive",
        arguments: [
            "policy-violation", "not-well-formed", "undefined-condition", "internal-server-error",
        ])
    func poison(_ condition: String) async throws {
        let fixture = try SessionFixture()
        var events = EventReader(fixture.session)
        try await fixture.connect()
        let to = try JID("bo@example.org")
        var tickets: [String: SendTicket] = [:]
        for id in ["good-1", "poison", "good-2", "good-3"] {
            tickets[id] = try fixture.session.post(.chat(to: to, id, id: id))
        }
        var (handled, delivered, errors) = (0, [String](), 0)
        var waiting = ""
        while delivered.count < 3, errors < 10, let step = await fixture.peer.next() {
            guard case .element(let element) = step else {
                // A new stream begins; the old session is gone each time.
                if case .header = step {
                    fixture.peer.openStream(id: "clear", ScriptedPeer.tlsFeature)
                    await fixture.peer.expect("starttls")
                    fixture.peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
                    await fixture.peer.expectHeader()
                    fixture.peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
                    await fixture.peer.acceptSCRAM()
                    await fixture.peer.expectHeader()
                    fixture.peer.openStream(id: "up", ScriptedPeer.bindFeatures)
                    await fixture.peer.expect("resume")
                    fixture.peer.inject("<failed xmlns='urn:xmpp:sm:3'/>")
                    await fixture.peer.acceptBind(id: "sm-\(errors)")
                    (handled, waiting) = (0, "")
                }
                continue
            }
            switch element.localName {
            case "message" where waiting.isEmpty:
                waiting = element["id"] ?? ""
                if waiting == "poison" {
                    errors += 1
                    fixture.peer.inject(Self.streamError(condition))
                } else {
                    handled += 1
                    if !delivered.contains(waiting) { delivered.append(waiting) }
                    waiting = ""
                }
            case "r" where waiting != "poison": fixture.acknowledge(handled)
            default: break
            }
        }
        #expect(delivered == ["good-1", "good-2", "good-3"])
        #expect(errors >= 3 && errors <= 4)
        fixture.acknowledge(handled)
        let (id, error) = try #require(
            try await events.next { if case .undeliverable(let id, let error) = $0 { (id, error) } else { nil } })
        #expect(id == "poison" && error.code == .undeliverable)
        let failed = try #require(tickets["poison"])
        await #expect { try await failed.acknowledged() } throws: { ($0 as? XMPPError)?.code == .undeliverable }
        for id in delivered { try await tickets[id]?.acknowledged() }
        await fixture.leave()
    }

    @Test("T067 an acknowledgement without news does not send the suspect twice")
    func cautiousAcknowledgement() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let to = try JID("bo@example.org")
        for id in ["1", "2"] { try fixture.session.post(.chat(to: to, id, id: id)) }
        _ = await fixture.message()
        fixture.peer.inject(Self.streamError("internal-server-error"))
        await fixture.acceptResumption(h: 0, answers: false)
        #expect(await fixture.message()?["id"] == "1")
        await fixture.peer.expect("r")
        // The first answer proves that the stream is read, and is asked for again.
        fixture.acknowledge(0)
        await fixture.peer.expect("r")
        fixture.acknowledge(0)
        await fixture.peer.expectNothing()
        fixture.acknowledge(1)
        #expect(await fixture.expect("message")?["id"] == "2")
        await fixture.leave()
    }

    @Test(
        "T067 a resumed stream that cannot be read is no message's fault, and no reason to stop",
        arguments: ["not-well-formed", "policy-violation"])
    func misread(_ condition: String) async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        // With nothing to repeat, and with several messages.
        let rounds: [(String, [String])] = [("sm-1", []), ("sm-2", ["1", "2", "3"])]
        for (stream, ids) in rounds where ids.isEmpty || condition.hasPrefix("not") {
            for id in ids {
                try await fixture.session.send(.chat(to: try JID("bo@example.org"), id, id: id))
                #expect(await fixture.message()?["id"] == id)
            }
            fixture.peer.cut()
            await fixture.acceptResumption(h: 0, previous: stream, answers: false)
            for id in ids { #expect(await fixture.message()?["id"] == id) }
            await fixture.peer.expect("r")
            fixture.peer.inject(Self.streamError(condition))
            await fixture.acceptResumption(h: 0, previous: stream, answers: false)
            #expect(await fixture.peer.expectEnd() == nil)
            await fixture.acceptReconnection()
            await fixture.peer.acceptBind(id: stream == "sm-1" ? "sm-2" : "sm-3")
            // All at once: none is suspected.
            for id in ids { #expect(await fixture.message()?["id"] == id) }
            #expect(await fixture.count() == "0")
        }
        await fixture.leave()
    }

    @Test("T067 without stream management a stream error costs no message that was not written")
    func cautiousUnmanaged() async throws {
        let fixture = try SessionFixture { $0.sendsAhead = false }
        try await fixture.connect()
        let to = try JID("bo@example.org")
        for id in ["1", "2", "3"] { try fixture.session.post(.chat(to: to, id, id: id)) }
        _ = await fixture.message()
        fixture.peer.inject(Self.streamError("internal-server-error"))
        await fixture.acceptReconnection(features: SessionFixture.bindOnly)
        await fixture.peer.acceptBind(managed: false)
        for id in ["1", "2", "3"] { #expect(await fixture.expect("message")?["id"] == id) }
        await fixture.leave()
    }

    @Test("T006 B33 a connection that swallows what is sent is left after the timeout")
    func halfOpen() async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        await fixture.expect("message")
        await fixture.peer.expect("r")
        await fixture.clock.plan(within: .seconds(20))
        await fixture.clock.advance(by: .milliseconds(19_999))
        #expect(await fixture.session.isOnline)
        await fixture.clock.advance(by: .milliseconds(1))
        let (error, wait) = try #require(try await events.interruption())
        #expect(error.code == .connectionLost && error.isRetryable)
        await fixture.clock.advanceWhenPlanned(by: wait)
        await fixture.peer.expectEnd()
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.expect("message")?["id"] == "h1")
        await fixture.peer.expect("r")
        fixture.acknowledge(1)
        try await ticket.acknowledged()
        await fixture.leave()
    }

    @Test("B33 T014 silence is followed by a question, and an answer by silence")
    func probes() async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        await fixture.clock.advance(by: .seconds(119))
        await fixture.peer.expectNothing()
        await fixture.clock.advance(by: .seconds(1))
        await fixture.peer.expect("r")
        fixture.acknowledge(0)
        #expect(await fixture.count() == "0")
        await fixture.clock.advance(by: .seconds(119))
        await fixture.peer.expectNothing()
        await fixture.clock.advance(by: .seconds(1))
        await fixture.peer.expect("r")
        await fixture.clock.advance(by: .seconds(20))
        #expect(try await events.interruption()?.0.code == .connectionLost)
        await fixture.leave()
    }

    @Test("B33 a change of the network asks at once, and ends a wait for the next attempt")
    func networkChange() async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        await fixture.session.networkDidChange()
        await fixture.peer.expect("r")
        await fixture.clock.advance(by: .seconds(20))
        _ = try await events.interruption()
        await fixture.peer.expectEnd()
        await fixture.clock.plan(within: .seconds(1))
        await fixture.session.networkDidChange()
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.count() == "0")
        await fixture.leave()
    }

    @Test("T098 a server that talks and never acknowledges is left, and the message kept")
    func neverAcknowledges() async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        await fixture.expect("message")
        await fixture.peer.expect("r")
        for _ in 0..<14 {
            fixture.peer.inject("<r xmlns='urn:xmpp:sm:3'/>")
            await fixture.expect("a")
            await fixture.clock.advance(by: .seconds(10))
        }
        let (error, wait) = try #require(try await events.interruption())
        #expect(error.code == .connectionLost)
        await fixture.clock.advanceWhenPlanned(by: wait)
        await fixture.peer.expectEnd()
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.expect("message")?["id"] == "h1")
        await fixture.leave()
    }

    @Test("T005 a server that never gets through the login is left at its deadline")
    func slowLogin() async throws {
        let fixture = try SessionFixture(movesClock: true)
        let connecting = Task { try await fixture.session.connect() }
        await fixture.peer.expectHeader()
        fixture.peer.openStream(ScriptedPeer.tlsFeature)
        await fixture.peer.expect("starttls")
        await fixture.clock.advance(by: .seconds(29))
        fixture.peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        await fixture.peer.expectHeader()
        await fixture.clock.advance(by: .seconds(1))
        await #expect { try await connecting.value } throws: { ($0 as? XMPPError)?.code == .timedOut }
        await fixture.peer.expectEnd()
    }

    @Test(
        "a stream that the server ends in order is answered in order, and taken up again",
        arguments: [
            "</stream:stream>", "",
        ])
    func serverLeaves(_ end: String) async throws {
        let fixture = try SessionFixture()
        var events = EventReader(fixture.session)
        try await fixture.connect()
        if end.isEmpty { fixture.peer.cut(nil) } else { fixture.peer.inject(end) }
        #expect(try await events.interruption()?.0.code == .connectionLost)
        await fixture.acceptResumption(h: 0)
        #expect(await fixture.count() == "0")
        #expect(fixture.peer.writtenText.contains("</stream:stream>") == !end.isEmpty)
        await fixture.leave()
    }
}
