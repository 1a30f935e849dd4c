// SPDX-License-Identifier: Apache-2.0

/// The domain of an address: labels by IDNA 2008, or an IP address (RFC 7622 §3.2).
enum DomainName {
    /// The canonical form as UTF-8: lower-case labels in Unicode, no dot at the end, version 6 addresses as RFC 5952
    /// writes them.
    static func canonical(_ bytes: [UInt8]) throws(JIDError) -> [UInt8] {
        guard !bytes.isEmpty else { throw JIDError(.domain, .empty, "is empty") }
        if bytes.first == UInt8(ascii: "[") { return try IPLiteral.canonicalVersion6(bytes) }
        // No shorter form comes of more than four bytes for each that may stay.
        guard bytes.count <= 4 * JID.maximumPartBytes else { throw .tooLong(.domain) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JIDError(.domain, .encoding, "is not UTF-8")
        }
        var scalars = text.unicodeScalars.map(\.value)
        if !isASCII(scalars) { scalars = UnicodeText.widthMapped(scalars) }
        // The ideographic full stop separates labels too (RFC 5895 §2).
        var labels = scalars.split(omittingEmptySubsequences: false) { $0 == 0x2E || $0 == 0x3002 }.map(Array.init)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        if labels.allSatisfy(\.isEmpty) { throw JIDError(.domain, .empty, "is empty") }
        for index in labels.indices { labels[index] = try canonicalLabel(labels[index]) }
        try checkDirections(labels)
        let name = UnicodeText.utf8(Array(labels.joined(separator: [0x2E])))
        guard name.count <= JID.maximumPartBytes else { throw .tooLong(.domain) }
        // A name whose last label is a number reads as an address, in more than one way unless it has four parts.
        if labels.last?.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) == true, !IPLiteral.isVersion4(name) {
            throw JIDError(.domain, .literal, "looks like an IP address but is not a valid one")
        }
        return name
    }

    /// One label: lower-case ASCII letters, digits and hyphens, or a U-label.
    private static func canonicalLabel(_ label: [UInt32]) throws(JIDError) -> [UInt32] {
        guard !label.isEmpty else { throw JIDError(.domain, .label, "has an empty label (two dots, or one in front)") }
        if isASCII(label) { return try canonicalASCIILabel(label) }
        let mapped = mapped(label)
        if isASCII(mapped) { return try canonicalASCIILabel(mapped) }
        _ = try IDNA.asciiLabel(mapped)
        return mapped
    }

    /// Lower case and NFC, without the rule for a final sigma: registries and resolvers know the small sigma only.
    static func mapped(_ label: [UInt32]) -> [UInt32] {
        let unfinal = label.map { $0 == 0x3A3 ? 0x3C3 : $0 }
        return UnicodeText.nfc(UnicodeText.lowercased(unfinal))
    }

    private static func canonicalASCIILabel(_ label: [UInt32]) throws(JIDError) -> [UInt32] {
        let lower = label.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        for value in lower where value > 0x7F || !ASCIIClass.domain.contains(UInt8(truncatingIfNeeded: value)) {
            throw JIDError(.domain, character: UnicodeText.scalar(value))
        }
        guard lower.count <= 63 else { throw JIDError(.domain, .tooLong, "has a label longer than 63 bytes") }
        guard lower.first != 0x2D, lower.last != 0x2D else {
            throw JIDError(.domain, .label, "has a label that starts or ends with a hyphen")
        }
        guard lower.count >= 4, lower[2] == 0x2D, lower[3] == 0x2D else { return lower }
        guard lower[0] == 0x78, lower[1] == 0x6E else {
            throw JIDError(.domain, .label, "has a label with two hyphens in third and fourth place")
        }
        return try IDNA.unicodeLabel(lower)
    }

    /// In a name with a right-to-left label, every label obeys the bidi rule (RFC 5893 §2).
    private static func checkDirections(_ labels: [[UInt32]]) throws(JIDError) {
        guard labels.contains(where: { !isASCII($0) && BidiRule.applies(to: $0) }) else { return }
        guard labels.allSatisfy(BidiRule.accepts) else {
            throw JIDError(.domain, .direction, "mixes left-to-right and right-to-left writing in a forbidden order")
        }
    }

    /// The name for DNS, SNI and certificates: every U-label as its A-label; addresses stay as they are.
    static func ascii(_ canonical: String) -> String {
        guard canonical.utf8.contains(where: { $0 >= 0x80 }) else { return canonical }
        let labels = canonical.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        // A canonical label has been converted once, so the original is never the answer.
        return labels.map { (try? IDNA.asciiLabel($0.map(\.value))) ?? String($0) }.joined(separator: ".")
    }

    static func isASCII(_ scalars: some Sequence<UInt32>) -> Bool { scalars.allSatisfy { $0 < 0x80 } }

    /// Scans a domain that is canonical ASCII already; nil sends it through the complete algorithm.
    ///
    /// Ends at the first `/` or at the end of the buffer. Labels of an unusual kind are left to the complete
    /// algorithm: hyphens at an edge, two hyphens in third and fourth place, a number as last label.
    @inline(__always)
    static func scanCanonicalASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var index = start
        var labelStart = start
        var isNumber = true
        while true {
            let byte = index < bytes.count ? bytes[index] : UInt8(ascii: "/")
            if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/") {
                let length = index &- labelStart
                guard length > 0, length <= 63 else { return nil }
                let hyphen = UInt8(ascii: "-")
                guard bytes[labelStart] != hyphen, bytes[index &- 1] != hyphen else { return nil }
                if length >= 4, bytes[labelStart &+ 2] == hyphen, bytes[labelStart &+ 3] == hyphen { return nil }
                if byte == UInt8(ascii: "/") { break }
                labelStart = index &+ 1
                isNumber = true
            } else {
                guard ASCIIClass.domain.contains(byte) else { return nil }
                if byte < UInt8(ascii: "0") || byte > UInt8(ascii: "9") { isNumber = false }
            }
            index &+= 1
        }
        guard !isNumber, index &- start <= JID.maximumPartBytes else { return nil }
        return index
    }
}
