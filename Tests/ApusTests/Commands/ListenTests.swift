// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Foundation
import Glibc
import Testing

@testable import apus

@Suite struct ListenTests {
    private let runner = CommandRunner()

    /// The program does so too, by `Signals`: a command that does not read must not end it.
    init() { signal(SIGPIPE, SIG_IGN) }

    private var core: FakeChatClient { runner.core }

    private func fill() {
        core.set { state in
            state.events = [
                ChatEvent(.connection(AccountSummary(address: "ana@example.org", connection: .init(.online)))),
                ChatEvent(.message(FakeChatClient.incoming(1, "one", cursor: "1")), cursor: "1"),
                ChatEvent(
                    .message(
                        FakeChatClient.message(.init(conversation: "bo@example.org", body: "mine", key: "k"), .queued)),
                    cursor: "2"),
                ChatEvent(.typing(account: "ana@example.org", address: "bo@example.org", isTyping: true)),
                ChatEvent(.message(FakeChatClient.incoming(2, "two", cursor: "3")), cursor: "3"),
                ChatEvent(.message(FakeChatClient.incoming(3, "three", cursor: "4")), cursor: "4"),
            ]
        }
    }

    @Test func `plain output has a line for each incoming message`() async throws {
        fill()
        let lines = try await runner.run("listen", "--count", "2").split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasSuffix(" bo@example.org: one"))
        #expect(lines[1].hasSuffix(" bo@example.org: two"))
    }

    @Test func `JSON has an object for every event`() async throws {
        fill()
        let lines = try await runner.run("listen", "--count", "2", "--json").split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.contains(#""schema":"apus.event/1""#) })
        #expect(
            lines[3]
                == #"{"account":"ana@example.org","address":"bo@example.org","schema":"apus.event/1","type":"typing","typing":true}"#
        )
    }

    @Test func `it begins where the profile is now, or after the cursor given`() async throws {
        fill()
        try await runner.run("listen", "--count", "1", "--json")
        #expect(core.calls.prefix(2) == ["status", "events 0"])
        let other = CommandRunner()
        other.core.set { $0.events = core.state.withLock { $0.events } }
        let lines = try await other.run("listen", "--since", "4", "--count", "1")
        #expect(lines.hasSuffix(" bo@example.org: two\n"))
    }

    @Test func `the command gets each message as JSON, and its failure ends nothing`() async throws {
        fill()
        let directory = try TemporaryDirectory()
        let file = directory.path + "/out"
        let command = "cat >> \(file); echo \"$APUS_FROM $APUS_ID $APUS_CURSOR\" >> \(file); exit 3"
        try await runner.run("listen", "--count", "2", "--exec", command, environment: ["PATH": "/usr/bin:/bin"])
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].contains(#""body":"one""#) && lines[0].contains(#""schema":"apus.message/1""#))
        #expect(lines[1] == "bo@example.org 1 1")
        #expect(lines[3] == "bo@example.org 2 3")
        #expect(runner.warned.withLock { $0 }.contains("the command given with --exec ended with 3"))
        #expect(runner.printed.withLock { $0 }.isEmpty)
    }

    @Test func `a command that does not read its input does no harm`() async throws {
        core.set {
            $0.events = [ChatEvent(.message(FakeChatClient.incoming(1, String(repeating: "x", count: 200_000))))]
        }
        try await runner.run("listen", "--since", "0", "--count", "1", "--exec", "exit 0")
        #expect(runner.warned.withLock { $0 }.isEmpty)
    }

    @Test func `an account that cannot connect without the user ends it with the cause`() async {
        let failed = AccountSummary(
            address: "ana@example.org", connection: .init(.failed, error: .init(.certificate, "certificate expired")))
        core.set { state in
            state.status.accounts = [failed]
            state.events = [ChatEvent(.connection(failed))]
        }
        let error = await #expect(throws: ChatAPIError.self) { try await runner.run("listen") }
        #expect(error?.code == .certificate)
    }
}
