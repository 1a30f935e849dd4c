// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Testing

@testable import apus

/// What commands ask of the core, and what they print, word for word.
@Suite struct CommandsTests {
    private let runner = CommandRunner()
    private var core: FakeChatClient { runner.core }

    private func error(_ body: () async throws -> Void) async -> CommandError? {
        do {
            try await body()
            return nil
        } catch {
            return CommandError(error)
        }
    }

    @Test func `send waits for the acknowledgement and shows the tick`() async throws {
        #expect(try await runner.run("send", "bo@example.org", "hello") == "\u{2713} acknowledged\n")
        #expect(core.calls == ["send bo@example.org hello", "connect", "wait 1 acknowledged"])
    }

    @Test func `send --wait queued makes no connection`() async throws {
        #expect(try await runner.run("send", "bo@example.org", "hi", "--wait", "queued") == "\u{25F7} queued\n")
        #expect(core.calls == ["send bo@example.org hi"])
    }

    @Test func `send prints JSON with its schema`() async throws {
        let printed = try await runner.run("send", "bo@example.org", "hi", "--id", "k1", "--json")
        #expect(
            printed
                == #"{"message":{"account":"ana@example.org","body":"hi","conversation":"bo@example.org","#
                + #""direction":"outgoing","id":"1","key":"k1","sender":"ana@example.org","state":"acknowledged","#
                + #""time":"2023-11-14T22:13:20.000Z"},"repeated":false,"schema":"apus.sent/1"}"# + "\n")
    }

    @Test func `the same id sends once`() async throws {
        try await runner.run("send", "bo@example.org", "hi", "--id", "k1")
        let again = try await runner.run("send", "bo@example.org", "hi", "--id", "k1", "--json")
        #expect(again.contains(#""repeated":true"#))
        #expect(core.state.withLock { $0.sent.count } == 1)
    }

    @Test func `text comes from standard input, without its last line feed`() async throws {
        try await runner.run("send", "bo@example.org", "-q", input: "one\ntwo\n")
        try await runner.run("send", "bo@example.org", "-", input: "three\r\n")
        #expect(core.state.withLock { $0.sent.map(\.body) } == ["one\ntwo", "three"])
        #expect(runner.printed.withLock { $0 } == "\u{2713} acknowledged\n")
    }

    @Test func `an empty message and one that is too long are refused before the core is asked`() async {
        #expect(await error { try await runner.run("send", "a@b", "") }?.exitCode == .usage)
        #expect(await error { try await runner.run("send", "a@b", input: "\n") }?.exitCode == .usage)
        let long = String(repeating: "x", count: ChatLimits.bodyBytes + 1)
        #expect(await error { try await runner.run("send", "a@b", long) }?.exitCode == .failure)
        #expect(core.calls.isEmpty)
    }

    @Test func `without a connection the error says that the message stays queued`() async throws {
        core.set { $0.errors["connect"] = ChatAPIError(.network, "no route to example.org", hint: "check the network") }
        let end = await error { try await runner.run("send", "bo@example.org", "hi") }
        guard case .chat(let error) = end else { throw CommandRunner.NoCommand() }
        #expect(end?.exitCode == .network)
        #expect(error.description == "no route to example.org")
        #expect(error.hint == "check the network; the message stays queued and goes out with the next connection")
    }

    @Test func `a message that failed ends with its reason`() async {
        core.set { $0.waitedState = .failed }
        #expect(await error { try await runner.run("send", "bo@example.org", "hi") }?.exitCode == .refused)
    }

    @Test func `when the time is up, the error says what has not happened`() async throws {
        core.set { $0.errors["wait"] = ChatAPIError(.timeout, "late") }
        let end = await error { try await runner.run("send", "a@b", "hi", "--wait", "delivered", "--timeout", "1.5") }
        guard case .chat(let error) = end else { throw CommandRunner.NoCommand() }
        #expect(end?.exitCode == .timeout)
        #expect(error.description == "the other side has not confirmed the message within 1.5 s")
    }

    @Test func `history is printed oldest first, fetched in pages`() async throws {
        core.set { $0.history = (1...1200).map { FakeChatClient.incoming($0, "m\($0)") } }
        let printed = try await runner.run("history", "bo@example.org", "--limit", "1100")
        let lines = printed.split(separator: "\n")
        #expect(lines.count == 1100)
        #expect(lines.first?.hasSuffix("bo@example.org: m101") == true)
        #expect(lines.last?.hasSuffix("bo@example.org: m1200") == true)
        #expect(core.calls.filter { $0.hasPrefix("history") }.count == 3)
    }

