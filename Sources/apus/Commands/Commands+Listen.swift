// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let listen = CommandSpec(
        path: ["listen"], summary: "stay connected and print what comes in",
        options: [
            .value("since", "CURSOR", "first everything after this cursor, taken from an earlier message or status"),
            .value("exec", "COMMAND", "run this with the shell for each incoming message, as JSON on standard input"),
            .value("count", "N", "end after N incoming messages"),
        ],
        discussion: """
            Plain output has one line for each incoming message. With --json there is one object for each event: messages
            and their states, contacts and presence, requests, typing, connections. Commands given with --exec run one
            after another; APUS_ACCOUNT, APUS_FROM, APUS_ID and APUS_CURSOR tell them what the message is. When one
            fails, listen says so and goes on.
            """
    ) { context in
        let limit = try context.line.number("count", default: Int.max)
        let start: String?
        if let given = context.line.options["since"] {
            start = given
        } else {
            start = try await context.client.status().cursor
        }
        // The stream begins before the connection does, so that nothing that comes in with it is missed.
        let events = try context.client.events(since: start)
        _ = try await context.client.connect(ConnectRequest(persists: true, timeout: .zero))
        var count = 0
        for try await event in events {
            try await show(event, context)
            if case .connection(let account) = event.kind { try await endIfHopeless(account, context) }
            guard case .message(let item) = event.kind, item.direction == .incoming else { continue }
            if let command = context.line.options["exec"] {
                try await run(command, item, context)
            }
            count += 1
            if count >= limit { break }
        }
    }

    /// A connection that was lost is made again by the core; one that cannot be made without the user ends the command,
    /// unless another account is still of use.
    static func endIfHopeless(_ account: AccountSummary, _ context: Context) async throws {
        guard account.connection.phase == .failed, let error = account.connection.error else { return }
        let accounts = try await context.client.status().accounts
        if accounts.allSatisfy({ $0.connection.phase == .failed || !$0.isEnabled }) { throw error }
        await context.output.warn("\(account.address): \(error.description)")
    }

    private static func show(_ event: ChatEvent, _ context: Context) async throws {
        if context.output.isJSON { return try await context.output.json("event", event) }
        guard !context.output.isQuiet, context.line.options["exec"] == nil else { return }
        let text = MessageText(style: context.output.style)
        switch event.kind {
        case .message(let item) where item.direction == .incoming: try await context.output.line(text.line(item))
        case .request(let request):
            await context.output.warn("\(request.address) asks to see your presence; 'apus requests' lists it")
        case .connection(let account) where account.connection.phase == .waiting:
            if let error = account.connection.error { await context.output.warn(error.description + "; trying again") }
        case .gap: await context.output.warn("events after that cursor are no longer kept; some are missing here")
        default: break
        }
    }

    private static func run(_ command: String, _ item: MessageItem, _ context: Context) async throws {
        let json = try Output.text("message", item)
        var environment = context.environment
        environment["APUS_ACCOUNT"] = item.account
        environment["APUS_FROM"] = item.conversation
        environment["APUS_ID"] = item.id
        environment["APUS_CURSOR"] = item.cursor
        let status = try await ShellCommand.run(command, input: Array((json + "\n").utf8), environment: environment)
        if status != 0 { await context.output.warn("the command given with --exec ended with \(status)") }
    }
}
