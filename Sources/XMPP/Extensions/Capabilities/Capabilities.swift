// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// What a presence says about the sender's program: hashes that stand for a list of what it can do.
///
/// Two forms are read and written: XEP-0115 §4, which everybody speaks, and XEP-0390 §4, which cannot be forged. Ask for
/// the list itself with ``XMPPSession/capabilities(of:)``.
public struct Capabilities: Sendable, Hashable {
    /// The program, as a URI; nil where only XEP-0390 is spoken.
    public let node: String?
    /// The version of a program from before hashes (XEP-0115 §5.4, "legacy"); nil otherwise.
    public let legacyVersion: String?
    /// The hashes, the most trustworthy first.
    public let keys: [CapabilityKey]
}

/// A hash that stands for a list of what a program can do.
public enum CapabilityKey: Sendable, Hashable {
    /// XEP-0115: two lists can have the same one, if somebody wants to.
    case verification(node: String, hash: ContentHash)
    /// XEP-0390: no two lists have the same one.
    case hash(ContentHash)

    /// The node that is asked about (XEP-0115 §6.2, XEP-0390 §4.5).
    var node: String {
        switch self {
        case .verification(let node, let hash): "\(node)#\(base64(hash.value))"
        case .hash(let hash): "\(CapabilityElements.namespace2)#\(hash.algorithm).\(base64(hash.value))"
        }
    }

    /// The hash itself.
    var contentHash: ContentHash {
        switch self {
        case .verification(_, let hash), .hash(let hash): hash
        }
    }

    /// What a list is kept under; the program's name is no part of the hash of XEP-0115.
    public var storageName: String {
        switch self {
        case .verification(_, let hash): "0115 \(hash.algorithm) \(base64(hash.value))"
        case .hash(let hash): "0390 \(hash.algorithm) \(base64(hash.value))"
        }
    }

    /// Whether it can be checked here.
    var isKnown: Bool { HashAlgorithm(hashName: contentHash.algorithm) != nil }
}

/// The names of XEP-0115 and XEP-0390.
package enum CapabilityElements {
    package static let namespace = "http://jabber.org/protocol/caps"
    package static let namespace2 = "urn:xmpp:caps"
    static let name = XMLName("c", namespace)
    static let name2 = XMLName("c", namespace2)
}

extension Presence {
    /// What the sender's program can do, as hashes; nil when the presence does not say (XEP-0115 §4, XEP-0390 §4).
    ///
    /// An element that breaks its rules says nothing, and the presence counts all the same (B93).
    public var capabilities: Capabilities? {
        guard kind == .available else { return nil }
        let hashes = payload(CapabilityElements.name2).map { ContentHash.all(in: $0) } ?? []
        var keys = hashes.map { CapabilityKey.hash($0) }.filter(\.isKnown)
        var node: String?
        var legacy: String?
        if let element = payload(CapabilityElements.name), let named = element.filled("node"),
            let version = element.filled("ver")
        {
            node = named
            if let algorithm = element.filled("hash") {
                if let value = decodeBase64(version), !value.isEmpty, value.count <= 128 {
                    keys.append(.verification(node: named, hash: ContentHash(algorithm: algorithm, value: value)))
                }
            } else {
                legacy = version
            }
        }
        guard node != nil || !keys.isEmpty else { return nil }
        return Capabilities(node: node, legacyVersion: legacy, keys: keys)
    }
}
