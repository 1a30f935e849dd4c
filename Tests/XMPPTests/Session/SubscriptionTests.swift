// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Subscriptions", .timeLimit(.minutes(1)))
struct SubscriptionTests {
    @Test("a slow reader stops the reading, is reported, and loses nothing")
    func slowReader() async throws {
        let fixture = try SessionFixture()
        var events = EventReader(fixture.session)
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        for index in 0..<1000 { fixture.peer.inject(SessionFixture.message("\(index)")) }
        await fixture.peer.waitUntil(isReadingPaused: true)
        #expect(try await events.next { if case .readingPaused = $0 { true } else { nil } } == true)
        await fixture.peer.expectNothing()
        #expect(try await messages.bodies(1000) == (0..<1000).map { "\($0)" })
        #expect(try await events.next { if case .readingResumed = $0 { true } else { nil } } == true)
        #expect(await fixture.count() == "1000")
        await fixture.leave()
    }

    @Test("a reader that goes away does not hold up the others")
    func readerGoesAway() async throws {
        let fixture = try SessionFixture()
        var lazy: Subscription<Message>? = fixture.session.messages()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        for index in 0..<600 { fixture.peer.inject(SessionFixture.message("\(index)")) }
        await fixture.peer.waitUntil(isReadingPaused: true)
        _ = try await messages.next()
        #expect(lazy != nil)
        lazy = nil
        #expect(try await messages.bodies(599).last == "599")
        await fixture.leave()
    }

    @Test("each subscription has every message, from the first one when it was taken before the connection")
    func eachHasAll() async throws {
        let fixture = try SessionFixture()
        let subscriptions = (0..<5).map { _ in fixture.session.messages() }
        try await fixture.connect()
        fixture.peer.inject((0..<100).map { SessionFixture.message("\($0)") }.joined())
        for subscription in subscriptions {
            var iterator = subscription.makeAsyncIterator()
            #expect(try await iterator.bodies(100) == (0..<100).map { "\($0)" })
        }
        await fixture.leave()
    }

    @Test("presences of the same address coalesce when the reader is slow; each address keeps its last")
    func presencesCoalesce() async throws {
        let fixture = try SessionFixture()
        var presences = fixture.session.presences().makeAsyncIterator()
        try await fixture.connect()
        for round in 0..<100 {
            fixture.peer.inject(
                (0..<10).map { "<presence from='bo\($0)@example.org/p'><status>\(round)</status></presence>" }.joined())
        }
        fixture.peer.inject(
            "<presence from='eve@example.org' type='subscribe'/><presence from='eve@example.org' type='subscribe'/>")
        #expect(await fixture.count() == "1002")
        #expect(!fixture.peer.isReadingPaused)
        var last: [String: String] = [:]
        var (count, requests) = (0, 0)
        while requests < 2, let presence = try await presences.next() {
            count += 1
            if presence.kind == .subscribe {
                requests += 1
            } else {
                last[presence.from?.description ?? ""] = presence.status
            }
        }
        #expect(count < 400)
        #expect(last.count == 10 && last.values.allSatisfy { $0 == "99" })
        await fixture.leave()
    }

    @Test("a subscription ends with the error of its connection, one taken later belongs to the next")
    func endsWithTheError() async throws {
        let fixture = try SessionFixture()
        var before = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(
            "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>")
        await #expect { try await before.next() } throws: { ($0 as? XMPPError)?.code == .replaced }
        var after = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect(id: "sm-2")
        fixture.peer.inject(SessionFixture.message("next"))
        #expect(try await after.next()?.body == "next")
        await fixture.leave()
    }

    @Test("cancelling a reader ends its wait")
    func cancels() async throws {
        let fixture = try SessionFixture()
        let messages = fixture.session.messages()
        try await fixture.connect()
        let reading = Task { () -> Bool in
            for try await _ in messages { return false }
            return true
        }
        reading.cancel()
        #expect(try await reading.value)
        await fixture.leave()
    }
}
