// SPDX-License-Identifier: Apache-2.0

/// Prepares a user name or a password for SASL (RFC 4013): what SCRAM hashes and PLAIN sends.
///
/// Case is kept. Code points that Unicode 3.2 did not know yet, emoji among them, pass unchanged unless refused:
/// RFC 5802 §2.2 would refuse them, but servers accept such passwords at registration, and a refusal would lock
/// their owners out.
/// - Parameters:
///   - text: The text as typed.
///   - allowsUnassigned: Whether code points later than Unicode 3.2 pass. Defaults to true.
/// - Throws: ``SASLprepError``. A text of which nothing remains is an error: no proof is made with an empty key.
package func saslPrep(_ text: String, allowsUnassigned: Bool = true) throws(SASLprepError) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), !text.isEmpty { return text }
    let prepared = SASLprep.normalized(text.unicodeScalars.map(\.value).compactMap(SASLprep.mapped))
    guard !prepared.isEmpty else { throw .empty }
    for value in prepared {
        let scalar = UnicodeText.scalar(value)
        if SASLprep.isProhibited(value) { throw .prohibited(scalar) }
        if !allowsUnassigned, SASLprep.isUnassigned(value) { throw .unassigned(scalar) }
    }
    guard SASLprep.hasValidDirections(prepared) else { throw .direction }
    return String(decoding: UnicodeText.utf8(prepared), as: UTF8.self)
}

/// Why a user name or password cannot be used.
///
/// Tells no part of the text but one forbidden control or sign.
package enum SASLprepError: Error, Hashable, CustomStringConvertible {
    /// Nothing is left after preparation.
    case empty
    /// A character that RFC 4013 §2.3 forbids.
    case prohibited(Unicode.Scalar)
    /// A code point that Unicode 3.2 did not know (RFC 4013 §2.5).
    case unassigned(Unicode.Scalar)
    /// Right-to-left and left-to-right letters together (RFC 3454 §6).
    case direction

    package var description: String {
        switch self {
        case .empty: "is empty"
        case .prohibited(let scalar): "contains \(scalar.nameForPeople), which is not allowed"
        case .unassigned: "contains a character that is too new to be used there"
        case .direction: "mixes left-to-right and right-to-left writing in a forbidden way"
        }
    }
}

enum SASLprep {
    /// Non-ASCII spaces become a space, some characters vanish (RFC 4013 §2.1); nil for the latter.
    ///
    /// U+200B is in both tables of RFC 3454; vanishing is looked at first, as implementations do.
    static func mapped(_ value: UInt32) -> UInt32? {
        switch value {
        case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200B...0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF: nil
        case 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: 0x20
        default: value
        }
    }

    /// NFKC as of Unicode 3.2: what that version did not know is left alone (RFC 3454 §4).
    static func normalized(_ text: [UInt32]) -> [UInt32] {
        var result: [UInt32] = []
        var known: [UInt32] = []
        for value in text {
            if isUnassigned(value) {
                result += UnicodeText.nfkc(known)
                result.append(value)
                known.removeAll(keepingCapacity: true)
            } else {
                known.append(value)
            }
        }
        return result + UnicodeText.nfkc(known)
    }

    /// RFC 4013 §2.3, by the tables of RFC 3454 appendix C.
    static func isProhibited(_ value: UInt32) -> Bool {
        switch value {
        case 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: true  // C.1.2
        case 0x00...0x1F, 0x7F: true  // C.2.1
        case 0x80...0x9F, 0x6DD, 0x70F, 0x180E, 0x200C, 0x200D, 0x2028, 0x2029: true  // C.2.2
        case 0x2060...0x2063, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFC, 0x1D173...0x1D17A: true  // C.2.2
        case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: true  // C.3
        case _ where UnicodeProperties.isNoncharacter(value): true  // C.4
        case 0xD800...0xDFFF: true  // C.5
        case 0xFFFD, 0x2FF0...0x2FFB: true  // C.6, C.7
        case 0x340, 0x341, 0x200E, 0x200F, 0x202A...0x202E: true  // C.8
        case 0xE0001, 0xE0020...0xE007F: true  // C.9
        default: false
        }
    }

    /// RFC 3454 §6: with a right-to-left letter no left-to-right one, and such letters at both ends.
    static func hasValidDirections(_ text: [UInt32]) -> Bool {
        func isRightToLeft(_ value: UInt32) -> Bool {
            let direction = UnicodeProperties.direction(value)
            return (direction == .r || direction == .al) && !isUnassigned(value)
        }
        func isLeftToRight(_ value: UInt32) -> Bool {
            UnicodeProperties.direction(value) == .l && !isUnassigned(value)
        }
        guard text.contains(where: isRightToLeft) else { return true }
        guard let first = text.first, let last = text.last else { return true }
        return isRightToLeft(first) && isRightToLeft(last) && !text.contains(where: isLeftToRight)
    }

    /// Whether Unicode 3.2 did not know the code point (RFC 3454 table A.1).
    static func isUnassigned(_ value: UInt32) -> Bool {
        var low = 0
        var high = unassignedRanges.count
        while low < high {
            let middle = (low + high) / 2
            if unassignedRanges[middle].last < value { low = middle + 1 } else { high = middle }
        }
        return low < unassignedRanges.count && unassignedRanges[low].first <= value
    }
}
