// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService

extension Commands {
    static let status = CommandSpec(
        path: ["status"], summary: "tell who holds the profile and how its accounts are connected",
        options: [.flag("log", "also tell step by step what happened to each connection")]
    ) { context in
        let status = try await context.client.status()
        let timelines = await timelines(context)
        if context.output.isJSON {
            return try await context.output.json("status", FullStatus(status: status, timelines: timelines))
        }
        let isOurs = status.role == context.line.command.name
        let holder = isOurs ? "not running" : "held by 'apus \(Plain.line(status.role))', process \(status.process)"
        try await context.output.line("profile \(Plain.line(status.profile)): \(holder)")
        let text = StatusText(style: context.output.style)
        for account in status.accounts {
            try await context.output.line("  " + text.line(account))
            if let gaps = text.gaps(account) { try await context.output.line("    " + gaps) }
            guard let timeline = timelines.first(where: { $0.address == account.address }) else { continue }
            if !timeline.summary.isEmpty { try await context.output.line("    " + Plain.line(timeline.summary)) }
            guard context.line.has("log") else { continue }
            for entry in timeline.entries { try await context.output.line("    " + text.line(entry)) }
        }
        if status.accounts.isEmpty {
            try await context.output.line("  no account yet; 'apus account add JID' adds one")
        }
        if status.unread > 0 { try await context.output.line("  \(status.unread) unread") }
        if status.requests > 0 {
            try await context.output.line("  \(status.requests) requests; 'apus requests' lists them")
        }
    }

    /// A holder of an older version has none.
    private static func timelines(_ context: Context) async -> [AccountTimeline] {
        do { return try await context.client.timeline(account: nil) } catch { return [] }
    }

    /// The status with what happened to the connections.
    private struct FullStatus: Encodable {
        let status: ProfileStatus
        let timelines: [AccountTimeline]

        private enum CodingKeys: CodingKey { case timelines }

        func encode(to encoder: any Encoder) throws {
            try status.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(timelines, forKey: .timelines)
        }
    }
}
