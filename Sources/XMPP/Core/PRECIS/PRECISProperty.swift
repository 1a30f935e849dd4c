// SPDX-License-Identifier: Apache-2.0
import ApusCUnistring

/// The derived property of a code point (RFC 8264 §8).
enum PRECISProperty: Hashable {
    /// Allowed in identifiers and in free text.
    case valid
    /// Allowed in free text only.
    case freeText
    /// Allowed where its context rule holds.
    case context
    /// Allowed nowhere.
    case disallowed
    /// Not in the Unicode version at hand, so allowed nowhere.
    case unassigned

    init(_ value: UInt32) {
        if let exception = PRECISProperty.exception(value) {
            self = exception
        } else if UnicodeProperties.isUnassigned(value) {
            self = .unassigned
        } else if (0x21...0x7E).contains(value) {
            self = .valid
        } else if value == 0x200C || value == 0x200D {
            self = .context
        } else if UnicodeProperties.isOldHangulJamo(value) || UnicodeProperties.isDefaultIgnorable(value)
            || UnicodeProperties.isNoncharacter(value) || value < 0x20 || (0x7F...0x9F).contains(value)
        {
            self = .disallowed
        } else if UnicodeProperties.hasCompatibilityForm(value) {
            self = .freeText
        } else if UnicodeProperties.isCategory(value, PRECISProperty.letterDigits) {
            self = .valid
        } else if UnicodeProperties.isCategory(value, PRECISProperty.freeTextCategories) {
            self = .freeText
        } else {
            self = .disallowed
        }
    }

    /// RFC 5892 §2.6.
    private static func exception(_ value: UInt32) -> PRECISProperty? {
        switch value {
        case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: .valid
        case 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x660...0x669, 0x6F0...0x6F9: .context
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: .disallowed
        default: nil
        }
    }

    /// Ll, Lu, Lo, Nd, Lm, Mn, Mc (RFC 8264 §9.1).
    private static let letterDigits =
        Int(UC_CATEGORY_MASK_Ll) | Int(UC_CATEGORY_MASK_Lu) | Int(UC_CATEGORY_MASK_Lo) | Int(UC_CATEGORY_MASK_Nd)
        | Int(UC_CATEGORY_MASK_Lm) | Int(UC_CATEGORY_MASK_Mn) | Int(UC_CATEGORY_MASK_Mc)

    /// Other letters and digits, spaces, symbols, punctuation (RFC 8264 §9.14–§9.18).
    private static let freeTextCategories =
        Int(UC_CATEGORY_MASK_Lt) | Int(UC_CATEGORY_MASK_Nl) | Int(UC_CATEGORY_MASK_No) | Int(UC_CATEGORY_MASK_Me)
        | Int(UC_CATEGORY_MASK_Zs) | Int(UC_CATEGORY_MASK_S) | Int(UC_CATEGORY_MASK_P)
}
