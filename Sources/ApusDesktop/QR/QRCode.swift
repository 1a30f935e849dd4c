// SPDX-License-Identifier: Apache-2.0
import ApusCQrencode

/// A QR code: a square of dark and light modules.
package struct QRCode: Hashable, Sendable {
    /// Modules in a row, without the quiet zone around.
    package let size: Int
    private let dark: [Bool]

    /// Encodes a text in UTF-8; nil when it is empty or longer than a code can hold.
    package init?(_ text: String) {
        guard !text.isEmpty, !text.utf8.contains(0), let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else {
            return nil
        }
        defer { QRcode_free(code) }
        guard let cells = code.pointee.data else { return nil }
        size = Int(code.pointee.width)
        // Bit 0 of a cell is its colour, the others say what part of the code it is.
        dark = (0..<size * size).map { cells[$0] & 1 == 1 }
    }

    /// The module in a column and a row; light outside.
    package func isDark(_ column: Int, _ row: Int) -> Bool {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
        return dark[row * size + column]
    }

    /// The dark modules as the `d` of an SVG path, one unit a module.
    package var path: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                var end = column
                while isDark(end, row) { end += 1 }
                if end > column { path += "M\(column) \(row)h\(end - column)v1h-\(end - column)z" }
                column = max(end, column + 1)
            }
        }
        return path
    }

    /// For a terminal: two rows to a line in half blocks, dark on light whatever the terminal's colours are.
    package func terminalText(quietZone: Int = 2) -> String {
        var lines: [String] = []
        for row in stride(from: -quietZone, to: size + quietZone, by: 2) {
            var line = "\u{1B}[30;107m"
            for column in -quietZone..<size + quietZone {
                switch (isDark(column, row), isDark(column, row + 1)) {
                case (true, true): line += "█"
                case (true, false): line += "▀"
                case (false, true): line += "▄"
                case (false, false): line += " "
                }
            }
            lines.append(line + "\u{1B}[0m")
        }
        return lines.joined(separator: "\n")
    }
}
