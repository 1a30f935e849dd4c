// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let history = CommandSpec(
        path: ["history"], summary: "print a conversation",
        arguments: [ArgumentSpec(name: "JID", summary: "the other side's address")],
        options: [
            CommandSpec.account, .value("limit", "N", short: "n", "the newest N messages; the default is 50"),
            .value("before", "ID", "only messages older than the one with this id"),
        ]
    ) { context in
        let limit = try context.line.number("limit", default: 50)
        let named = ConversationID(account: context.account, conversation: context.argument(0))
        let conversation = try await context.client.resolve(named)
        let messages = try await page(context.client, conversation, limit, before: context.line.options["before"])
        if context.output.isJSON {
            let history = History(
                account: conversation.account, conversation: conversation.conversation, messages: messages)
            return try await context.output.json("history", history)
        }
        let text = MessageText(style: context.output.style)
        for message in messages { try await context.output.line(text.line(message)) }
    }

    static let conversations = CommandSpec(
        path: ["conversations"], summary: "list conversations, the latest first",
        options: [.flag("unread", "only those with unread messages")]
    ) { context in
        var rows = try await context.client.conversations()
        if context.line.has("unread") { rows.removeAll { $0.unread == 0 } }
        if context.output.isJSON {
            return try await context.output.json("conversations", Conversations(conversations: rows))
        }
        let style = context.output.style
        for row in rows {
            var line = Plain.line(row.conversation)
            if row.unread > 0 { line += style.paint(" (\(row.unread) new)", .bold) }
            if let last = row.last { line += "  " + MessageText.localTime(last.time) + "  " + Plain.line(last.body) }
            try await context.output.line(line)
        }
    }

    /// The newest messages, oldest first, fetched in as many pages as it takes.
    static func page(
        _ client: any ChatClient, _ conversation: ConversationID, _ limit: Int, before: String? = nil
    ) async throws(ChatAPIError) -> [MessageItem] {
        var pages: [[MessageItem]] = []
        var count = 0
        var before = before
        while count < limit {
            let size = min(limit - count, ChatLimits.historyPage)
            let page = try await client.history(
                HistoryRequest(conversation: conversation, limit: size, before: before))
            guard let first = page.first else { break }
            pages.append(page)
            count += page.count
            before = first.id
        }
        return Array(pages.reversed().joined())
    }

    private struct History: Encodable {
        let account: String?
        let conversation: String
        let messages: [MessageItem]
    }

    private struct Conversations: Encodable {
        let conversations: [ConversationSummary]
    }
}
