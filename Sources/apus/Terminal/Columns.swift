// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How much room text takes on a terminal.
enum Columns {
    /// Cells of one line without escape sequences.
    static func width(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// A character takes the room of its widest part: what is combined with it takes none of its own.
    static func width(_ character: Character) -> Int {
        character.unicodeScalars.reduce(0) { max($0, width($1)) }
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar.value < 0x20 ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The blocks of wide and full-width characters of Unicode's East Asian Width (UAX #11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    /// The size of the terminal on standard output.
    static func terminalSize() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Text without colour sequences.
    static func uncoloured(_ text: String) -> String {
        var result = ""
        var isSkipping = false
        for scalar in text.unicodeScalars {
            if isSkipping {
                isSkipping = scalar != "m"
            } else if scalar == "\u{1B}" {
                isSkipping = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
