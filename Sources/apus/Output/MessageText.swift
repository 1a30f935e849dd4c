// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Glibc

/// Messages and states as lines for people.
struct MessageText: Sendable {
    let style: Style

    /// The tick of an outgoing message: a clock while it is queued, one tick when the server has it, two when the other
    /// side has it.
    func tick(_ state: MessageState) -> String {
        switch state {
        case .queued, .written: style.paint(style.hasUnicode ? "\u{25F7}" : "...", .dim)
        case .acknowledged: style.paint(style.hasUnicode ? "\u{2713}" : "v", .dim)
        case .delivered: style.paint(style.hasUnicode ? "\u{2713}\u{2713}" : "vv", .green)
        case .displayed: style.paint(style.hasUnicode ? "\u{2713}\u{2713} seen" : "vv seen", .blue)
        case .needsConfirmation: style.paint("? waits for 'apus outbox'", .red)
        case .failed: style.paint("! not sent", .red)
        case .received: ""
        }
    }

    /// `2026-01-31 09:41 ana@example.org: text`, or `… me: text vv`.
    func line(_ item: MessageItem) -> String {
        let name = item.direction == .outgoing ? "me" : Plain.line(item.senderName ?? item.conversation)
        let head = Self.localTime(item.time) + " "
        var line =
            style.paint(head, .dim) + style.paint(name, item.direction == .outgoing ? .cyan : .bold) + ": "
        if let reply = item.reply { line += style.paint(quote(reply), .dim) + " " }
        line += item.retracted == nil ? Plain.block(item.body, indent: 4) : content(item)
        if item.edited != nil { line += " " + style.paint("(edited)", .dim) }
        for reaction in item.reactions ?? [] {
            line += " " + style.paint("[\(Plain.line(reaction.emoji)) \(reaction.count)]", .dim)
        }
        if item.direction == .outgoing { line += " " + tick(item.state) }
        if item.mayBeRepeated == true { line += " " + style.paint("(may be repeated)", .dim) }
        if item.state == .failed, let failure = item.failure { line += ": " + Plain.line(failure.description) }
        return line
    }

    /// `2026-01-31 09:41 conversation name: `, for a list of messages of several conversations.
    func head(_ item: MessageItem) -> String {
        let name = item.direction == .outgoing ? "me" : Plain.line(item.senderName ?? item.sender)
        return style.paint(Self.localTime(item.time) + " ", .dim) + style.paint(Plain.line(item.conversation), .dim)
            + " " + style.paint(name, .bold) + ": "
    }

    /// The text in one line, or what stands in its place.
    func content(_ item: MessageItem) -> String {
        item.retracted == nil ? Plain.line(item.body) : style.paint("(taken back)", .dim)
    }

    private func quote(_ reply: QuotedItem) -> String {
        let text = reply.body.map { Plain.line(String($0.prefix(40))) } ?? "a message that is not here"
        return "[to: \(text)]"
    }

    /// `2026-01-31 09:41` in the user's time zone.
    static func localTime(_ time: Timestamp) -> String {
        var seconds = time_t(time.milliseconds / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return time.description }
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min))"
    }
}
