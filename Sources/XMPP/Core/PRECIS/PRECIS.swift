// SPDX-License-Identifier: Apache-2.0

/// Preparation of international texts for comparison (RFC 8264, RFC 8265), in the order of RFC 8264 §7.
enum PRECIS {
    /// UsernameCaseMapped (RFC 8265 §3.3): what a local part goes through.
    static func usernameCaseMapped(_ text: [UInt32]) throws(PRECISFault) -> [UInt32] {
        try enforce(text, isFreeText: false) { text throws(PRECISFault) in
            let mapped = UnicodeText.nfc(UnicodeText.lowercased(UnicodeText.widthMapped(text)))
            if BidiRule.applies(to: mapped), !BidiRule.accepts(mapped) { throw .direction }
            return mapped
        }
    }

    /// OpaqueString (RFC 8265 §4.2): what a resource goes through.
    static func opaqueString(_ text: [UInt32]) throws(PRECISFault) -> [UInt32] {
        try enforce(text, isFreeText: true) { text throws(PRECISFault) in
            UnicodeText.nfc(text.map { isOtherSpace($0) ? 0x20 : $0 })
        }
    }

    /// Non-ASCII characters of category Zs.
    static func isOtherSpace(_ value: UInt32) -> Bool {
        switch value {
        case 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    private static func enforce(
        _ text: [UInt32], isFreeText: Bool, _ rules: ([UInt32]) throws(PRECISFault) -> [UInt32]
    ) throws(PRECISFault) -> [UInt32] {
        let prepared = try rules(text)
        guard !prepared.isEmpty else { throw .empty }
        // A result that the same rules change again would not be a key (RFC 8265 §3.3.3).
        guard try rules(prepared) == prepared else { throw .unstable }
        for value in prepared {
            switch PRECISProperty(value) {
            case .valid, .context: continue
            case .freeText where isFreeText: continue
            default: throw .disallowed(UnicodeText.scalar(value))
            }
        }
        if let scalar = PRECISContext.firstViolation(in: prepared) { throw .context(scalar) }
        return prepared
    }
}

/// Why a text could not be prepared.
enum PRECISFault: Error, Hashable {
    case empty
    case disallowed(Unicode.Scalar)
    case context(Unicode.Scalar)
    case direction
    case unstable
}
