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
        for file in item.files ?? [] { line += (line.hasSuffix(" ") ? "" : " ") + self.file(file) }
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
        let name =
            item.direction == .outgoing ? "me" : Plain.line(item.senderName ?? String(item.sender.prefix { $0 != "/" }))
        return style.paint(Self.localTime(item.time) + " ", .dim) + style.paint(Plain.line(item.conversation), .dim)
            + " " + style.paint(name, .bold) + ": "
    }

    /// The text in one line, or what stands in its place.
    func content(_ item: MessageItem) -> String {
        guard item.retracted == nil else { return style.paint("(taken back)", .dim) }
        return ([item.body].filter { !$0.isEmpty }.map { Plain.line($0) } + (item.files ?? []).map { file($0) })
            .joined(separator: " ")
    }

    /// `[picture tea.jpg, 120 kB, from files.example.org]`.
    func file(_ file: FileItem) -> String {
        var parts = ["\(file.kind == .other ? "file" : file.kind.rawValue) \(Plain.line(file.name))"]
        if let size = file.size { parts.append(Self.size(size)) }
        switch file.state {
        case .waiting, .uploading, .wanted: parts.append("on its way")
        case .failed, .cancelled: parts.append("not sent")
        case .remote: if let host = file.host { parts.append("from \(Plain.line(host))") }
        case .refused: parts.append("not fetched")
        case .sent, .here: break
        }
        return style.paint("[" + parts.joined(separator: ", ") + "]", .cyan)
    }

    /// `512 B`, `120 kB`, `3.4 MB`.
    static func size(_ bytes: Int64) -> String {
        if bytes < 1000 { return "\(bytes) B" }
        if bytes < 1_000_000 { return "\((bytes + 500) / 1000) kB" }
        let tenths = (bytes + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) MB"
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
