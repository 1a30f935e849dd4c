// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// What a command works with.
struct Context: Sendable {
    let line: ParsedLine
    private let core: (any ChatClient)?
    let output: Output
    let input: any TextInput
    let environment: [String: String]
    let profile: String

    /// `client` is nil for commands that work without a profile.
    init(
        line: ParsedLine, client: (any ChatClient)?, output: Output, input: any TextInput,
        environment: [String: String], profile: String
    ) {
        self.line = line
        core = client
        self.output = output
        self.input = input
        self.environment = environment
        self.profile = profile
    }

    var client: any ChatClient {
        get throws(ChatAPIError) {
            guard let core else { throw ChatAPIError(.fault, "this command has no profile") }
            return core
        }
    }

    /// The account named with `--account`.
    var account: String? { line.options["account"] }

    func argument(_ index: Int) -> String { index < line.arguments.count ? line.arguments[index] : "" }
}

/// Where a command reads what the user types or pipes in.
protocol TextInput: Sendable {
    /// Standard input is a terminal.
    var isTerminal: Bool { get }
    /// Standard input to its end, or an error when it has more than `limit` bytes.
    func all(limit: Int) async throws(ChatAPIError) -> [UInt8]
    /// Standard input in pieces, as they come.
    func pieces() -> AsyncStream<[UInt8]>
    /// Asks on the terminal for a text that is not shown; nil when there is no terminal.
    func secret(prompt: String) async throws(ChatAPIError) -> String?
    /// Asks on the terminal for a line; nil when there is no terminal.
    func answer(prompt: String) async throws(ChatAPIError) -> String?
}
