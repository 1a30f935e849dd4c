// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Glibc
import Testing

/// Streams, and what happens to calls when the holder stops.
@Suite struct ServerConnectionTests {
    private let directory: TemporaryDirectory
    private let location: SocketLocation
    private let core = FakeChatClient()
    private let server: SocketServer

    init() throws {
        directory = try TemporaryDirectory()
        location = SocketLocation(directory: directory.path + "/run", path: directory.path + "/run/p.sock")
        server = SocketServer(
            client: core, identity: .init(program: "apus 9", role: "send", directory: "/profile"), location: location)
        try server.start()
    }

    private func connect() async throws -> SocketChatClient {
        try await SocketChatClient.connect(path: location.path, program: "test", user: getuid())
    }

    private func fill(_ count: Int) {
        core.set { state in
            state.events = (0..<count).map { ChatEvent(.message(FakeChatClient.incoming($0)), cursor: "\($0 + 1)") }
        }
    }

    @Test func `a stream gives all events in order, many more than fit its window`() async throws {
        fill(Wire.credit * 5)
        let client = try await connect()
        var stream = client.events(since: nil).makeAsyncIterator()
        for number in 1...Wire.credit * 5 { #expect(try await stream.next()?.cursor == "\(number)") }
        client.close()
    }

    @Test func `a reader that does not read holds up nothing but its own stream`() async throws {
        fill(Wire.credit * 20)
        let client = try await connect()
        let stream = client.events(since: nil)
        for _ in 0..<5 { #expect(try await client.status().process == 7) }
        var iterator = stream.makeAsyncIterator()
        for number in 1...Wire.credit * 20 { #expect(try await iterator.next()?.cursor == "\(number)") }
        client.close()
    }

    @Test func `a stream starts after its cursor`() async throws {
        fill(10)
        let client = try await connect()
        var stream = client.events(since: "7").makeAsyncIterator()
        #expect(try await stream.next()?.cursor == "8")
        client.close()
    }

    @Test func `leaving the loop frees the stream in the core`() async throws {
        fill(3)
        let client = try await connect()
        for try await event in client.events(since: nil) where event.cursor == "3" { break }
        // Calls of one connection are taken in order, so the stream's cancel came before this call.
        _ = try await client.status()
        #expect(core.calls.contains("status"))
        client.close()
    }

    @Test func `a reader whose task is cancelled ends`() async throws {
        let client = try await connect()
        let reader = Task { () async throws -> Int in
            var count = 0
            for try await _ in client.events(since: nil) { count += 1 }
            return count
        }
        await core.liveGate.waitForWaiter()
        reader.cancel()
        let error = await #expect(throws: ChatAPIError.self) { try await reader.value }
        #expect(error?.code == .cancelled)
        client.close()
    }

    @Test func `on leaving, streams end, new calls are refused, and waits can be made elsewhere`() async throws {
        core.gate.close()
        let client = try await connect()
        let wait = Task { try await client.wait(.init(message: "1", goal: .delivered, timeout: .seconds(60))) }
        await core.gate.waitForWaiter()
        let stream = client.events(since: nil)
        _ = try await client.status()
        let leaving = Task { await server.leave(limit: .milliseconds(50)) }
        var iterator = stream.makeAsyncIterator()
        let ended = await #expect(throws: ChatAPIError.self) { try await iterator.next() }
        #expect(ended?.code == .leaving)
        let refused = await #expect(throws: ChatAPIError.self) { try await client.status() }
        #expect(refused?.code == .leaving || refused?.code == .connectionLost)
        let waited = await #expect(throws: ChatAPIError.self) { try await wait.value }
        #expect(waited?.code == .leaving)
        await leaving.value
    }

    @Test func `a call under way is finished before the holder leaves`() async throws {
        core.gate.close()
        let client = try await connect()
        let wait = Task { try await client.wait(.init(message: "1", goal: .delivered, timeout: .seconds(60))) }
        await core.gate.waitForWaiter()
        let leaving = Task { await server.leave(limit: .seconds(30)) }
        let ended = await #expect(throws: ChatAPIError.self) {
            var iterator = client.events(since: nil).makeAsyncIterator()
            while try await iterator.next() != nil {}
        }
        #expect(ended?.code == .leaving)
        core.gate.open()
        #expect(try await wait.value.state == .acknowledged)
        await leaving.value
    }

    @Test func `a reply that is too large fails its call alone`() async throws {
        core.set { state in
            state.history = (0..<40).map { FakeChatClient.incoming($0, String(repeating: "x", count: 500_000)) }
        }
        let client = try await connect()
        let error = await #expect(throws: ChatAPIError.self) {
            try await client.history(.init(conversation: .init(conversation: "bo@example.org"), limit: 50))
        }
        #expect(error?.code == .tooLarge)
        #expect(
            try await client.history(.init(conversation: .init(conversation: "bo@example.org"), limit: 10)).count == 10)
        client.close()
    }
}
