// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation

extension Commands {
    static let conversations = CommandSpec(
        path: ["conversations"], summary: "list conversations, pinned ones first, then the latest",
        options: [
            .flag("unread", "only those with unread messages"), .flag("archived", "also those that were put away"),
        ]
    ) { context in
        var rows = try await context.client.conversations()
        if context.line.has("unread") { rows.removeAll { $0.unread == 0 } }
        if !context.line.has("archived"), !context.output.isJSON { rows.removeAll(where: \.isArchived) }
        if context.output.isJSON {
            return try await context.output.json("conversations", Conversations(conversations: rows))
        }
        for row in rows { try await context.output.line(text(row, context.output.style)) }
    }

    private static func text(_ row: ConversationSummary, _ style: Style) -> String {
        var line = Plain.line(row.name ?? row.conversation)
        if row.name != nil { line += style.paint(" <\(Plain.line(row.conversation))>", .dim) }
        var marks: [String] = []
        if row.isPinned { marks.append("pinned") }
        if row.isArchived { marks.append("archived") }
        if row.level != .all { marks.append(row.level == .none ? "muted" : "mentions only") }
        if let until = row.mutedUntil { marks.append("muted until " + MessageText.localTime(until)) }
        if !marks.isEmpty { line += style.paint(" [" + marks.joined(separator: ", ") + "]", .dim) }
        if row.unread > 0 {
            let names = row.mentions > 0 ? ", \(row.mentions) name you" : ""
            line += style.paint(" (\(row.unread) new\(names))", .bold)
        }
        if let draft = row.draft { return line + "  draft: " + Plain.line(draft) }
        guard let last = row.last else { return line }
        return line + "  " + MessageText.localTime(last.time) + "  " + MessageText(style: style).content(last)
    }

    private struct Conversations: Encodable {
        let conversations: [ConversationSummary]
    }

    static let mute = CommandSpec(
        path: ["mute"], summary: "say what is announced of a conversation",
        arguments: [ArgumentSpec(name: "JID", summary: "the other side's address")],
        options: [
            CommandSpec.account,
            .value("for", "TIME", "announce nothing for so long, such as 8h"),
            .value("level", "LEVEL", "announce all, mentions or none of its messages; without an option, none"),
            .flag("off", "announce everything again"),
        ]
    ) { context in
        let conversation = ConversationID(account: context.account, conversation: context.argument(0))
        var change = ConversationChange(conversation: conversation)
        if let name = context.line.options["level"] {
            guard let level = NotificationLevel(rawValue: name) else {
                throw CommandError.usage(
                    "--level takes all, mentions or none, not \"\(name)\"", help: "apus mute --help")
            }
            change.level = level
        }
        if context.line.has("for") {
            let time = try context.line.duration("for", default: .seconds(0))
            change.mute = .until(Timestamp(milliseconds: now() + Int64(time / .milliseconds(1))))
        }
        if context.line.has("off") {
            guard change.level == nil, change.mute == nil else {
                throw CommandError.usage("--off goes alone", help: "apus mute --help")
            }
            (change.level, change.mute) = (.all, .off)
        }
        if change.level == nil, change.mute == nil { change.level = NotificationLevel.none }
        let row = try await context.client.configure(change)
        if context.output.isJSON { return try await context.output.json("conversation", row) }
        try await context.output.note(text(row, context.output.style))
    }

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
