// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The name of a picture: the SHA-1 digest of its bytes (XEP-0084 §3.1, XEP-0153 §3.1).
///
/// Equal names mean equal pictures as far as contacts are honest; the digest is too weak to prove more.
public struct PictureHash: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The digest as 40 hexadecimal digits, in lower case.
    public let description: String

    /// The name of a picture with these bytes.
    public init(of bytes: [UInt8]) { description = hexadecimal(digest(.sha1, bytes)) }

    /// Reads 40 hexadecimal digits, in either case; nil for anything else (B86).
    public init?(_ text: String) {
        guard text.utf8.count == 40, text.utf8.allSatisfy(Self.isDigit) else { return nil }
        description = text.lowercased()
    }

    /// Reads what a presence announces: of 80 digits the last 40 count, since a server may have appended its own (OF38).
    init?(announced text: String) {
        let text = text.trimmingXMLSpace
        guard text.utf8.count == 80, text.utf8.allSatisfy(Self.isDigit) else {
            self.init(text)
            return
        }
        self.init(String(text.suffix(40)))
    }

    /// Reads the text again that `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = PictureHash(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no digest of 40 digits")
        }
        self = hash
    }

    /// Writes the 40 digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
