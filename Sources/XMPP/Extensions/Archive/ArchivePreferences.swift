// SPDX-License-Identifier: Apache-2.0

/// What the archive of one's own account keeps (XEP-0441 §2).
public struct ArchivePreferences: Sendable, Hashable {
    /// What happens to messages of addresses that stand in neither list (§2.1).
    public enum Default: String, Sendable, Hashable, CaseIterable {
        /// They are kept.
        case always
        /// They are not kept.
        case never
        /// They are kept when the address is a contact.
        case roster
    }

    /// What happens to messages of addresses that stand in neither list.
    public var `default`: Default
    /// Addresses whose messages are kept; a bare one stands for all its resources (§2.4).
    public var always: [JID]
    /// Addresses whose messages are not kept.
    public var never: [JID]

    /// Makes preferences.
    public init(default: Default, always: [JID] = [], never: [JID] = []) {
        self.default = `default`
        self.always = always
        self.never = never
    }
}

extension ArchivePreferences: StanzaPayload {
    package static let name = XMLName("prefs", Archive.namespace)
    private static let alwaysName = XMLName("always", Archive.namespace)
    private static let neverName = XMLName("never", Archive.namespace)
    private static let address = XMLName("jid", Archive.namespace)

    /// §2.1: the default is required; addresses that are none are left out.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let value = element["default"].flatMap(Default.init(rawValue:)) else {
            return nil
        }
        func list(_ name: XMLName) -> [JID] {
            element.child(name)?.children(Self.address).compactMap { try? JID($0.text.trimmingXMLSpace) } ?? []
        }
        self.init(default: value, always: list(Self.alwaysName), never: list(Self.neverName))
    }

    package var element: Element {
        func list(_ name: XMLName, _ addresses: [JID]) -> Element {
            Element(name, children: addresses.map { Element(Self.address, text: $0.description) })
        }
        return Element(
            Self.name, attributes: ["default": `default`.rawValue],
            children: [list(Self.alwaysName, always), list(Self.neverName, never)])
    }
}

extension XMPPSession {
    /// Asks what the archive of one's own account keeps (XEP-0441 §2).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` where the server does not let its users decide. Cancelling ends the wait.
    public func archivePreferences() async throws -> ArchivePreferences {
        try Self.preferences(try await get(Element(ArchivePreferences.name)))
    }

    /// Changes what the archive of one's own account keeps; gives what holds then, which may be something else (§2).
    ///
    /// Throws as ``archivePreferences()`` does. Cancelling ends the wait, not the change.
    @discardableResult
    public func setArchivePreferences(_ preferences: ArchivePreferences) async throws -> ArchivePreferences {
        let reply = try await set(preferences.element)
        return reply.payload == nil ? preferences : try Self.preferences(reply)
    }

    private static func preferences(_ reply: IQ) throws -> ArchivePreferences {
        guard let preferences = reply.payload.flatMap({ ArchivePreferences($0) }) else {
            throw XMPPError(.invalidReply, "the server does not say what its archive keeps")
        }
        return preferences
    }
}
