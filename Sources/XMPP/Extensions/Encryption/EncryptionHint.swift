// SPDX-License-Identifier: Apache-2.0

/// How a message is encrypted, for programs that cannot read it (XEP-0380 §3).
public struct EncryptionHint: Sendable, Hashable {
    /// The namespace of the method.
    public let namespace: String
    /// The sender's name for it; for known methods ``knownName`` is to be shown instead.
    public let name: String?

    /// Makes a hint.
    public init(namespace: String, name: String? = nil) {
        self.namespace = namespace
        self.name = name
    }

    /// The name of the method, for those that the specification lists (§3.2).
    public var knownName: String? {
        switch namespace {
        case "urn:xmpp:otr:0": "OTR"
        case "jabber:x:encrypted": "Legacy OpenPGP"
        case "urn:xmpp:openpgp:0": "OpenPGP for XMPP"
        case "eu.siacs.conversations.axolotl", "urn:xmpp:omemo:1", "urn:xmpp:omemo:2": "OMEMO"
        default: nil
        }
    }
}

extension EncryptionHint: StanzaPayload {
    package static let namespaceName = "urn:xmpp:eme:0"
    package static let name = XMLName("encryption", namespaceName)

    package init?(_ element: Element) {
        guard element.matches(Self.name), let namespace = element.filled("namespace") else { return nil }
        self.init(namespace: namespace, name: element.filled("name"))
    }

    package var element: Element {
        Element(Self.name, attributes: ["namespace": namespace, "name": name])
    }
}

extension Message {
    private static let encryptedNames = [
        XMLName("encrypted", "eu.siacs.conversations.axolotl"), XMLName("encrypted", "urn:xmpp:omemo:2"),
        XMLName("openpgp", "urn:xmpp:openpgp:0"), XMLName("x", "jabber:x:encrypted"),
    ]

    /// Whether the message came encrypted: it says so, or carries what such messages carry.
    public var isEncrypted: Bool {
        encryption != nil || Self.encryptedNames.contains { payload($0) != nil }
    }

    /// How the message is encrypted; nil when it does not say.
    ///
    /// The body of an encrypted message is no text of the sender (XEP-0380 §3).
    public var encryption: EncryptionHint? {
        get { payload(EncryptionHint.self) }
        set { set(EncryptionHint.self, newValue) }
    }
}
