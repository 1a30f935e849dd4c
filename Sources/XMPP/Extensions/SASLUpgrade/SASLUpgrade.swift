// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// Giving the server a better hash of the password while logging in (XEP-0480).
package enum SASLUpgrade {
    static let feature = XMLName("upgrade", "urn:xmpp:sasl:upgrade:0")
    private static let scram = "urn:xmpp:scram-upgrade:0"
    private static let salt = XMLName("salt", scram)

    /// The name of the task for a hash (§3.2).
    package static func task(_ hash: HashAlgorithm) -> String { "UPGR-SCRAM-\(hash.scramName)" }

    /// The better hash that the server wants, when a login used this one.
    ///
    /// SHA-1 is left behind. SHA-512 gains nothing over SHA-256 that would be worth two more round trips.
    package static func target(offered: [String], from hash: HashAlgorithm) -> HashAlgorithm? {
        guard hash == .sha1 else { return nil }
        return [HashAlgorithm.sha512, .sha256].first { offered.contains(task($0)) }
    }

    /// §3.3: the wish for a task.
    package static func request(_ hash: HashAlgorithm) -> Element { Element(feature, text: task(hash)) }

    /// §4: what the server wants the password to be hashed with; throws when that is weak, or work without end (T046).
    package static func derivation(_ data: Element, hash: HashAlgorithm) throws(XMPPError) -> SCRAMDerivation {
        guard let element = data.child(salt), let salt = decodeBase64(element.text.trimmingXMLSpace), !salt.isEmpty,
            salt.count <= SCRAMLimits.saltBytes,
            let iterations = element["iterations"].flatMap({ SCRAMLimits.iterations(Array($0.utf8)[...]) })
        else { throw refusal("it gave no salt") }
        guard iterations >= SCRAMLimits.minimumIterations else {
            throw refusal("it asked for only \(iterations) iterations, fewer than \(SCRAMLimits.minimumIterations)")
        }
        guard iterations <= SCRAMLimits.maximumIterations else {
            throw refusal("it asked for more than \(SCRAMLimits.maximumIterations) iterations")
        }
        return SCRAMDerivation(hash: hash, salt: salt, iterations: iterations)
    }

    /// §4: the salted password.
    package static func hash(_ salted: SaltedPassword) -> Element {
        Element(XMLName("hash", scram), text: base64(salted.bytes))
    }

    private static func refusal(_ what: String) -> XMPPError {
        XMPPError(.authenticationFailed, "the server wanted a new hash of the password, and \(what); it got none")
    }
}
