// SPDX-License-Identifier: Apache-2.0

/// A moderator took a message of the room away (XEP-0425 §3).
///
/// Nobody can be made to forget it: other programs may show it all the same.
public struct RoomModeration: Sendable, Hashable {
    /// The identifier that the room gave the message.
    public let stanzaID: String
    /// The address in the room of whoever took it away, where the room says so.
    public let moderator: JID?
    /// The room's name for the moderator's account.
    public let occupantID: String?
    /// What the moderator said.
    public let reason: String?

    /// Makes a moderation.
    public init(stanzaID: String, moderator: JID? = nil, occupantID: String? = nil, reason: String? = nil) {
        self.stanzaID = stanzaID
        self.moderator = moderator
        self.occupantID = occupantID
        self.reason = reason
    }
}

/// The two forms of XEP-0425 that servers speak.
package enum Moderation: String, Sendable, Hashable, CaseIterable {
    /// The present one.
    case current = "urn:xmpp:message-moderate:1"
    /// That of version 0.2, with elements of XEP-0422 around it.
    case legacy = "urn:xmpp:message-moderate:0"

    private var moderate: XMLName { XMLName("moderate", rawValue) }
    private var moderated: XMLName { XMLName("moderated", rawValue) }
    private var reason: XMLName { XMLName("reason", rawValue) }

    /// The better of those that a room announces.
    init?(announcedBy information: RoomInformation) {
        guard let best = Self.allCases.first(where: { information.features.contains($0.rawValue) }) else { return nil }
        self = best
    }

    /// What asks the room to take a message away.
    func request(_ id: String, reason text: String?) -> Element {
        let why = text.map { [Element(reason, text: $0)] } ?? []
        switch self {
        case .current:
            return Element(
                moderate, attributes: ["id": id],
                children: [Element(XMLName("retract", Retraction.namespace))] + why)
        case .legacy:
            let inner = Element(moderate, children: [Element(Retraction.legacyName)] + why)
            return Element(Retraction.legacyWrap, attributes: ["id": id], children: [inner])
        }
    }

    /// Reads what a room tells its occupants.
    func read(_ message: Message) -> RoomModeration? {
        switch self {
        case .current:
            for retract in message.payloads(Retraction.name) {
                guard let id = retract.filled("id"), let by = retract.child(moderated) else { continue }
                // ejabberd 24.12 puts it beside, in the namespace of what is asked.
                let why = retract.childText(XMLName("reason", Retraction.namespace)) ?? retract.childText(reason)
                return notice(id, by, why ?? by.childText(reason))
            }
        case .legacy:
            for wrap in message.payloads(Retraction.legacyWrap) {
                guard let id = wrap.filled("id"), let by = wrap.child(moderated),
                    by.child(Retraction.legacyName) != nil
                else { continue }
                return notice(id, by, by.childText(reason))
            }
        }
        return nil
    }

    /// Reads what an archive keeps in the place of the message.
    func readTombstone(_ message: Message, id: String) -> RoomModeration? {
        switch self {
        case .current:
            guard let retracted = message.payload(Tombstone.name), let by = retracted.child(moderated) else {
                return nil
            }
            return notice(id, by, retracted.childText(XMLName("reason", Retraction.namespace)))
        case .legacy:
            guard let by = message.payload(moderated), by.child(Tombstone.legacyName) != nil else { return nil }
            return notice(id, by, by.childText(reason))
        }
    }

    private func notice(_ id: String, _ by: Element, _ reason: String?) -> RoomModeration {
        RoomModeration(
            stanzaID: id, moderator: by.address("by"),
            occupantID: by.child(OccupantID.name).flatMap { OccupantID($0)?.id },
            reason: reason?.cut(toBytes: 1024))
    }
}

extension Message {
    /// What a moderator took away, as the room tells; nil when anybody but the room itself says so (T119).
    public var moderation: RoomModeration? {
        guard kind == .groupchat, let from, from.isBare, from.local != nil else { return nil }
        return Moderation.allCases.lazy.compactMap { $0.read(self) }.first
    }

    /// What was taken away, for a message of a room's archive that stands in its place.
    /// - Parameter stanzaID: The identifier under which the archive has it.
    public func moderationTombstone(stanzaID: String) -> RoomModeration? {
        guard kind == .groupchat else { return nil }
        return Moderation.allCases.lazy.compactMap { $0.readTombstone(self, id: stanzaID) }.first
    }
}

/// Announces that moderation is understood (XEP-0425 §2).
public struct ModerationModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:message-moderate:1`.
    public var features: [String] { [Moderation.current.rawValue] }
}
