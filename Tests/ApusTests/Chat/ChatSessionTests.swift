// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Testing

@testable import apus

/// `chat` in a pipe: lines in, lines out.
@Suite struct ChatSessionTests {
    private let runner = CommandRunner()
    private var core: FakeChatClient { runner.core }

    private func sent(_ body: String, _ state: MessageState) -> MessageItem {
        FakeChatClient.message(.init(conversation: "bo@example.org", body: body, key: "k"), state)
    }

    @Test func `history comes first, each line is sent, and the end waits for the acknowledgement`() async throws {
        core.set { state in
            state.history = [FakeChatClient.incoming(5, "before")]
            state.events = [ChatEvent(.messageChanged(sent("hello", .acknowledged)), cursor: "1")]
            state.status.cursor = "0"
        }
        let printed = try await runner.run("chat", "bo@example.org", input: "hello\n")
        let lines = printed.split(separator: "\n")
        #expect(lines.first?.hasSuffix(" bo@example.org: before") == true)
        #expect(lines.contains { $0.hasSuffix("\u{2713}") || $0.contains("\u{2713} hello") })
        #expect(core.state.withLock { $0.sent.map(\.body) } == ["hello"])
        #expect(core.calls.contains("markRead bo@example.org"))
    }

    @Test func `with nothing to send it ends after the history`() async throws {
        core.set { $0.history = [FakeChatClient.incoming(5, "before")] }
        #expect(try await runner.run("chat", "bo@example.org").contains("before"))
        #expect(core.state.withLock { $0.sent.isEmpty })
    }

    @Test func `a message that was refused ends it with the reason`() async {
        var failed = sent("hello", .failed)
        failed.failure = ChatAPIError(.refused, "the other side cannot be reached")
        let event = ChatEvent(.messageChanged(failed), cursor: "1")
        core.set { $0.events = [event] }
        let error = await #expect(throws: ChatAPIError.self) {
            try await runner.run("chat", "bo@example.org", input: "hello\n")
        }
        #expect(error?.code == .refused)
    }

    @Test func `a line that is too long is refused`() async {
        let error = await #expect(throws: ChatAPIError.self) {
            try await runner.run(
                "chat", "bo@example.org", input: String(repeating: "x", count: ChatLimits.bodyBytes + 1))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `without a connection a pipe ends with the cause`() async {
        core.set { $0.errors["connect"] = ChatAPIError(.network, "no route") }
        let error = await #expect(throws: ChatAPIError.self) {
            try await runner.run("chat", "bo@example.org", input: "hello\n")
        }
        #expect(error?.code == .network)
    }
}
