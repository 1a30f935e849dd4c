// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let send = CommandSpec(
        path: ["send"], summary: "send a message",
        arguments: [
            ArgumentSpec(name: "JID", summary: "who shall get it"),
            ArgumentSpec(name: "TEXT", isRequired: false, summary: "the text; without it, or with -, standard input"),
        ],
        options: [
            CommandSpec.account,
            .value("wait", "STATE", "return when it is queued, acknowledged (the default) or delivered"),
            CommandSpec.timeout,
            .value("id", "KEY", "a name for this message: a repeated call with it sends nothing new"),
        ],
        discussion: "A message that has not gone out when the time is up, or when there is no connection, stays queued "
            + "and goes out with the next command that connects."
    ) { context in
        let goal = try goal(context.line)
        let timeout = try context.line.duration("timeout", default: .seconds(30))
        let deadline = ContinuousClock.now + timeout
        let key = try key(context.line)
        let request = SendRequest(
            account: context.account, conversation: context.argument(0), body: try await text(context), key: key)
        var result = try await context.client.send(request)
        result.message = try await settled(result.message, goal, deadline, timeout, context)
        if context.output.isJSON { return try await context.output.json("sent", result) }
        let tick = MessageText(style: context.output.style).tick(result.message.state)
        try await context.output.note("\(tick) \(result.message.state.rawValue)")
    }

    /// The name under which a repeated call sends nothing new: `--id`, or one from chance.
    static func key(_ line: ParsedLine) throws -> String {
        let key = line.options["id"] ?? randomKey()
        guard (1...ChatLimits.keyBytes).contains(key.utf8.count) else {
            let command = line.command.path.joined(separator: " ")
            throw CommandError.usage("--id takes 1 to \(ChatLimits.keyBytes) bytes", help: "apus \(command) --help")
        }
        return key
    }

    /// Waits until a message has come as far as was asked for; throws when it does not go on by itself.
    static func settled(
        _ message: MessageItem, _ goal: MessageState, _ deadline: ContinuousClock.Instant, _ timeout: Duration,
        _ context: Context
    ) async throws -> MessageItem {
        var message = message
        if goal != .queued, !message.state.reached(goal), message.state != .failed {
            message = try await wait(message, goal, deadline, timeout, context)
        }
        if message.state == .failed || message.state == .needsConfirmation {
            let failure = message.failure ?? stuck(message.state)
            throw ChatAPIError(failure.code, failure.description, hint: failure.hint)
        }
        return message
    }

    static func wait(
        _ message: MessageItem, _ goal: MessageState, _ deadline: ContinuousClock.Instant, _ timeout: Duration,
        _ context: Context
    ) async throws -> MessageItem {
        let staysQueued = "the message stays queued and goes out with the next connection"
        do throws(ChatAPIError) {
            let rest = max(.milliseconds(1), deadline - ContinuousClock.now)
            _ = try await context.client.connect(ConnectRequest(account: message.account, timeout: rest))
        } catch {
            guard error.code != .cancelled else { throw error }
            throw ChatAPIError(
                error.code, error.description, hint: error.hint.map { $0 + "; " + staysQueued } ?? staysQueued)
        }
        do throws(ChatAPIError) {
            let rest = max(.milliseconds(1), deadline - ContinuousClock.now)
            return try await context.client.wait(WaitRequest(message: message.id, goal: goal, timeout: rest))
        } catch {
            guard error.code == .timeout else { throw error }
            let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
            let span = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
            let who = goal == .delivered ? "the other side has not confirmed" : "the server has not acknowledged"
            throw ChatAPIError(
                .timeout, "\(who) the message within \(span) s",
                hint: goal == .delivered ? "it is on its way; 'apus history' shows its state" : staysQueued)
        }
    }

    static func goal(_ line: ParsedLine) throws(CommandError) -> MessageState {
        switch line.options["wait"] ?? "acknowledged" {
        case "queued": return .queued
        case "acknowledged": return .acknowledged
        case "delivered": return .delivered
        case let other:
            throw .usage("--wait takes queued, acknowledged or delivered, not \"\(other)\"", help: "apus send --help")
        }
    }

    /// Why a message goes no further, where the core has no reason of its own.
    static func stuck(_ state: MessageState) -> ChatAPIError {
        guard state == .needsConfirmation else { return ChatAPIError(.refused, "the message was refused") }
        return ChatAPIError(
            .refused, "the message waited too long to be sent without asking",
            hint: "'apus outbox send ID' sends it, 'apus outbox drop ID' does not")
    }

    /// The argument, or standard input without its last line feed.
    private static func text(_ context: Context) async throws -> String {
        var text = context.argument(1)
        if context.line.arguments.count < 2 || text == "-" {
            let bytes = try await context.input.all(limit: ChatLimits.bodyBytes + 1)
            guard let read = String(validating: bytes, as: UTF8.self) else {
                throw ChatAPIError(.invalidArgument, "standard input is not UTF-8", hint: "convert it with iconv")
            }
            text = read
            if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        }
        guard !text.isEmpty else {
            throw CommandError.usage("the message is empty", help: "apus send --help")
        }
        guard text.utf8.count <= ChatLimits.bodyBytes else {
            throw ChatAPIError(
                .tooLarge, "the message has \(text.utf8.count) bytes, \(ChatLimits.bodyBytes) is the most",
                hint: "send it in parts")
        }
        return text
    }

    /// 128 random bits: no two messages share a key by chance.
    static func randomKey() -> String {
        [UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max)]
            .map { String($0, radix: 36) }.joined(separator: "-")
    }
}