    @Test func `history as JSON names the conversation`() async throws {
        core.set { $0.history = [FakeChatClient.incoming(1)] }
        let printed = try await runner.run("history", "BO@example.org", "--json")
        #expect(
            printed.hasPrefix(#"{"account":"ana@example.org","conversation":"bo@example.org","messages":[{"account""#))
        #expect(printed.hasSuffix(#""schema":"apus.history/1"}"# + "\n"))
    }

    @Test func `contacts are listed with their presence`() async throws {
        core.set { state in
            state.contacts = [
                ContactSummary(
                    account: "ana@example.org", address: "bo@example.org", name: "Bo", subscription: .both,
                    presence: .init(.away, status: "lunch\u{1B}[2J")),
                ContactSummary(account: "ana@example.org", address: "cy@example.org", isAsked: true),
            ]
        }
        let printed = try await runner.run("contacts")
        #expect(printed == "away     bo@example.org  Bo  \"lunch\u{241B}[2J\"\nunknown  cy@example.org  (asked)\n")
    }

    @Test func `without a connection contacts are those stored, with a remark`() async throws {
        core.set { $0.errors["connect"] = ChatAPIError(.network, "no route") }
        #expect(try await runner.run("contacts").hasPrefix("no contact yet"))
        #expect(runner.warned.withLock { $0 } == "apus: no route; showing what is stored\n")
    }

    @Test func `requests are accepted and declined`() async throws {
        core.set { $0.requests = [RequestSummary(account: "ana@example.org", address: "eve@example.org", text: "hi")] }
        #expect(try await runner.run("requests") == "eve@example.org  \"hi\"\n")
        try await runner.run("requests", "accept", "eve@example.org")
        try await runner.run("requests", "decline", "mal@example.org")
        #expect(
            core.calls.filter { $0.hasPrefix("answer") } == [
                "answer eve@example.org true", "answer mal@example.org false",
            ])
    }

    @Test func `status tells who holds the profile`() async throws {
        core.set { state in
            state.status.role = "serve"
            state.status.unread = 2
            state.status.accounts[0].connection = ConnectionStatus(
                .waiting, error: ChatAPIError(.network, "no route", hint: "check the network"))
        }
        #expect(
            try await runner.run("status") == """
                profile test: held by 'apus serve', process 7
                  ana@example.org  waiting: no route; check the network
                  2 unread

                """)
    }

    @Test(arguments: [true, false])
    func `status tells of messages that may be missing`(_ isLoss: Bool) async throws {
        core.set { state in
            state.status.role = "serve"
            state.status.accounts[0].connection = ConnectionStatus(.online)
            state.status.accounts[0].gaps = [
                .init(
                    reason: isLoss ? "anchor-lost" : "new-device",
                    noticed: Timestamp(milliseconds: 1_796_000_000_000), isLoss: isLoss)
            ]
        }
        let text = try await runner.run("status")
        #expect(text.contains("    messages from before 2026-11-30 may be missing") == isLoss)
    }

    @Test func `every JSON object has a schema with its version`() async throws {
        let commands: [(words: [String], schema: String)] = [
            (["account", "list"], "accounts"), (["account", "remove", "a@b"], "removed"), (["contacts"], "contacts"),
            (["contacts", "add", "a@b"], "contact"), (["contacts", "remove", "a@b"], "removed"),
            (["requests"], "requests"), (["requests", "accept", "a@b"], "answered"), (["history", "a@b"], "history"),
            (["conversations"], "conversations"), (["status"], "status"), (["version"], "version"),
            (["send", "a@b", "x"], "sent"),
        ]
        for (words, schema) in commands {
            let own = CommandRunner()
            guard case .run(let line) = try OptionParser(commands: Commands.all).parse(words + ["--json"]) else {
                continue
            }
            let output = Output(
                style: Style(environment: [:], isTerminal: false), isJSON: true, isQuiet: false,
                sink: { [printed = own.printed] _, bytes in
                    printed.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                    return true
                })
            try await line.command.run(
                Context(
                    line: line, client: own.core, output: output, input: FakeInput(text: ""), environment: [:],
                    profile: "default"))
            let printed = own.printed.withLock { $0 }
            #expect(printed.contains("\"schema\":\"apus.\(schema)/1\""), "\(words)")
            #expect(printed.split(separator: "\n").count == 1, "\(words)")
        }
    }
}
