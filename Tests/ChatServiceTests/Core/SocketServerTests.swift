// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Glibc
import Testing

@Suite struct SocketServerTests {
    private let directory: TemporaryDirectory
    private let location: SocketLocation
    private let core = FakeChatClient()
    private let server: SocketServer

    init() throws {
        directory = try TemporaryDirectory()
        location = SocketLocation(directory: directory.path + "/run", path: directory.path + "/run/p.sock")
        server = Self.server(core, location)
    }

    private static func server(_ core: FakeChatClient, _ location: SocketLocation, user: UInt32 = getuid())
        -> SocketServer
    {
        SocketServer(
            client: core, identity: .init(program: "apus 9", role: "serve", directory: "/profile"), location: location,
            user: user)
    }

    private func connect() async throws -> SocketChatClient {
        try await SocketChatClient.connect(path: location.path, program: "test", user: getuid())
    }

    /// A peer that has been greeted.
    private func rawPeer() throws -> RawPeer {
        let peer = try RawPeer(path: location.path)
        peer.write(#"{"type":"hello","versions":[1]}"# + "\n")
        #expect(peer.line()?.contains(#""type":"welcome""#) == true)
        return peer
    }

    @Test func `every call arrives at the core and its reply comes back`() async throws {
        try server.start()
        core.set { $0.contacts = [ContactSummary(account: "ana@example.org", address: "bo@example.org")] }
        let client = try await connect()
        let account = AddAccountRequest(address: "a@b", password: "pw", server: .init(host: "h"))
        #expect(try await client.status().process == 7)
        #expect(try await client.addAccount(account).address == "a@b")
        #expect(try await client.registrationForm(account).fields.map(\.name) == ["email"])
        #expect(try await client.registerAccount(.init(account: account, fields: ["email": "x"])).address == "a@b")
        try await client.removeAccount(.init(address: "a@b", deletesOnServer: true))
        try await client.changePassword(.init(address: "a@b", password: "new"))
        #expect(try await client.connect(.init()).count == 1)
        #expect(try await client.contacts(account: nil).map(\.address) == ["bo@example.org"])
        #expect(try await client.addContact(.init(address: "c@d")).isAsked)
        try await client.removeContact(.init(address: "c@d"))
        #expect(try await client.requests(account: nil).isEmpty)
        try await client.answer(.init(address: "c@d", accepts: false))
        #expect(try await client.send(.init(conversation: "c@d", body: "hi", key: "k")).isRepeated == false)
        #expect(
            try await client.wait(.init(message: "1", goal: .acknowledged, timeout: .seconds(1))).state == .acknowledged
        )
        #expect(try await client.resolve(.init(conversation: "C@D")).conversation == "c@d")
        #expect(try await client.history(.init(conversation: .init(conversation: "c@d"))).isEmpty)
        #expect(try await client.conversations().isEmpty)
        try await client.markRead(.init(conversation: .init(conversation: "c@d")))
        try await client.setTyping(.init(conversation: .init(conversation: "c@d"), isTyping: true))
        #expect(try await client.outbox(account: nil).isEmpty)
        try await client.decide(OutboxDecision(message: "4", verdict: .drop))
        #expect(try await client.timeline(account: nil).isEmpty)
        #expect(try await client.trust(.init(address: "a@b")).usesSystemRoots)
        #expect(try await client.diagnose(.init(address: "a@b")).checks.isEmpty)
        #expect(
            core.calls == [
                "status", "addAccount a@b pw h", "registrationForm a@b", "registerAccount a@b email=x",
                "removeAccount a@b on server", "changePassword a@b new", "connect", "contacts", "addContact c@d",
                "removeContact c@d", "requests", "answer c@d false", "send c@d hi", "wait 1 acknowledged",
                "resolve C@D",
                "history c@d 50", "conversations", "markRead c@d", "setTyping true", "outbox", "decide 4 drop",
                "timeline", "trust a@b", "diagnose a@b -",
            ])
        #expect(core.calls.count == ChatMethods.all.count - SocketServerCallsTests.count)
        client.close()
    }

    @Test func `an error of the core arrives with code, cause and hint`() async throws {
        try server.start()
        let sent = ChatAPIError(.certificate, "certificate of a names only b", hint: "check it", isRetryable: true)
        core.set { $0.error = sent }
        let client = try await connect()
        let error = await #expect(throws: ChatAPIError.self) { try await client.status() }
        #expect(error == sent)
        client.close()
    }

    @Test func `socket and directory are private, and gone after the end`() async throws {
        try server.start()
        #expect(TemporaryDirectory.mode(location.directory) == 0o700)
        #expect(TemporaryDirectory.mode(location.path).map { $0 & 0o777 } == 0o600)
        await server.leave(limit: .zero)
        #expect(TemporaryDirectory.mode(location.path) == nil)
    }

    @Test func `the socket of a dead process is replaced`() async throws {
        mkdir(location.directory, 0o700)
        Glibc.close(try UnixSocket.listen(location.path))
        try server.start()
        let client = try await connect()
        #expect(client.core.role == "serve")
        client.close()
    }

    @Test func `the socket of a live process is left alone`() async throws {
        try server.start()
        let second = Self.server(FakeChatClient(), location)
        let error = #expect(throws: ChatAPIError.self) { try second.start() }
        #expect(error?.code == .busy)
        #expect(error?.description.contains("(process \(getpid()))") == true)
        let client = try await connect()
        #expect(try await client.status().process == 7)
        client.close()
    }

    @Test func `a process of another user is turned away`() throws {
        // The directory's owner is checked before; here only the peer differs from whom the server takes.
        let server = Self.server(core, location, user: getuid())
        try server.start()
        let other = SocketLocation(directory: directory.path, path: directory.path + "/q.sock")
        let stranger = Self.server(core, other, user: getuid() + 1)
        let error = #expect(throws: ChatAPIError.self) { try stranger.start() }
        #expect(error?.description.contains("belongs to another user") == true)
    }

    @Test(arguments: [
        "garbage\n", "{}\n", #"{"type":"call","id":1,"method":"status","params":{}}"# + "\n",
        #"{"type":"hello","versions":[99]}"# + "\n", "\n",
    ])
    func `whoever does not greet properly is refused and cut off`(text: String) throws {
        try server.start()
        let peer = try RawPeer(path: location.path)
        peer.write(text)
        let answer = peer.rest()
        #expect(answer.contains(#""type":"refuse""#))
        #expect(answer.contains("protocol-mismatch"))
        #expect(core.calls.isEmpty)
    }

    @Test func `a frame over the limit cuts the connection, and others go on`() async throws {
        try server.start()
        let peer = try rawPeer()
        peer.write(String(repeating: "x", count: Wire.callBytes + 2))
        #expect(peer.rest().isEmpty)
        let client = try await connect()
        #expect(try await client.status().process == 7)
        client.close()
    }

    @Test func `an unknown method fails its call alone`() throws {
        try server.start()
        let peer = try rawPeer()
        peer.write(#"{"type":"call","id":5,"method":"dance","params":{}}"# + "\n")
        #expect(peer.line()?.contains(#""code":"unsupported""#) == true)
        peer.write(#"{"type":"call","id":6,"method":"send","params":{"request":{}}}"# + "\n")
        #expect(peer.line()?.contains(#""code":"protocol-mismatch""#) == true)
        peer.write(#"{"type":"call","id":7,"method":"status","params":{}}"# + "\n")
        #expect(peer.line()?.contains(#""type":"reply""#) == true)
    }

    @Test func `an id that is under way cannot be used again`() throws {
        core.gate.close()
        try server.start()
        let peer = try rawPeer()
        let call =
            #"{"type":"call","id":1,"method":"wait","params":{"request":{"message":"1","goal":"delivered","timeout":[0,0]}}}"#
        peer.write(call + "\n" + call + "\n")
        #expect(peer.rest().contains("protocol-mismatch"))
    }

    @Test func `a caller that goes away frees its calls and streams`() async throws {
        core.gate.close()
        try server.start()
        let client = try await connect()
        let call = Task { try await client.wait(.init(message: "1", goal: .delivered, timeout: .seconds(60))) }
        await core.gate.waitForWaiter()
        client.close()
        await #expect(throws: ChatAPIError.self) { try await call.value }
        await server.waitUntilIdle(limit: .seconds(10))
        core.gate.open()
        let next = try await connect()
        #expect(try await next.status().process == 7)
        next.close()
    }

    @Test func `a cancelled call is cancelled in the core`() async throws {
        core.gate.close()
        try server.start()
        let client = try await connect()
        let call = Task { try await client.wait(.init(message: "1", goal: .delivered, timeout: .seconds(60))) }
        await core.gate.waitForWaiter()
        call.cancel()
        let error = await #expect(throws: ChatAPIError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        await server.waitUntilIdle(limit: .seconds(10))
        #expect(try await client.status().process == 7)
        client.close()
    }
}
