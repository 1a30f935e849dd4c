// SPDX-License-Identifier: Apache-2.0

/// Lines above one line of input: what `chat` draws with on a terminal.
///
/// A line that was printed can be changed as long as it is on the screen, which is how ticks appear beside messages.
struct ChatScreen: Sendable {
    private let size: @Sendable () -> (columns: Int, rows: Int)
    private var printed: [(key: String?, rows: Int)] = []
    private var lastColumns = 0

    init(size: @escaping @Sendable () -> (columns: Int, rows: Int) = { Columns.terminalSize() }) { self.size = size }

    /// Prints a line above the input; `key` names it for `change`.
    mutating func print(_ text: String, key: String? = nil) -> String {
        let columns = noteSize()
        printed.append((key, Self.rows(text, columns)))
        if printed.count > 500 { printed.removeFirst(250) }
        return "\r\u{1B}[K" + text.replacing("\n", with: "\r\n") + "\r\n"
    }

    /// Changes a line that was printed; nil when it has left the screen or would need other room.
    mutating func change(_ key: String, to text: String) -> String? {
        let columns = noteSize()
        guard let index = printed.lastIndex(where: { $0.key == key }) else { return nil }
        let above = printed[index...].reduce(0) { $0 + $1.rows }
        guard above < size().rows, Self.rows(text, columns) == printed[index].rows else { return nil }
        let lines = text.replacing("\n", with: "\u{1B}[K\r\n")
        return "\u{1B}7\r\u{1B}[\(above)A" + lines + "\u{1B}[K\u{1B}8"
    }

    /// Draws the line of input with the cursor in its place; of a long text, the part around the cursor.
    mutating func input(prompt: String, _ editor: LineEditor) -> String {
        let room = max(8, noteSize() - Columns.width(Columns.uncoloured(prompt)) - 1)
        let shown = editor.text.map { Self.visible($0) }
        var start = editor.cursor
        var width = 0
        while start > 0, width + Columns.width(shown[start - 1]) <= room {
            start -= 1
            width += Columns.width(shown[start])
        }
        var end = editor.cursor
        var after = 0
        while end < shown.count, width + after + Columns.width(shown[end]) <= room {
            after += Columns.width(shown[end])
            end += 1
        }
        let back = after > 0 ? "\u{1B}[\(after)D" : ""
        return "\r\u{1B}[K" + prompt + shown[start..<end].joined() + back
    }

    /// Takes the line of input away.
    func clearInput() -> String { "\r\u{1B}[K" }

    private mutating func noteSize() -> Int {
        let columns = size().columns
        if columns != lastColumns {
            // Lines printed for another width may take other room now.
            printed = []
            lastColumns = columns
        }
        return columns
    }

    private static func visible(_ character: Character) -> String {
        character == "\n" ? "\u{21B5}" : Plain.line(String(character))
    }

    private static func rows(_ text: String, _ columns: Int) -> Int {
        Columns.uncoloured(text).split(separator: "\n", omittingEmptySubsequences: false).reduce(0) {
            $0 + max(1, (Columns.width($1) + columns - 1) / max(1, columns))
        }
    }
}
