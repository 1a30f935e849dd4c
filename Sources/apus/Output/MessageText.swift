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
        let name = item.direction == .outgoing ? "me" : Plain.line(item.conversation)
        let head = Self.localTime(item.time) + " "
        let text = Plain.block(item.body, indent: 4)
        var line =
            style.paint(head, .dim) + style.paint(name, item.direction == .outgoing ? .cyan : .bold) + ": " + text
        if item.direction == .outgoing { line += " " + tick(item.state) }
        if item.mayBeRepeated == true { line += " " + style.paint("(may be repeated)", .dim) }
        if item.state == .failed, let failure = item.failure { line += ": " + Plain.line(failure.description) }
        return line
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
