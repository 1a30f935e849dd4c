// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("What waits for a stream to be resumed", .timeLimit(.minutes(1)))
struct SessionHoldingTests {
    @Test("B156 nothing of the app goes out between the wish to resume and the answer")
    func held() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        fixture.peer.cut()
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "one", id: "m1"))
        await fixture.acceptReconnection()
        await fixture.peer.expect("resume")
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "two", id: "m2"))
        await fixture.peer.expectNothing()
        fixture.peer.inject("<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>")
        #expect(await fixture.message()?["id"] == "m1")
        #expect(await fixture.message()?["id"] == "m2")
        await fixture.leave()
    }

    @Test("B157 B144 a stream that is gone is replaced on the same connection, without any wait")
    func replacedAtOnce() async throws {
        let fixture = try SessionFixture(movesClock: true) {
            $0.reconnect = ReconnectPolicy(minimum: .zero, maximum: .zero)
        }
        try await fixture.connect()
        fixture.peer.cut()
        await fixture.clock.advanceWhenPlanned(by: .zero)
        // The clock stands still from here on: whatever waited for it would never come.
        await fixture.refuseResumption()
        #expect(await fixture.count() == "0")
        #expect(fixture.peer.connections == 2)
        await fixture.leave()
    }
}
