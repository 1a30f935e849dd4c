// SPDX-License-Identifier: Apache-2.0
import ApusCIdn2
import Glibc

/// Labels of international domain names by libidn2, under IDNA 2008 without the mappings of UTS 46.
enum IDNA {
    /// The A-label (`xn--…`) of a label in lower case and NFC.
    ///
    /// libidn2 checks what a lookup must check (RFC 5891 §5.4); the context rules it leaves to registries follow here.
    static func asciiLabel(_ label: [UInt32]) throws(JIDError) -> String {
        // The library reads up to the first zero byte, and takes dots for separators.
        for value in label where value == 0 || value == 0x2E {
            throw JIDError(.domain, character: UnicodeText.scalar(value))
        }
        var output: UnsafeMutablePointer<UInt8>?
        let code = idn2_lookup_u8(UnicodeText.utf8(label) + [0], &output, flags)
        defer { idn2_free(output) }
        guard code == 0, let output else { throw fault(code, label) }
        if let scalar = PRECISContext.firstViolation(in: label) {
            throw JIDError(.domain, .context, "contains \(scalar.nameForPeople) where its neighbours do not allow it")
        }
        return String(cString: output)
    }

    /// The U-label of an A-label in lower case: decoded, checked like any other, and found to encode back to itself.
    static func unicodeLabel(_ label: [UInt32]) throws(JIDError) -> [UInt32] {
        let ascii = UnicodeText.utf8(label)
        var output: UnsafeMutablePointer<CChar>?
        let code = idn2_to_unicode_8z8z(ascii.map { CChar(truncatingIfNeeded: $0) } + [0], &output, 0)
        defer { idn2_free(output) }
        guard code == 0, let output, let text = String(validatingCString: output) else { throw fault(code, label) }
        let scalars = text.unicodeScalars.map(\.value)
        // The library may know an older Unicode, in which the name is lower case already.
        guard !DomainName.isASCII(scalars), DomainName.mapped(UnicodeText.widthMapped(scalars)) == scalars,
            try Array(asciiLabel(scalars).utf8) == ascii
        else {
            throw JIDError(.domain, .label, "has a label starting with xn-- that is not the form of any name")
        }
        return scalars
    }

    private static let flags = Int32(truncatingIfNeeded: IDN2_NO_TR46.rawValue)

    private static func fault(_ code: Int32, _ label: [UInt32]) -> JIDError {
        switch code {
        case -205, -206: JIDError(.domain, .tooLong, "has a label longer than 63 bytes")
        case -310: JIDError(.domain, .direction, "mixes left-to-right and right-to-left writing in a forbidden order")
        case -305, -306, -307, -308: JIDError(.domain, .context, "has a joiner or mark where it is not allowed")
        default:
            JIDError(.domain, .label, "has a label that is not a valid name (\(String(cString: idn2_strerror(code))))")
        }
    }
}
