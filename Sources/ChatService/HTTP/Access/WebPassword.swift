// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

extension WebAccess.Password {
    /// About a third of a second on a small machine, for each guess.
    package static let iterations = 600_000

    /// Takes some hundred milliseconds.
    package init(_ password: String, iterations: Int = Self.iterations) {
        let salt = randomBytes(16)
        self.init(
            salt: base64(salt), iterations: iterations,
            key: base64(pbkdf2(.sha256, password: Array(password.utf8), salt: salt, iterations: iterations)))
    }

    /// Takes some hundred milliseconds.
    package func matches(_ password: String) -> Bool {
        guard let salt = decodeBase64(salt), let key = decodeBase64(key), (1...10_000_000).contains(iterations) else {
            return false
        }
        let given = pbkdf2(.sha256, password: Array(password.utf8), salt: salt, iterations: iterations)
        return constantTimeEquals(given, key)
    }
}
