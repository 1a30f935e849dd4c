// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let outbox = [listOutbox, decide("send", .send), decide("drop", .drop)]

    private static let listOutbox = CommandSpec(
        path: ["outbox"], summary: "list messages that the server does not have for certain",
        options: [CommandSpec.account],
        discussion: "A message that could not be sent for a day waits for your word: 'apus outbox send ID' sends it, "
            + "'apus outbox drop ID' leaves it unsent."
    ) { context in
        let messages = try await context.client.outbox(account: context.account)
        if context.output.isJSON { return try await context.output.json("outbox", Outbox(messages: messages)) }
        let text = MessageText(style: context.output.style)
        for message in messages {
            let to = Plain.line(message.conversation)
            try await context.output.line("\(Plain.line(message.id))  to \(to)  \(text.line(message))")
        }
        if messages.isEmpty { try await context.output.note("nothing waits") }
    }

    private static func decide(_ verb: String, _ verdict: OutboxDecision.Verdict) -> CommandSpec {
        CommandSpec(
            path: ["outbox", verb],
            summary: verdict == .send
                ? "send a message that waited too long, or failed"
                : "do not send it, nor a file that has not gone up or failed",
            arguments: [ArgumentSpec(name: "ID", summary: "the message, as 'apus outbox' lists it")]
        ) { context in
            let id = context.argument(0)
            try await context.client.decide(OutboxDecision(message: id, verdict: verdict))
            if context.output.isJSON {
                return try await context.output.json("decided", Decided(id: id, sent: verdict == .send))
            }
            try await context.output.note(verdict == .send ? "queued again" : "dropped")
        }
    }

    private struct Outbox: Encodable {
        let messages: [MessageItem]
    }

    private struct Decided: Encodable {
        let id: String
        let sent: Bool
    }
}
