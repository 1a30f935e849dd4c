// SPDX-License-Identifier: Apache-2.0
import ApusCUnistring

/// The properties of one code point that the preparation of texts asks for.
enum UnicodeProperties {
    static func isCategory(_ value: UInt32, _ mask: Int) -> Bool {
        uc_is_general_category_withtable(value, UInt32(truncatingIfNeeded: mask))
    }

    static func isUnassigned(_ value: UInt32) -> Bool {
        isCategory(value, Int(UC_CATEGORY_MASK_Cn)) && !isNoncharacter(value)
    }

    static func isNoncharacter(_ value: UInt32) -> Bool {
        value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value)
    }

    /// Canonical combining class 9.
    static func isVirama(_ value: UInt32) -> Bool { combiningClass(value) == 9 }

    static func combiningClass(_ value: UInt32) -> Int { Int(uc_combining_class(value)) }

    /// Conjoining Hangul letters (Hangul_Syllable_Type L, V or T).
    static func isOldHangulJamo(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB: true
        default: false
        }
    }

    static func isDefaultIgnorable(_ value: UInt32) -> Bool { uc_is_property_default_ignorable_code_point(value) }

    /// Whether compatibility normalisation changes the code point (RFC 8264 §9.17).
    static func hasCompatibilityForm(_ value: UInt32) -> Bool { UnicodeText.nfkc([value]) != [value] }

    enum Script: Hashable { case greek, hebrew, japaneseOrHan, other }

    static func script(_ value: UInt32) -> Script {
        guard let name = uc_script(value)?.pointee.name else { return .other }
        switch String(cString: name) {
        case "Greek": return .greek
        case "Hebrew": return .hebrew
        case "Hiragana", "Katakana", "Han": return .japaneseOrHan
        default: return .other
        }
    }

    enum Joining { case left, right, dual, transparent, other }

    static func joining(_ value: UInt32) -> Joining {
        switch uc_joining_type(value) {
        case Int32(UC_JOINING_TYPE_L): .left
        case Int32(UC_JOINING_TYPE_R): .right
        case Int32(UC_JOINING_TYPE_D): .dual
        case Int32(UC_JOINING_TYPE_T): .transparent
        default: .other
        }
    }

    enum Direction: Hashable { case l, r, al, an, en, es, cs, et, on, bn, nsm, other }

    static func direction(_ value: UInt32) -> Direction {
        switch uc_bidi_class(value) {
        case Int32(UC_BIDI_L): .l
        case Int32(UC_BIDI_R): .r
        case Int32(UC_BIDI_AL): .al
        case Int32(UC_BIDI_AN): .an
        case Int32(UC_BIDI_EN): .en
        case Int32(UC_BIDI_ES): .es
        case Int32(UC_BIDI_CS): .cs
        case Int32(UC_BIDI_ET): .et
        case Int32(UC_BIDI_ON): .on
        case Int32(UC_BIDI_BN): .bn
        case Int32(UC_BIDI_NSM): .nsm
        default: .other
        }
    }
}
