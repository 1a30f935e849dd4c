// SPDX-License-Identifier: Apache-2.0

/// What servers are asked to do with a message, or not to do (XEP-0334 §4).
public struct MessageHints: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8
    /// Makes hints of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Not for the archive (§4.1).
    public static let noPermanentStore = MessageHints(rawValue: 1)
    /// Neither for the archive nor for later delivery (§4.2).
    public static let noStore = MessageHints(rawValue: 2)
    /// Not for other resources (§4.3).
    public static let noCopy = MessageHints(rawValue: 4)
    /// For the archive, also without a body (§4.4).
    public static let store = MessageHints(rawValue: 8)

    static let namespace = "urn:xmpp:hints"
    static let names: [(MessageHints, XMLName)] = [
        (.noPermanentStore, XMLName("no-permanent-store", namespace)), (.noStore, XMLName("no-store", namespace)),
        (.noCopy, XMLName("no-copy", namespace)), (.store, XMLName("store", namespace)),
    ]
}

extension Message {
    /// What servers are asked to do with the message (XEP-0334 §4).
    public var hints: MessageHints {
        get {
            var hints: MessageHints = []
            for (hint, name) in MessageHints.names where payload(name) != nil { hints.insert(hint) }
            return hints
        }
        set {
            for (hint, name) in MessageHints.names {
                if newValue.contains(hint) {
                    setPayload(name, Element(name))
                } else if payload(name) != nil {
                    setPayload(name, nil)
                }
            }
        }
    }
}
