// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let notifications = CommandSpec(
        path: ["notifications"], summary: "show or change what is announced",
        options: [
            .value(
                "quiet-hours", "FROM-TO",
                "announce nothing at these times of the day, such as 22:00-07:00; off for never"),
            .value("time-zone", "ZONE", "whose day that is, such as Asia/Taipei; empty for this machine's"),
            OptionSpec(
                name: "keyword", value: "WORD",
                summary: "messages with this word count as those that name you; may be given again", repeats: true),
            .flag("no-keywords", "none of those, before the other options"),
            .value("previews", "WHAT", "show all, the name, or none of a message"),
            .value("strangers", "on|off", "announce messages of people who are no contacts"),
            .value("requests", "on|off", "announce requests to see your presence"),
            .flag("on", "announce anything at all"), .flag("off", "announce nothing"),
        ],
        discussion: """
            Without options it shows what is set. It holds for desktop, browsers and 'apus listen'; 'apus mute' says what is
            announced of one conversation.
            """
    ) { context in
        let before = try await context.client.notifications(NotificationsRequest())
        var settings = before
        try change(&settings, context.line)
        if settings != before {
            settings = try await context.client.notifications(NotificationsRequest(settings: settings))
        }
        if context.output.isJSON { return try await context.output.json("notifications", settings) }
        for line in lines(settings) { try await context.output.line(line) }
    }

    private static func change(_ settings: inout NotificationSettings, _ line: ParsedLine) throws {
        if line.has("on"), line.has("off") { throw usage("--on and --off do not go together") }
        if line.has("on") { settings.isOn = true }
        if line.has("off") { settings.isOn = false }
        if line.has("no-keywords") { settings.keywords = [] }
        for word in line.lists["keyword"] ?? [] where !settings.keywords.contains(word) {
            settings.keywords.append(word)
        }
        if let zone = line.options["time-zone"] { settings.timeZone = zone.isEmpty ? nil : zone }
        if let name = line.options["previews"] {
            guard let previews = NotificationSettings.Previews(rawValue: name) else {
                throw usage("--previews takes all, name or none, not \"\(name)\"")
            }
            settings.previews = previews
        }
        if let answer = try flag("strangers", line) { settings.strangers = answer }
        if let answer = try flag("requests", line) { settings.requests = answer }
        guard let times = line.options["quiet-hours"] else { return }
        let ends = times.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        switch ends.count {
        case 1 where times == "off": (settings.quietFrom, settings.quietUntil) = (nil, nil)
        case 2: (settings.quietFrom, settings.quietUntil) = (ends[0], ends[1])
        default: throw usage("--quiet-hours takes two times, such as 22:00-07:00, or off, not \"\(times)\"")
        }
    }

    private static func flag(_ name: String, _ line: ParsedLine) throws -> Bool? {
        switch line.options[name] {
        case nil: return nil
        case "on": return true
        case "off": return false
        case let text?: throw usage("--\(name) takes on or off, not \"\(text)\"")
        }
    }

    private static func usage(_ text: String) -> CommandError { .usage(text, help: "apus notifications --help") }

    private static func lines(_ settings: NotificationSettings) -> [String] {
        guard settings.isOn else { return ["nothing is announced"] }
        let quiet = settings.quietFrom.map { "\($0) to \(settings.quietUntil ?? "")" } ?? "never"
        let zone = settings.timeZone.map { " in \(Plain.line($0))" } ?? ""
        let words =
            settings.keywords.isEmpty ? "none" : settings.keywords.map { Plain.line($0) }.joined(separator: ", ")
        return [
            "shown of a message: \(settings.previews.rawValue)", "quiet: \(quiet)\(zone)", "keywords: \(words)",
            "strangers: \(settings.strangers ? "on" : "off")", "requests: \(settings.requests ? "on" : "off")",
        ]
    }
}
