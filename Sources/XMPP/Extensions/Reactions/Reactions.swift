// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// All that somebody has to say to a message in pictures; the latest stands in the place of those before (XEP-0444 §3).
public struct Reactions: Sendable, Hashable {
    /// The message; in a room the identifier that the room gave, otherwise the id of the message (§3.2).
    public let id: String
    /// The pictures, none twice; empty takes all back.
    public let emojis: [String]

    /// Makes reactions; what is too long for a picture is left out.
    public init(to id: String, _ emojis: [String]) {
        self.id = id
        var known: Set<String> = []
        var kept: [String] = []
        for emoji in emojis {
            let emoji = emoji.trimmingXMLSpace
            guard kept.count < Self.cap, !emoji.isEmpty, emoji.utf8.count <= Self.byteCap, emoji.count == 1,
                known.insert(emoji).inserted
            else { continue }
            kept.append(emoji)
        }
        self.emojis = kept
    }

    /// So many pictures somebody has at most; one is a single character of at most so many bytes (§3.3).
    private static let cap = 64
    private static let byteCap = 128
}

extension Reactions: StanzaPayload {
    package static let namespace = "urn:xmpp:reactions:0"
    package static let name = XMLName("reactions", namespace)
    private static let reaction = XMLName("reaction", namespace)

    package init?(_ element: Element) {
        guard element.matches(Self.name), let id = element.filled("id") else { return nil }
        self.init(to: id, element.children.lazy.filter { $0.matches(Self.reaction) }.prefix(4 * Self.cap).map(\.text))
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("id", id)
            for emoji in emojis { builder.child(Self.reaction, text: emoji) }
        }
    }
}

extension Message {
    /// What the sender has to say to a message in pictures; nil when it says nothing (XEP-0444 §3).
    public var reactions: Reactions? {
        get { kind == .error ? nil : payload(Reactions.self) }
        set { set(Reactions.self, newValue) }
    }

    /// A message that carries reactions and nothing else; it asks archives to keep it (XEP-0444 §3, §4).
    public static func reactions(_ reactions: Reactions, to address: JID, kind: Kind = .chat) -> Message {
        var message = Message(to: address, kind: kind, id: randomToken(), payloads: [reactions.element])
        message.hints = .store
        return message
    }
}

/// Announces reactions (XEP-0444 §2).
public struct ReactionsModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:reactions:0`.
    public var features: [String] { [Reactions.namespace] }
}
