// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Glibc
import Testing

/// Processes that share a profile, each played by one client; the lock is the test's.
@Suite struct ProfileClientTests {
    private let directory: TemporaryDirectory
    private let paths: ProfilePaths
    private let lock = HeldOnce()
    private let core = FakeChatClient()

    init() throws {
        directory = try TemporaryDirectory()
        paths = try ProfilePaths(
            profile: "p", environment: ["XDG_RUNTIME_DIR": directory.path, "XDG_DATA_HOME": directory.path + "/data"])
    }

    /// The profile's lock, and who has held it.
    private final class HeldOnce: Sendable {
        let state = Locked((isHeld: false, holders: [String]()))

        func take(_ name: String) -> Bool {
            state.withLock { state in
                guard !state.isHeld else { return false }
                state.isHeld = true
                state.holders.append(name)
                return true
            }
        }

        var holders: [String] { state.withLock { $0.holders } }
    }

    /// A core that gives the lock back when it is closed.
    private final class LockedCore: ForwardingCore {
        let fake: FakeChatClient
        let lock: HeldOnce

        init(_ fake: FakeChatClient, _ lock: HeldOnce) {
            self.fake = fake
            self.lock = lock
        }

        func close() async {
            await fake.close()
            lock.state.withLock { $0.isHeld = false }
        }

        func status() async throws(ChatAPIError) -> ProfileStatus { try await fake.status() }
        func addAccount(_ request: AddAccountRequest) async throws(ChatAPIError) -> AccountSummary {
            try await fake.addAccount(request)
        }
        func registrationForm(_ request: AddAccountRequest) async throws(ChatAPIError) -> RegistrationForm {
            try await fake.registrationForm(request)
        }
        func registerAccount(_ request: RegisterAccountRequest) async throws(ChatAPIError) -> AccountSummary {
            try await fake.registerAccount(request)
        }
        func timeline(account: String?) async throws(ChatAPIError) -> [AccountTimeline] {
            try await fake.timeline(account: account)
        }
        func trust(_ request: TrustRequest) async throws(ChatAPIError) -> TrustSettings {
            try await fake.trust(request)
        }
        func diagnose(_ request: DiagnosisRequest) async throws(ChatAPIError) -> Diagnosis {
            try await fake.diagnose(request)
        }
        func removeAccount(_ request: RemoveAccountRequest) async throws(ChatAPIError) {
            try await fake.removeAccount(request)
        }
        func changePassword(_ request: ChangePasswordRequest) async throws(ChatAPIError) {
            try await fake.changePassword(request)
        }
        func connect(_ request: ConnectRequest) async throws(ChatAPIError) -> [AccountSummary] {
            try await fake.connect(request)
        }
        func contacts(account: String?) async throws(ChatAPIError) -> [ContactSummary] {
            try await fake.contacts(account: account)
        }
        func addContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary {
            try await fake.addContact(request)
        }
        func removeContact(_ request: ContactRequest) async throws(ChatAPIError) {
            try await fake.removeContact(request)
        }
        func requests(account: String?) async throws(ChatAPIError) -> [RequestSummary] {
            try await fake.requests(account: account)
        }
        func answer(_ request: AnswerRequest) async throws(ChatAPIError) { try await fake.answer(request) }
        func send(_ request: SendRequest) async throws(ChatAPIError) -> SendResult { try await fake.send(request) }
        func wait(_ request: WaitRequest) async throws(ChatAPIError) -> MessageItem { try await fake.wait(request) }
        func outbox(account: String?) async throws(ChatAPIError) -> [MessageItem] {
            try await fake.outbox(account: account)
        }
        func decide(_ decision: OutboxDecision) async throws(ChatAPIError) { try await fake.decide(decision) }
        func resolve(_ conversation: ConversationID) async throws(ChatAPIError) -> ConversationID {
            try await fake.resolve(conversation)
        }
        func history(_ request: HistoryRequest) async throws(ChatAPIError) -> [MessageItem] {
            try await fake.history(request)
        }
        func conversations() async throws(ChatAPIError) -> [ConversationSummary] { try await fake.conversations() }
        func setTyping(_ request: TypingRequest) async throws(ChatAPIError) { try await fake.setTyping(request) }
        func events(since cursor: String?) -> ChatEventStream { fake.events(since: cursor) }
        func announcements() -> ChatEventStream { fake.announcements() }
    }

    private func client(_ role: String, core: FakeChatClient? = nil) -> ProfileClient {
        let (lock, core) = (lock, core ?? self.core)
        return ProfileClient(paths: paths, program: "test", role: role) {
            (_: ProfilePaths) async throws(ChatAPIError) -> any LocalCore in
            guard lock.take(role) else { throw ChatAPIError(.busy, "held", isRetryable: true) }
            return LockedCore(core, lock)
        }
    }

