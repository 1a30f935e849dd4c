// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// A hash of some content (XEP-0300 §2).
public struct ContentHash: Sendable, Hashable {
    /// The name of the algorithm, as `sha-256`.
    public let algorithm: String
    /// The hash.
    public let value: [UInt8]

    /// Makes a hash.
    public init(algorithm: String, value: [UInt8]) {
        self.algorithm = algorithm
        self.value = value
    }

    /// The hash of the bytes by SHA-256, which everybody knows (§5).
    public static func sha256(of bytes: [UInt8]) -> ContentHash {
        ContentHash(algorithm: "sha-256", value: digest(.sha256, bytes))
    }

    /// Whether the bytes have this hash; nil when the algorithm is not known here.
    ///
    /// A hash of MD5 or of SHA-1 shows that nothing broke by accident, and nothing against an attacker (§5).
    public func matches(_ bytes: [UInt8]) -> Bool? {
        guard let known = HashAlgorithm(hashName: algorithm) else { return nil }
        return constantTimeEquals(digest(known, bytes), value)
    }
}

extension HashAlgorithm {
    /// The algorithm of that name (XEP-0300 §3).
    init?(hashName: String) {
        switch hashName {
        case "sha-1": self = .sha1
        case "sha-256": self = .sha256
        case "sha-384": self = .sha384
        case "sha-512": self = .sha512
        default: return nil
        }
    }

    /// Its name there.
    var hashName: String {
        switch self {
        case .sha1: "sha-1"
        case .sha256: "sha-256"
        case .sha384: "sha-384"
        case .sha512: "sha-512"
        }
    }
}

extension ContentHash: StanzaPayload {
    package static let namespace = "urn:xmpp:hashes:2"
    package static let name = XMLName("hash", namespace)

    /// §2.2: algorithm and value are there; a value that has not the length of its algorithm is damaged.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let algorithm = element.filled("algo"),
            let value = decodeBase64(element.text.filter { !$0.isWhitespace }), !value.isEmpty, value.count <= 128
        else { return nil }
        if let known = HashAlgorithm(hashName: algorithm), known.byteCount != value.count { return nil }
        self.init(algorithm: algorithm, value: value)
    }

    package var element: Element { Element(Self.name, attributes: ["algo": algorithm], text: base64(value)) }

    /// The hashes of several algorithms that stand beside each other in an element.
    package static func all(in element: Element) -> [ContentHash] {
        element.children.lazy.filter { $0.matches(name) }.prefix(16).compactMap { ContentHash($0) }
    }
}
