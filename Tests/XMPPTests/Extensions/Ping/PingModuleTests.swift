// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Ping (XEP-0199)", .timeLimit(.minutes(1)))
struct PingModuleTests {
    @Test("OF29 the server's ping gets an empty result with its id")
    func answers() async throws {
        let online = try await OnlineSession()
        online.peer.inject(
            "<iq type=\"get\" id=\"88-41\" from=\"example.org\" to=\"juliet@example.org/balcony\"><ping xmlns=\"urn:xmpp:ping\"/></iq>"
        )
        let answer = await online.peer.expect("iq")
        #expect(answer?["type"] == "result" && answer?["id"] == "88-41" && answer?["to"] == "example.org")
        #expect(answer?.children.isEmpty == true)
        await online.end()
    }

    @Test("a result and a refusal are both signs of life", arguments: [false, true])
    func asks(_ isRefused: Bool) async throws {
        let online = try await OnlineSession()
        let jid = try JID("bo@example.net/p")
        async let span = online.session.ping(jid)
        let ping = await online.peer.expect("iq")
        #expect(ping?["to"] == "bo@example.net/p")
        #expect(ping?.children.first?.name == XMLName("ping", "urn:xmpp:ping"))
        let error =
            "<error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
        online.peer.inject(
            "<iq type='\(isRefused ? "error" : "result")' id='\(ping?["id"] ?? "")' from='bo@example.net/p'>"
                + "\(isRefused ? error : "")</iq>")
        #expect(try await span >= .zero)
        await online.settle()
        await online.end()
    }

    @Test("silence is none")
    func silence() async throws {
        let online = try await OnlineSession()
        do {
            _ = try await online.session.ping(try JID("bo@example.net/p"), timeout: .milliseconds(5))
            Issue.record("nobody answered")
        } catch let error as XMPPError { #expect(error.code == .timedOut) }
        await online.end()
    }
}
