// SPDX-License-Identifier: Apache-2.0

/// The rules for characters that are allowed only beside certain others (RFC 5892 appendix A).
enum PRECISContext {
    /// The first character whose rule does not hold; nil when all hold.
    static func firstViolation(in text: [UInt32]) -> Unicode.Scalar? {
        // These two depend on the text as a whole, so they are worked out once.
        var hasJapaneseOrHan: Bool?
        var mixesDigits: Bool?
        for (index, value) in text.enumerated() {
            let holds: Bool
            switch value {
            case 0x200C: holds = followsVirama(text, index) || joins(text, index)  // A.1 zero width non-joiner
            case 0x200D: holds = followsVirama(text, index)  // A.2 zero width joiner
            case 0xB7: holds = before(text, index) == 0x6C && after(text, index) == 0x6C  // A.3 middle dot
            case 0x375: holds = after(text, index).map(UnicodeProperties.script) == .greek  // A.4 keraia
            case 0x5F3, 0x5F4: holds = before(text, index).map(UnicodeProperties.script) == .hebrew  // A.5, A.6
            case 0x30FB:  // A.7 katakana middle dot
                let found = hasJapaneseOrHan ?? text.contains { UnicodeProperties.script($0) == .japaneseOrHan }
                hasJapaneseOrHan = found
                holds = found
            case 0x660...0x669, 0x6F0...0x6F9:  // A.8, A.9 the two sets of Arabic digits
                let mixed = mixesDigits ?? mixesArabicDigits(text)
                mixesDigits = mixed
                holds = !mixed
            default: continue
            }
            if !holds { return UnicodeText.scalar(value) }
        }
        return nil
    }

    private static func before(_ text: [UInt32], _ index: Int) -> UInt32? { index > 0 ? text[index - 1] : nil }

    private static func after(_ text: [UInt32], _ index: Int) -> UInt32? {
        index + 1 < text.count ? text[index + 1] : nil
    }

    private static func followsVirama(_ text: [UInt32], _ index: Int) -> Bool {
        before(text, index).map(UnicodeProperties.isVirama) == true
    }

    /// Whether the letters on both sides join: `(L|D) T* ZWNJ T* (R|D)`.
    private static func joins(_ text: [UInt32], _ index: Int) -> Bool {
        let left = text[..<index].last { UnicodeProperties.joining($0) != .transparent }
        let right = text[(index + 1)...].first { UnicodeProperties.joining($0) != .transparent }
        guard let left, let right else { return false }
        let (before, after) = (UnicodeProperties.joining(left), UnicodeProperties.joining(right))
        return (before == .left || before == .dual) && (after == .right || after == .dual)
    }

    private static func mixesArabicDigits(_ text: [UInt32]) -> Bool {
        text.contains { (0x660...0x669).contains($0) } && text.contains { (0x6F0...0x6F9).contains($0) }
    }
}
