// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService
import ChatTesting
import Testing

@Suite struct WebStreamTests {
    private static func open(
        _ fixture: WebFixture, _ browser: WebFixture.Browser, _ target: String, _ more: String = ""
    )
        async throws -> WebPeer
    {
        let peer = try WebPeer(port: fixture.port)
        await peer.write(
            "GET /api/v1/events\(target) HTTP/1.1\r\nHost: \(fixture.host)\r\nCookie: \(browser.cookie)\r\n\(more)\r\n")
        _ = await peer.read(until: "\r\n\r\n")
        return peer
    }

    /// How the library ends a stream.
    private static let lastChunk = "\r\n0\r\n\r\n"

    /// What is left of a stream.
    private static func end(_ peer: WebPeer) async -> String { await peer.read(until: lastChunk) }

    private static func core(_ count: Int) -> FakeChatClient {
        let core = FakeChatClient()
        core.set { state in
            state.events = (1...count).map { number in
                ChatEvent(.message(FakeChatClient.incoming(number, cursor: "\(number)")), cursor: "\(number)")
            }
        }
        return core
    }

    @Test("A stream tells everything after its cursor, each event with its own")
    func cursors() async throws {
        try await WebFixture.with(core: Self.core(3)) { fixture in
            let browser = try await fixture.browser()
            let peer = try await Self.open(fixture, browser, "?cursor=1")
            let text = await peer.read(until: #""id":"3""#)
            #expect(!text.contains(#""id":"1""#) && text.contains("id: 2\ndata: {") && text.contains("id: 3\ndata: {"))
        }
    }

    @Test("What the browser saw last wins over the cursor of the address")
    func lastEvent() async throws {
        try await WebFixture.with(core: Self.core(3)) { fixture in
            let browser = try await fixture.browser()
            let peer = try await Self.open(fixture, browser, "?cursor=0", "Last-Event-ID: 2\r\n")
            let text = await peer.read(until: #""id":"3""#)
            #expect(!text.contains(#""id":"2""#))
        }
    }

    @Test(
        "Something that is no cursor is refused", arguments: ["x", "-1", "1%0a", "99999999999999999999999999999999999"])
    func wrong(_ cursor: String) async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            #expect(try await browser.get("/api/v1/events?cursor=\(cursor)").status == 400)
        }
    }

    @Test("An event that comes later reaches an open stream, and a comment shows that it lives")
    func live() async throws {
        let core = FakeChatClient()
        try await WebFixture.with(core: core) { options in
            options.server.heartbeat = .milliseconds(300)
        } _: { fixture in
            let browser = try await fixture.browser()
            let peer = try await Self.open(fixture, browser, "?cursor=0")
            #expect(await peer.read(until: ": \n\n").hasSuffix(": \n\n"))
            core.set { $0.events = [ChatEvent(.live)] }
            core.liveGate.open()
            #expect(await peer.read(until: #"{"type":"live"}"#).hasSuffix(#"{"type":"live"}"#))
            core.liveGate.close()
        }
    }

    @Test("A reader that has gone is noticed, and its stream closed at the source")
    func gone() async throws {
        let core = FakeChatClient()
        try await WebFixture.with(core: core) { options in
            options.server.heartbeat = .milliseconds(250)
        } _: { fixture in
            let browser = try await fixture.browser()
            do {
                let peer = try await Self.open(fixture, browser, "?cursor=0")
                _ = await peer.read(until: "\n\n")
            }
            #expect(await Counter.waited { core.calls.contains("finished") })
        }
    }

    @Test("Signing out ends the streams of that browser alone, and tells them why")
    func signOut() async throws {
        try await WebFixture.with { fixture in
            let (first, second) = (try await fixture.browser(), try await fixture.browser())
            let mine = try await Self.open(fixture, first, "?cursor=0")
            let other = try await Self.open(fixture, second, "?cursor=0")
            let reply = try await first.write("DELETE", "/api/v1/session")
            #expect(reply.status == 200 && reply.headers["clear-site-data"]?.contains("storage") == true)
            #expect(await Self.end(mine).contains(#"{"type":"signed-out"}"#))
            #expect(try await first.get("/api/v1/status").status == 401)
            #expect(try await second.get("/api/v1/status").status == 200)
            other.hangUp()
        }
    }

    @Test("A session that another process ends loses its stream within seconds")
    func revoked() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let peer = try await Self.open(fixture, browser, "?cursor=0")
            let session = try #require(try fixture.access.read().sessions.first)
            #expect(try fixture.access.revoke(session.id))
            #expect(await Self.end(peer).contains(#"{"type":"signed-out"}"#))
            #expect(try await browser.get("/api/v1/status").status == 401)
        }
    }

    @Test("The ninth stream of a browser ends its first")
    func tooMany() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            var peers: [WebPeer] = []
            for _ in 0...WebStreams.perSession { peers.append(try await Self.open(fixture, browser, "?cursor=0")) }
            #expect(await Self.end(peers[0]).hasSuffix(Self.lastChunk))
        }
    }
}

@Suite struct EventFeedTests {
    private static func take(_ count: Int, from feed: EventFeed) -> String {
        String(
            decoding: [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
                taken = feed.read(into: UnsafeMutableRawBufferPointer(buffer))
            }, as: UTF8.self)
    }

    @Test("A reader that takes nothing gets one last event, and nothing more is taken for it")
    func bounded() async {
        let feed = EventFeed(limit: 10)
        let last = Array("!".utf8)
        #expect(await feed.write(Array("12345".utf8), within: .zero, orEndWith: last))
        #expect(await feed.write(Array("67890".utf8), within: .zero, orEndWith: last))
        #expect(await !feed.write(Array("x".utf8), within: .zero, orEndWith: last))
        #expect(await !feed.write(Array("y".utf8), within: .zero, orEndWith: last))
        #expect(!feed.push(Array("z".utf8)))
        #expect(feed.waitingBytes == Array("1234567890!".utf8))
    }

    @Test("A writer goes on when the reader has taken half, and what is long waits until it is alone")
    func room() async {
        let feed = EventFeed(limit: 10)
        #expect(await feed.write(Array("1234567890".utf8), within: .zero, orEndWith: []))
        async let goesOn = feed.write(Array("abcdefghijklmnop".utf8), within: .seconds(60), orEndWith: [])
        #expect(Self.take(5, from: feed) == "12345")
        #expect(Self.take(5, from: feed) == "67890")
        #expect(await goesOn)
        #expect(Self.take(99, from: feed) == "abcdefghijklmnop")
    }

    @Test("A notice goes beside a full feed, and a writer that waits ends with its stream")
    func beside() async {
        let feed = EventFeed(limit: 10)
        #expect(await feed.write(Array("1234567890".utf8), within: .zero, orEndWith: []))
        async let goesOn = feed.write(Array("x".utf8), within: .seconds(60), orEndWith: [])
        #expect(feed.push(Array("n".utf8)))
        feed.close()
        #expect(await !goesOn)
        #expect(feed.waitingBytes == Array("1234567890n".utf8))
    }

    @Test("Closing is told once, to those that ask later too")
    func closing() {
        let feed = EventFeed()
        let count = Counter()
        feed.whenClosed { count.add() }
        feed.close()
        feed.close()
        feed.whenClosed { count.add() }
        #expect(count.value == 2)
        #expect(!feed.push([1]))
    }
}
