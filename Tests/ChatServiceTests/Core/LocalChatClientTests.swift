// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService
import ChatTesting
import Testing

/// The core behind the interface, without a network.
@Suite struct LocalChatClientTests {
    private let directory: TemporaryDirectory
    private let paths: ProfilePaths

    init() throws {
        directory = try TemporaryDirectory()
        paths = try ProfilePaths(
            profile: "p", environment: ["XDG_RUNTIME_DIR": directory.path, "XDG_DATA_HOME": directory.path])
        try paths.prepare()
    }

    private func open() async throws -> any LocalCore {
        try await LocalChatClient.opener(program: "apus 9", role: "test")(paths)
    }

    private func code(_ body: () async throws(ChatAPIError) -> Void) async -> ChatAPIError.Code? {
        do throws(ChatAPIError) {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `an empty profile says so`() async throws {
        let core = try await open()
        let status = try await core.status()
        #expect(status.profile == "p")
        #expect(status.role == "test")
        #expect(status.version == "apus 9")
        #expect(status.accounts.isEmpty)
        #expect(status.cursor == "0")
        #expect(try await core.contacts(account: nil).isEmpty)
        #expect(try await core.requests(account: nil).isEmpty)
        #expect(try await core.conversations().isEmpty)
        await core.close()
    }

    @Test func `what needs an account is refused with the way to get one`() async throws {
        let core = try await open()
        let error = await #expect(throws: ChatAPIError.self) {
            try await core.send(.init(conversation: "bo@example.org", body: "hi", key: "k"))
        }
        #expect(error?.code == .unknownAccount)
        #expect(error?.hint == "add one with 'apus account add JID'")
        #expect(await code { () async throws(ChatAPIError) in _ = try await core.connect(.init()) } == .unknownAccount)
        #expect(
            await code { () async throws(ChatAPIError) in _ = try await core.contacts(account: "ana@example.org") }
                == .unknownAccount)
        #expect(
            await code { () async throws(ChatAPIError) in
                try await core.removeAccount(.init(address: "ana@example.org"))
            } == .unknownAccount)
        await core.close()
    }

    @Test(arguments: ["", "@", "a@", "a b@example.org", "ana@exa mple.org", "\u{202E}@example.org"])
    func `what is no address is refused`(address: String) async throws {
        let core = try await open()
        #expect(
            await code { () async throws(ChatAPIError) in
                _ = try await core.addAccount(.init(address: address, password: "p"))
            } == .invalidArgument)
        await core.close()
    }

    @Test func `a second process finds the profile busy, and gets it after the first`() async throws {
        let core = try await open()
        let error = await #expect(throws: ChatAPIError.self) { try await open() }
        #expect(error?.code == .busy)
        #expect(error?.isRetryable == true)
        await core.close()
        await release(core)
    }

    private func release(_ core: any LocalCore) async {
        #expect(await code { () async throws(ChatAPIError) in _ = try await core.status() } != nil)
    }

    @Test func `a stream tells when it is live, and ends with the core`() async throws {
        let core = try await open()
        var stream = core.events(since: nil).makeAsyncIterator()
        #expect(try await stream.next()?.kind == .live)
        let reader = Task {
            var stream = core.events(since: "0").makeAsyncIterator()
            while try await stream.next() != nil {}
        }
        await core.close()
        let error = await #expect(throws: ChatAPIError.self) { try await stream.next() }
        #expect(error?.code == .leaving)
        await #expect(throws: ChatAPIError.self) { try await reader.value }
    }

    @Test func `what is announced begins with how much is unread, and ends with the core`() async throws {
        let core = try await open()
        var stream = core.announcements().makeAsyncIterator()
        #expect(try await stream.next()?.kind == .unread(count: 0))
        await core.close()
        let error = await #expect(throws: ChatAPIError.self) { try await stream.next() }
        #expect(error?.code == .leaving)
    }

    @Test(arguments: ["x", "-1", "1.5", "99999999999999999999"])
    func `what is no cursor is refused`(cursor: String) async throws {
        let core = try await open()
        var stream = core.events(since: cursor).makeAsyncIterator()
        let error = await #expect(throws: ChatAPIError.self) { try await stream.next() }
        #expect(error?.code == .invalidArgument)
        await core.close()
    }

    @Test func `messages that do not exist cannot be waited for`() async throws {
        let core = try await open()
        for id in ["x", "7", "-1"] {
            #expect(
                await code { () async throws(ChatAPIError) in
                    _ = try await core.wait(.init(message: id, goal: .delivered, timeout: .seconds(10)))
                } == .notFound)
        }
        await core.close()
    }
}
