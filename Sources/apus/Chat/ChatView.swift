// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// What `chat` prints: on a terminal with a line of input below, in a pipe one line after another, or JSON.
///
/// Owned by the one task that runs the command.
struct ChatView {
    private let output: Output
    private let text: MessageText
    private let isInteractive: Bool
    private let name: String
    private var screen = ChatScreen()
    private var isTyping = false
    /// What was told of the people in a room, by line.
    private var activities: [String: [RoomActivityItem.Person]] = [:]

    init(output: Output, isInteractive: Bool, name: String) {
        self.output = output
        self.isInteractive = isInteractive
        self.name = Plain.line(name)
        text = MessageText(style: output.style)
    }

    mutating func show(_ item: MessageItem, _ editor: LineEditor) async throws(CommandError) {
        if output.isJSON { return try await output.json("event", ChatEvent(.message(item))) }
        if item.direction == .incoming { isTyping = false }
        try await put(text.line(item), key: item.id, editor)
    }

    /// A message's new state: in its place on a terminal, else as a line with its tick.
    mutating func change(
        _ item: MessageItem, from old: MessageState, _ editor: LineEditor
    ) async throws(CommandError) {
        if output.isJSON { return try await output.json("event", ChatEvent(.messageChanged(item))) }
        guard text.tick(item.state) != text.tick(old) else { return }
        if isInteractive, let drawn = screen.change(item.id, to: text.line(item)) {
            try await output.raw(drawn)
        } else {
            let reason = item.failure.map { " " + Plain.line($0.description) + ":" } ?? ""
            let body = Plain.line(String(item.body.prefix(40)))
            try await put("  \(text.tick(item.state))\(reason) \(body)", key: nil, editor)
        }
    }

    /// What people did in the room: one line, which becomes another one in its place on a terminal; in a pipe a line says what
    /// is new.
    mutating func show(_ activity: RoomActivityItem, _ editor: LineEditor) async throws(CommandError) {
        if output.isJSON { return try await output.json("event", ChatEvent(.roomActivity(activity))) }
        let key = "activity \(activity.id)"
        let told = activities.updateValue(activity.people, forKey: activity.id)
        guard isInteractive else {
            let news = activity.people.filter { told?.contains($0) != true }
            if news.isEmpty { return }
            return try await note(ActivityText.line(news, others: 0), editor)
        }
        let line = output.style.paint("-- " + ActivityText.line(activity.people, others: activity.others ?? 0), .dim)
        if let drawn = screen.change(key, to: line) {
            try await output.raw(drawn)
        } else if !activity.people.isEmpty {
            try await put(line, key: key, editor)
        }
    }

    mutating func note(_ words: String, _ editor: LineEditor) async throws(CommandError) {
        guard !output.isJSON, !output.isQuiet else { return }
        try await put(output.style.paint("-- " + words, .dim), key: nil, editor)
    }

    mutating func typing(_ isTyping: Bool, _ editor: LineEditor) async throws(CommandError) {
        guard self.isTyping != isTyping, !output.isJSON else { return }
        self.isTyping = isTyping
        if isInteractive {
            try await draw(editor)
        } else if isTyping {
            try await note("\(name) is typing", editor)
        }
    }

    mutating func draw(_ editor: LineEditor) async throws(CommandError) {
        guard isInteractive else { return }
        let prompt = (isTyping ? output.style.paint("\(name) is typing ", .dim) : "") + "> "
        try await output.raw(screen.input(prompt: prompt, editor))
    }

    mutating func begin() async throws(CommandError) {
        // Pasted line breaks arrive marked as such, and do not send.
        if isInteractive { try await output.raw("\u{1B}[?2004h") }
    }

    func end() async {
        if isInteractive { try? await output.raw("\u{1B}[?2004l" + screen.clearInput()) }
    }

    private mutating func put(_ line: String, key: String?, _ editor: LineEditor) async throws(CommandError) {
        guard isInteractive else { return try await output.line(line) }
        try await output.raw(screen.print(line, key: key))
        try await draw(editor)
    }
}
