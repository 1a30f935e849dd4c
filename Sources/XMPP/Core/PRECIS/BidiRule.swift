// SPDX-License-Identifier: Apache-2.0

/// The bidi rule of RFC 5893 §2: keeps texts of both writing directions from displaying ambiguously.
enum BidiRule {
    private typealias Direction = UnicodeProperties.Direction

    /// Whether the text has a right-to-left character, so that the rule applies to it.
    static func applies(to text: [UInt32]) -> Bool {
        text.contains {
            let direction = UnicodeProperties.direction($0)
            return direction == .r || direction == .al || direction == .an
        }
    }

    /// Whether the text obeys the six conditions.
    static func accepts(_ text: [UInt32]) -> Bool {
        let directions = text.map(UnicodeProperties.direction)
        switch directions.first {
        case .l: return leftToRight(directions)
        case .r, .al: return rightToLeft(directions)
        default: return false
        }
    }

    private static func leftToRight(_ directions: [Direction]) -> Bool {
        let allowed: Set<Direction> = [.l, .en, .es, .cs, .et, .on, .bn, .nsm]
        guard directions.allSatisfy(allowed.contains) else { return false }
        let last = directions.last { $0 != .nsm }
        return last == .l || last == .en
    }

    private static func rightToLeft(_ directions: [Direction]) -> Bool {
        let allowed: Set<Direction> = [.r, .al, .an, .en, .es, .cs, .et, .on, .bn, .nsm]
        guard directions.allSatisfy(allowed.contains) else { return false }
        if directions.contains(.en), directions.contains(.an) { return false }
        switch directions.last(where: { $0 != .nsm }) {
        case .r, .al, .en, .an: return true
        default: return false
        }
    }
}
