// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let search = CommandSpec(
        path: ["search"], summary: "find messages",
        arguments: [ArgumentSpec(name: "TEXT", isRequired: false, summary: "words; those in quotation marks together")],
        options: [
            CommandSpec.account, .value("in", "JID", "only in this conversation"),
            .value("from", "WHO", "only of this address or nickname; me for your own"),
            .value("since", "DATE", "only from this day or moment on, such as 2026-01-31"),
            .value("until", "DATE", "only before this day or moment"), .flag("file", "only those with a file"),
            .value("limit", "N", short: "n", "at most N messages; the default is 20"),
            .value("context", "N", short: "C", "with N messages before and after each"),
        ],
        discussion: "Case and accents do not count. The last word may be the beginning of a longer one."
    ) { context in
        let line = context.line
        var request = SearchRequest(
            text: context.argument(0), account: context.account, conversation: line.options["in"],
            since: try line.moment("since"), until: try line.moment("until"),
            hasFile: line.has("file") ? true : nil, limit: try line.number("limit", default: 20))
        if let person = line.options["from"] {
            if person == "me" { request.isOwn = true } else { request.person = person }
        }
        guard !request.text.isEmpty || request.hasFile == true else {
            throw CommandError.usage("a text is needed, or --file", help: "apus search --help")
        }
        let hits = try await context.client.search(request)
        if context.output.isJSON { return try await context.output.json("hits", Hits(hits: hits)) }
        let around = try line.number("context", atLeast: 0, default: 0)
        let text = MessageText(style: context.output.style)
        for hit in hits {
            guard around > 0 else {
                let found = [excerpt(hit, context.output.style)] + (hit.message.files ?? []).map { text.file($0) }
                try await context.output.line(
                    text.head(hit.message) + found.filter { !$0.isEmpty }.joined(separator: " "))
                continue
            }
            let page = try await context.client.page(
                PageRequest(
                    conversation: .init(account: hit.message.account, conversation: hit.message.conversation),
                    limit: 2 * around + 1, around: hit.message.id))
            try await context.output.line("-- " + Plain.line(hit.message.conversation))
            for item in page.messages {
                try await context.output.line((item.id == hit.message.id ? "> " : "  ") + text.line(item))
            }
        }
        if hits.isEmpty { try await context.output.note("nothing found") }
    }

    private static func excerpt(_ hit: SearchHit, _ style: Style) -> String {
        hit.excerpt.map { $0.isMatch ? style.paint(Plain.line($0.text), .bold) : Plain.line($0.text) }.joined()
    }

    private struct Hits: Encodable {
        let hits: [SearchHit]
    }
}

extension ParsedLine {
    /// A day, at its first moment in UTC, or a moment.
    func moment(_ option: String) throws(CommandError) -> Timestamp? {
        guard let text = options[option] else { return nil }
        guard let moment = Timestamp(text) ?? Timestamp(text + "T00:00:00Z") else {
            throw .usage(
                "--\(option) takes a day such as 2026-01-31, not \"\(text)\"", help: "apus \(command.name) --help")
        }
        return moment
    }
}
