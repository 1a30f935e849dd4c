// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Glibc
import Testing

/// A client against a peer that does what it must not.
@Suite struct SocketChatClientTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/s" }

    init() throws { directory = try TemporaryDirectory() }

    private static let welcome =
        #"{"type":"welcome","version":1,"program":"apus x","role":"serve","process":5,"directory":"/d"}"# + "\n"

    /// Listens, and runs `serve` with the first connection on a thread of its own.
    private func listen(_ serve: @escaping @Sendable (RawPeer) -> Void) throws {
        let listener = try UnixSocket.listen(path)
        Thread.detachNewThread {
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 10_000)
            if let descriptor = UnixSocket.accept(listener) { serve(RawPeer(descriptor)) }
            Glibc.close(listener)
        }
    }

    private func connect(timeout: Duration = .seconds(5)) async throws -> SocketChatClient {
        try await SocketChatClient.connect(path: path, program: "test", user: getuid(), timeout: timeout)
    }

    @Test func `the greeting tells who holds the profile`() async throws {
        try listen { peer in
            let hello = peer.line()
            #expect(hello?.contains(#""versions":[1]"#) == true)
            peer.write(Self.welcome)
            _ = peer.line()
        }
        let client = try await connect()
        #expect(client.core.program == "apus x")
        #expect(client.core.role == "serve")
        #expect(client.core.process == 5)
        #expect(client.core.directory == "/d")
        client.close()
    }

    @Test func `nobody listening is told from a socket that is not there and from a dead one`() async throws {
        let error = await #expect(throws: ChatAPIError.self) { try await connect() }
        #expect(error?.code == .notFound)
        Glibc.close(try UnixSocket.listen(path))
        let dead = await #expect(throws: ChatAPIError.self) { try await connect() }
        #expect(dead?.code == .notFound)
    }

    @Test func `a process of another user is not talked to`() async throws {
        try listen { peer in
            let heard = peer.rest()
            #expect(heard.isEmpty)
        }
        let error = await #expect(throws: ChatAPIError.self) {
            try await SocketChatClient.connect(path: path, program: "test", user: getuid() + 1)
        }
        #expect(error?.description.contains("belongs to another user") == true)
    }

    @Test(arguments: [
        "garbage\n", "{\"type\":\"welcome\",\"version\":2}\n", "{\"type\":\"reply\",\"id\":1}\n",
        #"{"type":"refuse","error":{"code":"protocol-mismatch","message":"no","retryable":false}}"# + "\n",
    ])
    func `a greeting that is none, or of another version, is an error`(text: String) async throws {
        try listen { peer in
            peer.write(text)
            _ = peer.rest()
        }
        let error = await #expect(throws: ChatAPIError.self) { try await connect() }
        #expect(error?.code == .protocolMismatch)
    }

    @Test func `silence ends with an error when the time is up`() async throws {
        try listen { peer in _ = peer.rest() }
        let error = await #expect(throws: ChatAPIError.self) { try await connect(timeout: .milliseconds(10)) }
        #expect(error?.code == .busy)
    }

    @Test func `calls under way end when the peer goes away, at whatever byte`() async throws {
        let reply = #"{"type":"reply","id":1,"result":[]}"# + "\n"
        for cut in stride(from: 0, to: reply.utf8.count, by: 7) {
            unlink(path)
            try listen { peer in
                _ = peer.line()
                peer.write(Self.welcome)
                _ = peer.line()
                peer.write(String(reply.prefix(cut)))
                peer.hangUp()
            }
            let client = try await connect()
            let error = await #expect(throws: ChatAPIError.self) { try await client.requests(account: nil) }
            #expect(error?.code == .connectionLost)
            let later = await #expect(throws: ChatAPIError.self) { try await client.status() }
            #expect(later?.code == .connectionLost)
        }
    }

    @Test func `garbage after the greeting ends the calls under way`() async throws {
        try listen { peer in
            _ = peer.line()
            peer.write(Self.welcome)
            _ = peer.line()
            peer.write("{\"type\":\"reply\"\n")
            _ = peer.rest()
        }
        let client = try await connect()
        let error = await #expect(throws: ChatAPIError.self) { try await client.status() }
        #expect(error?.code == .protocolMismatch)
    }

    @Test func `a reply of the wrong shape fails its call alone`() async throws {
        try listen { peer in
            _ = peer.line()
            peer.write(Self.welcome)
            _ = peer.line()
            peer.write(#"{"type":"reply","id":1,"result":{"x":1}}"# + "\n")
            _ = peer.line()
            peer.write(#"{"type":"reply","id":2,"result":[]}"# + "\n")
            _ = peer.line()
        }
        let client = try await connect()
        await #expect(throws: ChatAPIError.self) { try await client.status() }
        #expect(try await client.requests(account: nil).isEmpty)
        client.close()
    }

    @Test func `a cancelled call ends at once and tells the core`() async throws {
        let (heard, continuation) = AsyncStream.makeStream(of: String.self)
        try listen { peer in
            _ = peer.line()
            peer.write(Self.welcome)
            while let line = peer.line() { continuation.yield(line) }
            continuation.finish()
        }
        let client = try await connect()
        let call = Task { try await client.status() }
        var iterator = heard.makeAsyncIterator()
        #expect(await iterator.next()?.contains("\"call\"") == true)
        call.cancel()
        let error = await #expect(throws: ChatAPIError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(await iterator.next() == #"{"id":1,"type":"cancel"}"#)
        client.close()
    }

    @Test func `more events than were asked for cut the connection`() async throws {
        let event = #"{"type":"event","id":1,"event":{"type":"live"}}"# + "\n"
        try listen { peer in
            _ = peer.line()
            peer.write(Self.welcome)
            _ = peer.line()
            peer.write(String(repeating: event, count: Wire.credit + 1))
            _ = peer.rest()
        }
        let client = try await connect()
        let stream = client.events(since: nil)
        let error = await #expect(throws: ChatAPIError.self) { try await client.status() }
        #expect(error?.code == .protocolMismatch)
        var iterator = stream.makeAsyncIterator()
        for _ in 0..<Wire.credit { #expect(try await iterator.next() == ChatEvent(.live)) }
        await #expect(throws: ChatAPIError.self) { try await iterator.next() }
    }

    @Test func `a request over the limit is refused here`() async throws {
        try listen { peer in
            _ = peer.line()
            peer.write(Self.welcome)
            let heard = peer.rest()
            #expect(heard.isEmpty)
        }
        let client = try await connect()
        let request = SendRequest(conversation: "a@b", body: String(repeating: "x", count: Wire.callBytes), key: "k")
        let error = await #expect(throws: ChatAPIError.self) { try await client.send(request) }
        #expect(error?.code == .tooLarge)
        client.close()
    }
}
