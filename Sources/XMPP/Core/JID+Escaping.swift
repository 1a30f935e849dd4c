// SPDX-License-Identifier: Apache-2.0

/// Names with characters that no local part may contain, by XEP-0106. Only the local part is ever escaped.
extension JID {
    /// Makes an address whose name before the `@` is given as a person reads it, as in `d'artagnan`.
    ///
    /// - Parameters:
    ///   - name: The unescaped name; what only looks like an escape sequence is protected.
    ///   - domain: As in ``init(local:domain:resource:)``.
    ///   - resource: As in ``init(local:domain:resource:)``; never escaped.
    /// - Throws: ``JIDError``, which says the part and the reason.
    public init(escaping name: String, domain: String, resource: String? = nil) throws(JIDError) {
        try self.init(local: JID.escape(local: name), domain: domain, resource: resource)
    }

    /// Escapes a name for use as local part (XEP-0106 §4.1).
    ///
    /// The ten characters become a backslash and two digits; the backslash itself only where an escape sequence would
    /// seem to start.
    /// - Parameter name: The name as a person reads it.
    /// - Returns: The escaped name; it still has to pass the rules for local parts.
    /// - Throws: ``JIDError`` when the name starts or ends with a space, or cannot be told from another one later.
    public static func escape(local name: String) throws(JIDError) -> String {
        // Full-width forms turn into the characters themselves when the local part is prepared, so they do so here.
        let scalars = UnicodeText.nfc(UnicodeText.widthMapped(name.unicodeScalars.map(\.value)))
        guard scalars.first != 0x20, scalars.last != 0x20 else {
            throw JIDError(.local, .escape, "starts or ends with a space")
        }
        var escaped: [UInt32] = []
        escaped.reserveCapacity(scalars.count)
        for index in scalars.indices {
            let value = scalars[index]
            let needsEscape = value == 0x5C ? isEscapeSequence(scalars[index...]) : isEscaped(value)
            if needsEscape {
                escaped.append(0x5C)
                escaped += [digit(value >> 4), digit(value & 0xF)]
            } else {
                escaped.append(value)
            }
        }
        // A mark after an escaped character would melt into its last digit.
        guard UnicodeText.nfc(escaped) == escaped else {
            throw JIDError(.local, .escape, "has an accent on a character that must be escaped")
        }
        return String(decoding: UnicodeText.utf8(escaped), as: UTF8.self)
    }

    /// The local part as a person reads it: the escape sequences of XEP-0106 §4.2 undone; nil without local part.
    ///
    /// For display only: the result may contain `@` and `/`, and two names may read alike.
    public var displayLocal: String? { local.map(JID.unescape(local:)) }

    /// The address for display: the local part unescaped, the resource untouched.
    ///
    /// Never parse it: an unescaped name may contain what separates the parts.
    public var displayText: String {
        guard let displayLocal else { return text }
        guard displayLocal.utf8.count != Int(localEnd) else { return text }
        return withUTF8 { displayLocal + String(decoding: $0[Int(localEnd)...], as: UTF8.self) }
    }

    /// Undoes the escape sequences of a local part.
    ///
    /// `\20` as the first or last thing is no escape sequence (XEP-0106 §4.1) and stays.
    static func unescape(local text: String) -> String {
        guard text.utf8.contains(0x5C) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let value = sequenceValue(ArraySlice(bytes[index...].prefix(3).map(UInt32.init))),
                value != 0x20 || (index > 0 && index + 3 < bytes.count)
            {
                result.append(UInt8(truncatingIfNeeded: value))
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Space and `"&'/:<>@`.
    private static func isEscaped(_ value: UInt32) -> Bool { value == 0x20 || isExcludedFromLocal(value) }

    private static func isEscapeSequence(_ scalars: ArraySlice<UInt32>) -> Bool { sequenceValue(scalars) != nil }

    /// The character that the escape sequence at the start stands for; nil when none starts here.
    ///
    /// Capital digits count: they turn into small ones when the local part is prepared.
    private static func sequenceValue(_ scalars: ArraySlice<UInt32>) -> UInt32? {
        guard scalars.count >= 3, scalars.first == 0x5C else { return nil }
        let digits = scalars.dropFirst()
        guard let high = digitValue(digits[digits.startIndex]), let low = digitValue(digits[digits.startIndex + 1])
        else { return nil }
        let value = high << 4 | low
        return isEscaped(value) || value == 0x5C ? value : nil
    }

    private static func digit(_ value: UInt32) -> UInt32 { value < 10 ? 0x30 + value : 0x57 + value }

    private static func digitValue(_ value: UInt32) -> UInt32? {
        switch value {
        case 0x30...0x39: value - 0x30
        case 0x61...0x66: value - 0x57
        case 0x41...0x46: value - 0x37
        default: nil
        }
    }
}
