// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// The identifier that the sender's program gave the message (XEP-0359 §2.2).
    ///
    /// Anybody can write anything there: it finds one's own messages again, and proves nothing about those of others.
    public var originID: String? {
        get { payload(OriginID.self)?.id }
        set { set(OriginID.self, newValue.map { OriginID(id: $0) }) }
    }

    /// All identifiers that are well formed, as they stand in the message (XEP-0359 §2.1).
    ///
    /// Believe only those of an address that adds them itself and takes out forged ones: one's own account for
    /// one-to-one messages, the room for those of a room; see ``stanzaID(by:)``.
    public var stanzaIDs: [StanzaID] { payloads(StanzaID.name).compactMap { StanzaID($0) } }

    /// The identifier that this address gave the message (XEP-0359 §3).
    ///
    /// Nil when it gave none, or when two different ones claim to be from it: then one is forged.
    public func stanzaID(by address: JID) -> String? {
        var found: String?
        for candidate in stanzaIDs where candidate.by == address {
            if let found, found != candidate.id { return nil }
            found = candidate.id
        }
        return found
    }
}