    @Test func `the first command holds the profile, the next ones attach`() async throws {
        let first = client("listen")
        let second = client("send")
        #expect(try await first.status().process == 7)
        #expect(try await second.status().process == 7)
        guard case .holding = try await first.backend() else { throw Wrong() }
        guard case .attached(let socket) = try await second.backend() else { throw Wrong() }
        #expect(socket.core.role == "listen")
        #expect(socket.core.directory == paths.directory)
        #expect(lock.holders == ["listen"])
        await second.close()
        await first.close()
    }

    @Test func `ten at once find one holder, and all their messages are sent`() async throws {
        let clients = (0..<10).map { client("send \($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, client) in clients.enumerated() {
                group.addTask {
                    _ = try await client.send(
                        .init(conversation: "bo@example.org", body: "\(number)", key: "\(number)"))
                    await client.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(core.state.withLock { $0.sent.map(\.body) }) == Set((0..<10).map(String.init)))
    }

    @Test func `a stream goes on at the next holder after the last event seen`() async throws {
        core.set { state in
            state.events = (0..<3).map { ChatEvent(.message(FakeChatClient.incoming($0)), cursor: "\($0 + 1)") }
        }
        let holder = client("send")
        _ = try await holder.status()
        let reader = client("listen", core: successor)
        var stream = reader.events(since: "0").makeAsyncIterator()
        for number in 1...3 { #expect(try await stream.next()?.cursor == "\(number)") }
        successor.set { state in
            state.events = (0..<5).map { ChatEvent(.message(FakeChatClient.incoming($0)), cursor: "\($0 + 1)") }
        }
        async let closing: Void = holder.close(linger: .zero, limit: .zero)
        #expect(try await stream.next()?.cursor == "4")
        #expect(try await stream.next()?.cursor == "5")
        await closing
        #expect(lock.holders == ["send", "listen"])
        #expect(successor.calls.contains("events 3"))
        await reader.close()
    }

    @Test func `a wait goes on at the next holder`() async throws {
        core.gate.close()
        let holder = client("send")
        _ = try await holder.status()
        let waiter = client("send 2", core: successor)
        let wait = Task { try await waiter.wait(.init(message: "1", goal: .delivered, timeout: .seconds(60))) }
        await core.gate.waitForWaiter()
        await holder.close(linger: .zero, limit: .zero)
        #expect(try await wait.value.state == .acknowledged)
        #expect(successor.calls == ["wait 1 delivered"])
        await waiter.close()
    }

    @Test func `a holder stays while others have calls under way`() async throws {
        core.gate.close()
        let holder = client("send")
        _ = try await holder.status()
        let other = client("send 2")
        let wait = Task { try await other.wait(.init(message: "1", goal: .delivered, timeout: .seconds(60))) }
        await core.gate.waitForWaiter()
        let closing = Task { await holder.close(linger: .seconds(30), limit: .seconds(30)) }
        core.gate.open()
        #expect(try await wait.value.state == .acknowledged)
        await closing.value
        #expect(lock.holders == ["send"])
        await other.close()
    }

    @Test func `the profile's directories are private`() async throws {
        let holder = client("status")
        _ = try await holder.status()
        #expect(TemporaryDirectory.mode(paths.directory) == 0o700)
        #expect(TemporaryDirectory.mode(directory.path + "/data/apus") == 0o700)
        await holder.close()
        #expect(TemporaryDirectory.mode(paths.socket.path) == nil)
    }

    @Test func `a socket of another data directory is not used`() async throws {
        let holder = client("listen")
        _ = try await holder.status()
        let elsewhere = try ProfilePaths(
            profile: "p", environment: ["XDG_RUNTIME_DIR": directory.path, "XDG_DATA_HOME": directory.path + "/other"])
        let lost = ProfileClient(paths: elsewhere, program: "test", role: "send") {
            (_: ProfilePaths) async throws(ChatAPIError) -> any LocalCore in FakeChatClient()
        }
        let error = await #expect(throws: ChatAPIError.self) { try await lost.status() }
        #expect(error?.code == .busy)
        #expect(error?.description.contains(paths.directory) == true)
        await holder.close()
    }

    @Test func `an error of the core is not repeated`() async throws {
        core.set { $0.error = ChatAPIError(.network, "no route", isRetryable: true) }
        let holder = client("send")
        await #expect(throws: ChatAPIError.self) { try await holder.status() }
        #expect(core.calls == ["status"])
        await holder.close()
    }

    private let successor = FakeChatClient()

    private struct Wrong: Error {}
}
