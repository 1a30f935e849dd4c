// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Takes an earlier message back (XEP-0424 §3).
package struct Retraction: IdentifierPayload {
    package static let namespace = "urn:xmpp:message-retract:1"
    package static let name = XMLName("retract", namespace)
    /// As before version 0.4, inside an element that names the message.
    static let legacyNamespace = "urn:xmpp:message-retract:0"
    static let legacyName = XMLName("retract", legacyNamespace)
    static let legacyWrap = XMLName("apply-to", "urn:xmpp:fasten:0")
    package var id: String

    package init(id: String) { self.id = id }

    /// A wrap that holds anything else, as the moderation of a room, is no retraction by the author.
    package init?(legacy wrap: Element) {
        guard wrap.matches(Self.legacyWrap), wrap.child(Self.legacyName) != nil, let id = wrap.filled("id") else {
            return nil
        }
        self.init(id: id)
    }
}

/// What an archive keeps in the place of a message that was taken back (XEP-0424 §4).
public struct Tombstone: Sendable, Hashable {
    /// The id of the message that took it back, where the archive says so.
    public let retractionID: String?
    /// When it was taken back, where the archive says so.
    public let stamp: DateTime?

    /// Makes a tombstone.
    public init(retractionID: String?, stamp: DateTime? = nil) {
        self.retractionID = retractionID
        self.stamp = stamp
    }
}

extension Tombstone: StanzaPayload {
    package static let name = XMLName("retracted", Retraction.namespace)
    static let legacyName = XMLName("retracted", Retraction.legacyNamespace)

    package init?(_ element: Element) {
        guard element.matches(Self.name) || element.matches(Self.legacyName) else { return nil }
        self.init(
            retractionID: element.filled("id"), stamp: element["stamp"].flatMap { DateTime($0.trimmingXMLSpace) })
    }

    package var element: Element {
        Element(Self.name, attributes: ["id": retractionID, "stamp": stamp?.description])
    }
}

extension Message {
    /// The message that this one takes back; nil when it takes back none (XEP-0424 §3).
    ///
    /// In a room it is the identifier that the room gave, otherwise the id of the message. The form of before 0.4 is read too.
    /// Before anything is removed ask ``retracts(_:account:)``.
    public var retractedID: String? {
        guard kind != .error else { return nil }
        return payload(Retraction.self)?.id
            ?? payloads(Retraction.legacyWrap).lazy.compactMap { Retraction(legacy: $0) }.first?.id
    }

    /// What an archive tells of a message that was taken back; nil when this is none.
    public var tombstone: Tombstone? {
        (payload(Tombstone.name) ?? payload(Tombstone.legacyName)).flatMap { Tombstone($0) }
    }

    /// Whether this message takes another one back: it names it, and the same person wrote both in the same conversation
    /// (XEP-0424 §5).
    /// - Parameters:
    ///   - original: The message as it was received or sent.
    ///   - account: One's own address.
    public func retracts(_ original: Message, account: JID) -> Bool {
        guard let retractedID else { return false }
        let names: [String?] =
            original.kind == .groupchat
            ? [original.from.flatMap { original.stanzaID(by: $0.bare) }, original.originID]
            : [original.id, original.originID]
        return names.contains(retractedID) && isSameAuthor(as: original, account: account)
    }

    /// A message that takes an own one back (XEP-0424 §3); it asks archives to keep it.
    /// - Parameters:
    ///   - id: The id of the message, or in a room the identifier that the room gave it (§5.1).
    ///   - address: Where the message went to.
    ///   - kind: What the message was. Defaults to chat.
    ///   - note: What a program that cannot take messages back shows.
    public static func retraction(
        of id: String, to address: JID, kind: Kind = .chat,
        note: String = "/me retracted a previous message, but it's unsupported by your client."
    ) -> Message {
        var message = Message(
            to: address, kind: kind, id: randomToken(), body: note, payloads: [Retraction(id: id).element])
        message.fallbacks = [Fallback(for: Retraction.namespace)]
        message.hints = .store
        return message
    }
}

/// Announces that messages can be taken back (XEP-0424 §2).
public struct RetractionsModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:message-retract:1`.
    public var features: [String] { [Retraction.namespace] }
}
