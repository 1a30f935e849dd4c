// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Secrets of browsers, and what is kept of them.
package enum WebSecret {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// 256 random bits, for a session's cookie.
    package static func session() -> String { randomToken() + randomToken() }

    /// What writes have to show besides the cookie; only a page that may read our replies can know it.
    package static func writeToken(_ session: String) -> String {
        base64url(hmac(.sha256, key: Array(session.utf8), Array("apus write token".utf8)))
    }

    /// What is stored of a secret.
    package static func digestText(_ secret: String) -> String {
        base64url(digest(.sha256, Array(secret.utf8)))
    }

    /// Fifty random bits that people can type: two groups of Crockford's base 32.
    package static func code() -> String {
        let digits = randomBytes(10).map { alphabet[Int($0 & 31)] }
        return String(decoding: digits[..<5], as: UTF8.self) + "-" + String(decoding: digits[5...], as: UTF8.self)
    }

    /// A typed code in the one form that is compared: letters that look like digits are those digits.
    package static func normalized(code: String) -> String {
        var bytes: [UInt8] = []
        for character in code.uppercased() {
            switch character {
            case "-", " ": continue
            case "O": bytes.append(UInt8(ascii: "0"))
            case "I", "L": bytes.append(UInt8(ascii: "1"))
            default: bytes += Array(String(character).utf8)
            }
            if bytes.count > 64 { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func equal(_ left: String, _ right: String) -> Bool {
        constantTimeEquals(Array(left.utf8), Array(right.utf8))
    }
}
