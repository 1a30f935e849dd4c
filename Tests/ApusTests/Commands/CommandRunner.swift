// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting

@testable import apus

/// Runs commands against a fake core and keeps what they print.
struct CommandRunner {
    let core = FakeChatClient()
    let printed = Locked("")
    let warned = Locked("")
    /// What a user types in answer to questions; nil without a terminal.
    var answers: [String]?

    /// What the command wrote to standard output; throws what it ended with.
    @discardableResult
    func run(_ words: String..., input: String = "", environment: [String: String] = [:]) async throws -> String {
        guard case .run(let line) = try OptionParser(commands: Commands.all).parse(words) else { throw NoCommand() }
        let output = Output(
            style: Style(environment: [:], isTerminal: false), isJSON: line.has("json"), isQuiet: line.has("quiet"),
            sink: { [printed, warned] descriptor, bytes in
                (descriptor == 1 ? printed : warned).withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                return true
            })
        let context = Context(
            line: line, client: core, output: output, input: FakeInput(text: input, answers: Locked(answers)),
            environment: environment,
            profile: "default")
        try await line.command.run(context)
        return printed.withLock { $0 }
    }

    struct NoCommand: Error {}
}

/// Standard input with a fixed text, and a terminal when there are answers.
struct FakeInput: TextInput {
    let text: String
    var answers = Locked<[String]?>(nil)
    var isTerminal: Bool { answers.withLock { $0 != nil } }

    func all(limit: Int) async throws(ChatAPIError) -> [UInt8] {
        guard text.utf8.count <= limit else { throw ChatAPIError(.tooLarge, "too much") }
        return Array(text.utf8)
    }

    func pieces() -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                continuation.yield(Array(rest.prefix(7)))
                rest = rest.dropFirst(7)
            }
            continuation.finish()
        }
    }

    func secret(prompt: String) async throws(ChatAPIError) -> String? { nil }
    func answer(prompt: String) async throws(ChatAPIError) -> String? {
        answers.withLock { answers in answers?.isEmpty == false ? answers?.removeFirst() : nil }
    }
}
