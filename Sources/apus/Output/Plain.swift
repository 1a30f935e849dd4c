// SPDX-License-Identifier: Apache-2.0

/// Text from the network as it may be shown on a terminal.
///
/// A control character could move the cursor, change the title or answer in the user's place; a bidirectional override
/// could make a name read as another. Both are replaced by something visible; letters of any script stay.
enum Plain {
    /// One line: line breaks become spaces.
    static func line(_ text: String) -> String {
        filtered(text, lineBreak: " ")
    }

    /// Several lines, those after the first indented, so that no line of a message looks like one of ours.
    static func block(_ text: String, indent: Int) -> String {
        filtered(text, lineBreak: "\n" + String(repeating: " ", count: indent))
    }

    private static func filtered(_ text: String, lineBreak: String) -> String {
        var result = ""
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A where previous == "\r": break
            case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: result += lineBreak
            case 0x09: result += "    "
            case 0x00...0x1F: result.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? "?")
            case 0x7F: result += "\u{2421}"
            case _ where isDangerous(scalar): result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        return result
    }

    /// C1 controls; bidirectional embeddings, overrides and isolates; invisible tags and line controls.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x80...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x206F, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// JSON text with the same characters escaped, which means the same to a parser and nothing to a terminal.
    static func escapedJSON(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isDangerous($0) || $0.value == 0x7F }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard isDangerous(scalar) || scalar.value == 0x7F else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }
}
