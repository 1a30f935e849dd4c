// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    private static let address = ArgumentSpec(name: "JID", summary: "an address, or a domain for everybody there")

    static let blocking = [block("block"), block("report"), unblock, listBlocked]

    /// `requests block` and `requests report`: both keep somebody away.
    private static func block(_ verb: String) -> CommandSpec {
        let reports = verb == "report"
        return CommandSpec(
            path: ["requests", verb],
            summary: reports
                ? "keep somebody away and tell the people who run the server why" : "keep somebody away",
            arguments: [address],
            options: [CommandSpec.account]
                + (reports
                    ? [
                        .flag("abuse", "it is more than messages that nobody wants"),
                        .value("text", "TEXT", "words for the people who run the server"),
                    ] : [])
        ) { context in
            _ = try await context.client.connect(ConnectRequest(account: context.account))
            var request = BlockRequest(account: context.account, address: context.argument(0))
            if reports {
                request.report = .init(
                    reason: context.line.has("abuse") ? .abuse : .spam, text: context.line.options["text"])
            }
            let result = try await context.client.block(request)
            if context.output.isJSON { return try await context.output.json("blocked", result) }
            try await context.output.note("blocked \(Plain.line(result.address))")
            if reports, !result.isReported { await context.output.warn("the server takes no reports") }
        }
    }

    private static let unblock = CommandSpec(
        path: ["requests", "unblock"], summary: "let somebody through again", arguments: [address],
        options: [CommandSpec.account]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let request = BlockRequest(account: context.account, address: context.argument(0))
        try await context.client.unblock(request)
        let result = BlockResult(address: request.address, isReported: false)
        if context.output.isJSON { return try await context.output.json("unblocked", result) }
        try await context.output.note("let through \(Plain.line(request.address))")
    }

    private static let listBlocked = CommandSpec(
        path: ["requests", "blocked"], summary: "list who is kept away", options: [CommandSpec.account]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let blocked = try await context.client.blocked(account: context.account)
        if context.output.isJSON { return try await context.output.json("blocklist", Blocked(blocked: blocked)) }
        for entry in blocked { try await context.output.line(Plain.line(entry.address)) }
        if blocked.isEmpty { try await context.output.note("nobody is blocked") }
    }

    private struct Blocked: Encodable {
        let blocked: [BlockedAddress]
    }
}
