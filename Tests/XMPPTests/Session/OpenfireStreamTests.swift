// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

/// What Openfire does to a stream that is up, in its own words.
@Suite("Openfire, later in a stream", .timeLimit(.minutes(1)))
struct OpenfireStreamTests {
    @Test("OF21 an error is known by its condition, behind the request that is sent back, whatever the code says")
    func errors() async throws {
        let online = try await OnlineSession()
        let rows: [(Int, String, String, StanzaError.Condition)] = [
            (403, "auth", "forbidden", .forbidden), (404, "cancel", "item-not-found", .itemNotFound),
            (501, "cancel", "feature-not-implemented", .featureNotImplemented),
            // A code that belongs to another condition decides nothing.
            (500, "wait", "recipient-unavailable", .recipientUnavailable),
        ]
        for (code, kind, condition, expected) in rows {
            let request = Task {
                try await online.session.get(
                    Element(XMLName("query", "jabber:iq:roster")), to: try JID("romeo@example.org"))
            }
            let id = await online.peer.expect("iq")?["id"] ?? ""
            online.peer.inject(
                "<iq type=\"error\" id=\"\(id)\" from=\"romeo@example.org\" to=\"juliet@example.org/balcony\">"
                    + "<query xmlns=\"jabber:iq:roster\"/><error code=\"\(code)\" type=\"\(kind)\">"
                    + "<\(condition) xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/></error></iq>")
            await #expect {
                try await request.value
            } throws: {
                let error = ($0 as? XMPPError)?.underlying as? StanzaError
                return error?.condition == expected && error?.kind.rawValue == kind && error?.code == code
            }
        }
        await online.end()
    }

    @Test(
        "OF30 an end without a word, for maintenance, or by the closing tag alone is tried again, after a wait",
        arguments: [
            "", "</stream:stream>",
            "<stream:error xmlns:stream=\"http://etherx.jabber.org/streams\"><system-shutdown "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>",
        ])
    func ends(_ last: String) async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        if last.isEmpty { fixture.peer.cut(nil) } else { fixture.peer.inject(last) }
        let (error, wait) = try #require(try await events.interruption())
        #expect(error.isRetryable)
        #expect(wait <= .seconds(1))
        await fixture.clock.advanceWhenPlanned(by: wait)
        // It does not come back at once, and the second time takes longer.
        await fixture.acceptReconnection()
        fixture.peer.cut(nil)
        let (_, second) = try #require(try await events.interruption())
        #expect(second >= .seconds(1))
        await fixture.leave()
    }

    @Test("OF52 stream management as Openfire does it, up to a refusal without a count")
    func management() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        async let connecting: Void = fixture.session.connect()
        await fixture.acceptReconnection()
        let bind = await fixture.peer.expect("iq")
        fixture.peer.inject(
            "<iq type=\"result\" id=\"\(bind?["id"] ?? "")\"><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\">"
                + "<jid>juliet@example.org/balcony</jid></bind></iq>")
        #expect(await fixture.peer.expect("enable", "urn:xmpp:sm:3")?["resume"] == "true")
        fixture.peer.inject(
            "<enabled xmlns=\"urn:xmpp:sm:3\" resume=\"true\" id=\"YmFsY29ueQA0eDlxMm03azFh\" "
                + "location=\"xmpp1.example.org\" max=\"600\"/>")
        try await connecting
        fixture.peer.inject(SessionFixture.message("one") + "<r xmlns='urn:xmpp:sm:3' />")
        #expect(await fixture.expect("a")?["h"] == "1")
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi", id: "h1"))
        await fixture.expect("message")

        fixture.peer.cut()
        await fixture.acceptResumption(h: 0, previous: "YmFsY29ueQA0eDlxMm03azFh")
        #expect(await fixture.expect("message")?["id"] == "h1")
        // Sent again by the server with a delay of its own making.
        fixture.peer.inject(
            "<message from=\"romeo@example.net/orchard\" type=\"chat\" id=\"m2\"><body>two</body>"
                + "<delay xmlns=\"urn:xmpp:delay\" from=\"example.org\" stamp=\"2025-03-01T18:20:05.123Z\"/></message>")
        #expect(try await messages.bodies(2) == ["one", "two"])

        // The session is gone: the stream stays usable, and binding follows on it.
        fixture.peer.cut()
        await fixture.acceptReconnection()
        #expect(await fixture.peer.expect("resume")?["h"] == "2")
        let connections = fixture.peer.connections
        fixture.peer.inject(
            "<failed xmlns=\"urn:xmpp:sm:3\"><unexpected-request xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/></failed>"
        )
        await fixture.peer.acceptBind(id: "sm-2")
        #expect(fixture.peer.connections == connections)
        #expect(await fixture.expect("message")?["id"] == "h1")
        await fixture.expect("r")
        fixture.acknowledge(1)
        try await ticket.acknowledged()
        let enables = fixture.peer.writtenText.components(separatedBy: "<enable ").count - 1
        #expect(enables == 2, "one per stream that was bound")
        await fixture.leave()
    }

    @Test("OF54 a notice of the administrator is a headline of the server, not of a person")
    func notice() async throws {
        let online = try await OnlineSession()
        var messages = online.session.messages().makeAsyncIterator()
        online.peer.inject(
            "<message type=\"headline\" from=\"example.org\" to=\"juliet@example.org/balcony\">"
                + "<body>Going down at noon</body></message>")
        let message = try await messages.next()
        #expect(message?.kind == .headline)
        #expect(message?.from == (try JID("example.org")))
        #expect(message?.from?.local == nil && message?.body == "Going down at noon")
        await online.end()
    }
}
