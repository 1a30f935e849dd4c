// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import apus

@Suite struct AccountCommandsTests {
    private let runner = CommandRunner()
    private var core: FakeChatClient { runner.core }

    @Test func `the password comes from the environment`() async throws {
        let printed = try await runner.run(
            "account", "add", "ana@example.org", "--host", "h", environment: ["APUS_PASSWORD": "secret"])
        #expect(printed == "added ana@example.org\n")
        #expect(core.calls == ["addAccount ana@example.org secret h"])
    }

    @Test func `the password comes from standard input, its first line`() async throws {
        try await runner.run("account", "add", "ana@example.org", "--password-file", "-", input: "from stdin\nrest\n")
        #expect(core.calls == ["addAccount ana@example.org from stdin -"])
    }

    @Test func `the password comes from a file, which wins over the environment`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/pw"
        try Data("pässword with spaces \r\nsecond\n".utf8).write(to: URL(fileURLWithPath: file))
        try await runner.run(
            "account", "add", "ana@example.org", "--password-file", file, environment: ["APUS_PASSWORD": "other"])
        #expect(core.calls == ["addAccount ana@example.org pässword with spaces  -"])
    }

    @Test func `without any of these there is an error that names them all`() async {
        let error = await #expect(throws: CommandError.self) {
            try await runner.run("account", "add", "ana@example.org")
        }
        guard case .usage(let text, _) = error else { return #expect(Bool(false)) }
        #expect(text.contains("--password-file") && text.contains("APUS_PASSWORD"))
        #expect(core.calls.isEmpty)
    }

    @Test func `a file that cannot be read, and an empty password, are errors`() async {
        let missing = await #expect(throws: ChatAPIError.self) {
            try await runner.run("account", "add", "a@b", "--password-file", "/nowhere/pw")
        }
        #expect(missing?.description.contains("/nowhere/pw") == true)
        let empty = await #expect(throws: ChatAPIError.self) {
            try await runner.run("account", "add", "a@b", "--password-file", "-", input: "\nx\n")
        }
        #expect(empty?.description == "the password is empty")
    }

    @Test func `no error and no output has the password in it`() async {
        core.set { $0.error = ChatAPIError(.authentication, "wrong user name or password") }
        do {
            try await runner.run("account", "add", "a@b", environment: ["APUS_PASSWORD": "hunter2"])
        } catch {
            #expect(!String(reflecting: error).contains("hunter2"))
        }
        #expect(!(runner.printed.withLock { $0 } + runner.warned.withLock { $0 }).contains("hunter2"))
    }

    @Test func `fields for the registration are passed on`() async throws {
        try await runner.run(
            "account", "register", "a@b", "--field", "email=a@c.d", "--field", "nick=A=B",
            environment: ["APUS_PASSWORD": "p"])
        #expect(core.calls == ["registerAccount a@b email=a@c.d nick=A=B"])
    }

    @Test func `fields that are missing are named`() async {
        core.set { $0.errors["registerAccount"] = ChatAPIError(.registrationFields, "more is needed") }
        let error = await #expect(throws: ChatAPIError.self) {
            try await runner.run("account", "register", "a@b", environment: ["APUS_PASSWORD": "p"])
        }
        #expect(error?.description == "the server also asks for: email")
        #expect(error?.hint == "give each with --field NAME=VALUE")
        #expect(ExitCode(error?.code ?? .fault) == .refused)
    }

    @Test func `the password is changed on the server, or only here`() async throws {
        try await runner.run("account", "password", "a@b", environment: ["APUS_PASSWORD": "new"])
        #expect(core.calls == ["connect", "changePassword a@b new"])
        try await runner.run("account", "password", "a@b", "--local", environment: ["APUS_PASSWORD": "new"])
        #expect(core.calls.count == 3)
    }
}
