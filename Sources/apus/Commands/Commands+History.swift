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
}
