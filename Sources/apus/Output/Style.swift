// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Whether standard output is a terminal, and what it can show.
struct Style: Sendable {
    var isTerminal: Bool
    var hasColour: Bool
    /// Ticks and clocks may be drawn with characters outside ASCII.
    var hasUnicode: Bool

    /// No colour when `NO_COLOR` is set, when the terminal is dumb, or when there is none.
    init(environment: [String: String], isTerminal: Bool) {
        self.isTerminal = isTerminal
        let isDumb = environment["TERM"] == "dumb" || environment["TERM"] == nil
        hasColour = isTerminal && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
        let locale =
            [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]]
            .compactMap { $0 }.first { !$0.isEmpty } ?? ""
        let isUTF8 = locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
        hasUnicode = !isTerminal || isUTF8
    }

    enum Ink: String {
        case dim = "2"
        case bold = "1"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case cyan = "36"
    }

    func paint(_ text: String, _ ink: Ink) -> String {
        hasColour ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text
    }
}
