// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import apus

/// Deciding about messages that waited too long.
@Suite struct OutboxCommandsTests {
    private let runner = CommandRunner()
    private var core: FakeChatClient { runner.core }

    private func waiting(_ state: MessageState, isDoubtful: Bool = false) -> MessageItem {
        MessageItem(
            id: "7", account: "ana@example.org", conversation: "bo@example.org", direction: .outgoing,
            sender: "ana@example.org", body: "hello", time: Timestamp(milliseconds: 1_700_000_000_000), state: state,
            mayBeRepeated: isDoubtful)
    }

    @Test func `outbox names each message, whom it is for, and what it waits for`() async throws {
        core.state.withLock { $0.history = [waiting(.needsConfirmation)] }
        let printed = try await runner.run("outbox")
        #expect(printed.hasPrefix("7  to bo@example.org  "))
        #expect(printed.hasSuffix(" me: hello ? waits for 'apus outbox'\n"))
    }

    @Test func `outbox prints JSON, with the doubt only where there is one`() async throws {
        core.state.withLock { $0.history = [waiting(.needsConfirmation), waiting(.written, isDoubtful: true)] }
        let printed = try await runner.run("outbox", "--json")
        #expect(printed.contains(#""state":"needs-confirmation""#))
        #expect(printed.components(separatedBy: #""may_be_repeated":true"#).count == 2)
        #expect(printed.contains(#""schema":"apus.outbox/1""#))
    }

    @Test func `an empty outbox says so`() async throws {
        #expect(try await runner.run("outbox") == "nothing waits\n")
    }

    @Test(arguments: [("send", "queued again\n"), ("drop", "dropped\n")])
    func `a decision goes to the core`(verb: String, words: String) async throws {
        #expect(try await runner.run("outbox", verb, "7") == words)
        #expect(core.calls == ["decide 7 \(verb)"])
    }

    @Test func `a message that may be repeated says so in a history`() {
        let text = MessageText(style: Style(environment: [:], isTerminal: false))
        #expect(text.line(waiting(.acknowledged, isDoubtful: true)).hasSuffix("hello \u{2713} (may be repeated)"))
    }
}
