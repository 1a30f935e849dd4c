// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("XEP-0352 Client State Indication", .timeLimit(.minutes(1)))
struct ClientStateTests {
    private static let offer = ScriptedPeer.bindFeatures + "<csi xmlns='urn:xmpp:csi:0'/>"

    private func connect(_ fixture: SessionFixture, features: String = offer) async throws {
        async let connecting: Void = fixture.session.connect()
        await fixture.acceptReconnection(features: features)
        await fixture.peer.acceptBind(managed: true, id: "sm-1")
        try await connecting
    }

    @Test("OF53 each change is told once, in the words of §4")
    func changes() async throws {
        let fixture = try SessionFixture()
        try await connect(fixture)
        await fixture.session.setActive(true)
        await fixture.session.setActive(false)
        await fixture.session.setActive(false)
        #expect(await fixture.peer.expect("inactive", "urn:xmpp:csi:0")?.xml == "<inactive xmlns='urn:xmpp:csi:0'/>")
        await fixture.session.setActive(true)
        #expect(await fixture.peer.expect("active", "urn:xmpp:csi:0")?.children.isEmpty == true)
        // Neither counts as a stanza (XEP-0198 §4).
        fixture.peer.inject("<r xmlns='urn:xmpp:sm:3'/>")
        await fixture.peer.expect("a")
        await fixture.leave()
    }

    @Test("what was sent before goes out before")
    func order() async throws {
        let fixture = try SessionFixture()
        try await connect(fixture)
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "one", id: "m1"))
        await fixture.session.setActive(false)
        await fixture.expect("message")
        await fixture.expect("inactive")
        await fixture.leave()
    }

    @Test("a new and a resumed stream are told anew, since they begin active (§5)", arguments: [true, false])
    func streams(resumes: Bool) async throws {
        let fixture = try SessionFixture()
        try await connect(fixture)
        await fixture.session.setActive(false)
        await fixture.peer.expect("inactive")
        fixture.peer.cut()
        await fixture.acceptReconnection(features: Self.offer)
        await fixture.peer.expect("resume")
        if resumes {
            fixture.peer.inject("<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>")
        } else {
            fixture.peer.inject(
                "<failed xmlns='urn:xmpp:sm:3'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>")
            await fixture.peer.acceptBind(id: "sm-2")
        }
        #expect(await fixture.expect("inactive")?.namespace == "urn:xmpp:csi:0")
        await fixture.leave()
    }

    @Test("a server that does not offer it hears nothing; what was said offline is told later")
    func notOffered() async throws {
        let fixture = try SessionFixture()
        await fixture.session.setActive(false)
        try await connect(fixture, features: ScriptedPeer.bindFeatures)
        await fixture.session.setActive(true)
        await fixture.session.setActive(false)
        #expect(await fixture.count() == "0")
        #expect(!fixture.peer.writtenText.contains("urn:xmpp:csi:0"))
        await fixture.leave()

        let other = try SessionFixture()
        await other.session.setActive(false)
        try await connect(other)
        await other.peer.expect("inactive")
        await other.leave()
    }
}
