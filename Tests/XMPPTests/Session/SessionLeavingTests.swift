// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("The end of a session", .timeLimit(.minutes(1)))
struct SessionLeavingTests {
    static func code(_ work: () async throws -> some Any) async -> XMPPError.Code? {
        do {
            _ = try await work()
            return nil
        } catch { return (error as? XMPPError)?.code }
    }

    @Test("disconnecting ends every wait")
    func endsEveryWait() async throws {
        let fixture = try SessionFixture(movesClock: true)
        let session = fixture.session
        let to = try JID("bo@example.org")
        var (messages, presences) = (session.messages().makeAsyncIterator(), session.presences().makeAsyncIterator())
        let events = session.events()
        try await fixture.connect()
        let ticket = try await session.send(.chat(to: to, "never acknowledged"))
        await fixture.expect("message")
        await fixture.peer.expect("r")
        let acknowledged = Task { await Self.code { try await ticket.acknowledged() } }
        let request = Task { await Self.code { try await session.get(Element(XMLName("x", "urn:example:x")), to: to) } }
        await fixture.expect("iq")
        await fixture.peer.blockNetwork(true)
        let body = String(repeating: "x", count: 300_000)
        let sending = Task { await Self.code { try await session.send(.chat(to: to, body)).written() } }
        let leaving = Task { await session.disconnect() }
        await fixture.clock.advanceWhenPlanned(by: .seconds(2))
        await leaving.value
        #expect(await acknowledged.value == .disconnected)
        #expect(await request.value == .disconnected)
        // Either it came too late to be taken, or it was taken and is told so.
        #expect(await sending.value != nil)
        #expect(try await messages.next() == nil)
        #expect(try await presences.next() == nil)
        var last: SessionEvent?
        for try await event in events { last = event }
        #expect(last == .ended(nil))
        #expect(await session.isOnline == false)
    }

    @Test("disconnecting ends an attempt and everybody who waits for it", arguments: [0, 1, 2])
    func endsAnAttempt(_ stage: Int) async throws {
        let fixture = try SessionFixture()
        let session = fixture.session
        let first = Task { await Self.code { try await session.connect() } }
        await fixture.peer.expectHeader()
        let second = Task { await Self.code { try await session.connect() } }
        if stage > 0 {
            fixture.peer.openStream(ScriptedPeer.tlsFeature)
            await fixture.peer.expect("starttls")
        }
        if stage > 1 {
            fixture.peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
            await fixture.peer.expectHeader()
        }
        await session.disconnect()
        #expect(await first.value == .disconnected)
        // The second may have come after the end, and then began an attempt of its own.
        await session.disconnect()
        #expect(await second.value == .disconnected)
    }

    @Test("disconnecting ends the wait for the next attempt")
    func endsTheWait() async throws {
        let fixture = try SessionFixture(movesClock: true)
        var events = EventReader(fixture.session)
        try await fixture.connect()
        fixture.peer.cut()
        _ = try await events.interruption()
        await fixture.session.disconnect()
        #expect(fixture.peer.connections == 1)
    }

    @Test("cancelling a connect ends the attempt")
    func cancelsConnect() async throws {
        let fixture = try SessionFixture()
        let session = fixture.session
        let connecting = Task { await Self.code { try await session.connect() } }
        await fixture.peer.expectHeader()
        connecting.cancel()
        #expect(await connecting.value == .disconnected)
        await fixture.peer.expectEnd()
        let again = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Self.code { try await session.connect() }
        }
        #expect(await again.value == .disconnected)
    }

    @Test("B35 leaving says unavailable, gives the last count and ends the stream, in that order")
    func inOrder() async throws {
        let fixture = try SessionFixture { $0.initialPresence = Presence() }
        try await fixture.connect()
        await fixture.expect("presence")
        await fixture.peer.expect("r")
        fixture.acknowledge(1)
        fixture.peer.inject(SessionFixture.message("one"))
        #expect(await fixture.count() == "1")
        let leaving = Task { await fixture.session.disconnect() }
        #expect(await fixture.expect("presence")?["type"] == "unavailable")
        await fixture.peer.expect("r")
        fixture.acknowledge(2)
        #expect(await fixture.expect("a")?["h"] == "1")
        guard case .close = await fixture.peer.next() else {
            Issue.record("the stream was not ended")
            return
        }
        await leaving.value
    }

    @Test("a server that does not answer the goodbye is left after 2 seconds")
    func silentServer() async throws {
        let fixture = try SessionFixture(movesClock: true)
        try await fixture.connect()
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi"))
        await fixture.expect("message")
        let leaving = Task { await fixture.session.disconnect() }
        await fixture.clock.plan(within: .seconds(2))
        await fixture.clock.advance(by: .milliseconds(1999))
        await fixture.peer.expect("r")
        await fixture.peer.expectNothing()
        await fixture.clock.advance(by: .milliseconds(1))
        await fixture.expect("a")
        await leaving.value
    }

    @Test("what was not acknowledged at an orderly end is not sent by the next session of the same object")
    func forgets() async throws {
        let fixture = try SessionFixture(movesClock: true)
        try await fixture.connect()
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "old"))
        await fixture.expect("message")
        let leaving = Task { await fixture.session.disconnect() }
        await fixture.clock.advanceWhenPlanned(by: .seconds(2))
        await leaving.value
        await #expect(throws: XMPPError.self) { try await ticket.acknowledged() }
        await fixture.peer.expectEnd()
        try await fixture.connect(id: "sm-2")
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "new"))
        #expect(await fixture.expect("message")?.child(.body)?.text == "new")
        await fixture.leave()
    }

    @Test("several that disconnect at once all return, and the goodbye is said once")
    func disconnectsOnce() async throws {
        let fixture = try SessionFixture { $0.initialPresence = Presence() }
        try await fixture.connect()
        let session = fixture.session
        let answering = Task {
            var unavailable = 0
            var count = 0
            while let step = await fixture.peer.next() {
                guard case .element(let element) = step else {
                    if case .ended = step { break }
                    continue
                }
                if element.localName == "presence" {
                    count += 1
                    if element["type"] == "unavailable" { unavailable += 1 }
                } else if element.localName == "r" {
                    fixture.acknowledge(count)
                }
            }
            return unavailable
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await session.disconnect() } }
        }
        #expect(await answering.value == 1)
        await session.disconnect()
    }

    @Test("a session lets go of its connection and itself when nobody holds it any more")
    func releases() async throws {
        weak var session: XMPPSession?
        let peer: ScriptedPeer
        do {
            let fixture = try SessionFixture()
            try await fixture.connect()
            session = fixture.session
            peer = fixture.peer
            let leaving = Task { await fixture.session.disconnect() }
            await peer.expect("a")
            await peer.expectEnd()
            await leaving.value
        }
        for _ in 0..<1000 where session != nil { await Task.yield() }
        #expect(session == nil)
    }
}
