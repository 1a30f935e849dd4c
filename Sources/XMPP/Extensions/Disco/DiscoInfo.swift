// SPDX-License-Identifier: Apache-2.0

/// What an entity says it is (XEP-0030 §3.1): a person's program, a server, a room.
public struct DiscoIdentity: Sendable, Hashable {
    /// The kind, as `client` or `server`; the registrar keeps the list.
    public let category: String
    /// The kind within the category, as `pc` or `im`.
    public let type: String
    /// A name for people.
    public let name: String?
    /// The language of the name.
    public let language: String?

    /// Makes an identity.
    public init(category: String, type: String, name: String? = nil, language: String? = nil) {
        self.category = category
        self.type = type
        self.name = name
        self.language = language
    }
}

/// What an entity is and can do (XEP-0030 §3.1, with the forms of XEP-0128).
public struct DiscoInfo: Sendable, Hashable {
    /// The node that was asked about, nil for the entity itself.
    public var node: String?
    /// What it is.
    public var identities: [DiscoIdentity]
    /// What it can do.
    public var features: Set<String>
    /// Further facts.
    public var forms: [DataForm]

    /// Makes a description.
    public init(
        node: String? = nil, identities: [DiscoIdentity] = [], features: Set<String> = [], forms: [DataForm] = []
    ) {
        self.node = node
        self.identities = identities
        self.features = features
        self.forms = forms
    }

    /// Whether it has a feature.
    public func supports(_ feature: String) -> Bool { features.contains(feature) }
    /// Whether it is of a kind; without `type`, of any within the category.
    public func isKind(_ category: String, _ type: String? = nil) -> Bool {
        identities.contains { $0.category == category && (type == nil || $0.type == type) }
    }
}

/// Something that belongs to an entity (XEP-0030 §4.1).
public struct DiscoItem: Sendable, Hashable {
    /// The address to ask further.
    public let jid: JID
    /// The node to ask about there.
    public let node: String?
    /// A name for people.
    public let name: String?

    /// Makes an item.
    public init(jid: JID, node: String? = nil, name: String? = nil) {
        self.jid = jid
        self.node = node
        self.name = name
    }
}
