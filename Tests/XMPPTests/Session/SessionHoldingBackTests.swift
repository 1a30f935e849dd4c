// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("A session that is not up yet", .timeLimit(.minutes(1)))
struct SessionHoldingBackTests {
    @Test("B156 T096 what the app sends waits until the resumption is answered")
    func beforeResumed() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        fixture.peer.cut()
        await fixture.acceptReconnection()
        await fixture.peer.expect("resume")
        let before = fixture.peer.written.count
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "early", id: "e1"))
        try await fixture.session.send(Presence(to: try JID("bo@example.org")))
        // The loop has looked at all of it by then.
        for _ in 0..<3 { await fixture.clock.advance(by: .zero) }
        #expect(fixture.peer.written.count == before)
        fixture.peer.inject("<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>")
        #expect(await fixture.message()?["id"] == "e1")
        await fixture.expect("presence")
        try await ticket.written()
        await fixture.leave()
    }

    @Test("B156 before the address is bound nothing of the app goes out either")
    func beforeBound() async throws {
        let fixture = try SessionFixture()
        async let connecting: Void = fixture.session.connect()
        await fixture.acceptReconnection()
        let bind = await fixture.peer.expect("iq")
        let before = fixture.peer.written.count
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "early", id: "e1"))
        for _ in 0..<3 { await fixture.clock.advance(by: .zero) }
        #expect(fixture.peer.written.count == before)
        fixture.peer.inject(
            "<iq type='result' id='\(bind?["id"] ?? "")'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                + "<jid>juliet@example.org/balcony</jid></bind></iq>")
        await fixture.peer.expect("enable")
        fixture.peer.inject("<enabled xmlns='urn:xmpp:sm:3' id='sm-1' resume='true'/>")
        try await connecting
        #expect(await fixture.peer.expect("message")?["id"] == "e1")
        await fixture.leave()
    }

    @Test("B157 a program that was killed is online again without any wait, resumed or not", arguments: [true, false])
    func afterKill(_ isKept: Bool) async throws {
        let stored = StoredSession(
            state: SessionState(
                streamID: "sm-1", boundJID: try JID("juliet@example.org/balcony"), received: 3, sentOnStream: 1,
                nextSequence: 2),
            unacknowledged: [
                SentStanza(
                    sequence: 1, kind: .message, id: "u1",
                    bytes: Array("<message to=\"bo@example.org\" id=\"u1\"><body>hi</body></message>".utf8))
            ])
        // The clock stands still: whatever waited for it would wait for ever.
        let fixture = try SessionFixture(store: RecordingStore(stored), movesClock: true)
        async let connecting: Void = fixture.session.connect()
        if isKept {
            #expect(await fixture.acceptResumption(h: 0) == "3")
        } else {
            #expect(await fixture.refuseResumption() == "3")
        }
        try await connecting
        #expect(await fixture.expect("message")?["id"] == "u1")
        #expect(fixture.peer.connections == 1)
        await fixture.leave()
    }
}
