// SPDX-License-Identifier: Apache-2.0

/// The elements of authentication by token (XEP-0484, `urn:xmpp:fast:0`).
package enum FAST {
    package static let namespace = "urn:xmpp:fast:0"
    package static let feature = XMLName("fast", namespace)
    package static let token = XMLName("token", namespace)

    /// §3.2: asks for a token that works with the mechanism.
    package static func request(mechanism: String) -> Element {
        Element(XMLName("request-token", namespace), attributes: ["mechanism": mechanism])
    }

    /// §3.4 and §3.6: this login uses a token; with `invalidates` the server forgets it afterwards.
    package static func use(count: Int, invalidates: Bool) -> Element {
        Element(feature, attributes: ["count": String(count), "invalidate": invalidates ? "true" : nil])
    }
}

/// A secret that a server gave in place of the password (XEP-0484 §3.3), good for one mechanism.
package struct FASTToken: Sendable, Hashable {
    package var mechanism: String
    package var secret: String
    /// When the server forgets it.
    package var expiry: DateTime?
    /// How often it was tried; only ever grows.
    package var count = 0
    /// SHA-256 of the certificate it came under; set for tokens that prove nothing about the channel, which go to no
    /// other certificate.
    package var certificate: [UInt8]?

    /// The longest secret that is kept, in bytes.
    static let longest = 4096

    package init(mechanism: String, secret: String, expiry: DateTime? = nil, certificate: [UInt8]? = nil) {
        self.mechanism = mechanism
        self.secret = secret
        self.expiry = expiry
        self.certificate = certificate
    }

    /// Reads `<token/>`; nil when there is none in it, or one that nobody would send.
    package init?(_ element: Element, mechanism: String) {
        guard element.matches(FAST.token), let secret = element["token"], !secret.isEmpty,
            secret.utf8.count <= Self.longest, let expiry = element["expiry"].flatMap({ DateTime($0) })
        else { return nil }
        self.init(mechanism: mechanism, secret: secret, expiry: expiry)
    }

    /// The token for one more try, nil when it has been tried too often for the counter of XEP-0484.
    package var tried: FASTToken? {
        guard count < Int(Int32.max) else { return nil }
        var next = self
        next.count += 1
        return next
    }

    /// Whether the server may still know it.
    package func isAlive(at now: DateTime) -> Bool { expiry.map { now < $0 } ?? true }
}

extension FASTToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "token for \(mechanism)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension FASTToken: Codable {
    private enum CodingKeys: String, CodingKey { case mechanism, secret, expiry, count, certificate }

    /// So far ahead of its use is the counter that is stored.
    ///
    /// A crash loses the last tries; the counter must not go back all the same.
    private static let reserve = 1000

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            mechanism: try values.decode(String.self, forKey: .mechanism),
            secret: try values.decode(String.self, forKey: .secret),
            expiry: try values.decodeIfPresent(DateTime.self, forKey: .expiry),
            certificate: try values.decodeIfPresent([UInt8].self, forKey: .certificate))
        count = max(0, try values.decode(Int.self, forKey: .count))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(mechanism, forKey: .mechanism)
        try values.encode(secret, forKey: .secret)
        try values.encodeIfPresent(expiry, forKey: .expiry)
        try values.encode(min(count, Int.max - Self.reserve) + Self.reserve, forKey: .count)
        try values.encodeIfPresent(certificate, forKey: .certificate)
    }
}
