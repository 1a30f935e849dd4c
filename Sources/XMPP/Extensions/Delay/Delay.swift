// SPDX-License-Identifier: Apache-2.0

/// When a stanza was sent in truth, for one that was held back on its way (XEP-0203).
public struct Delay: Sendable, Hashable {
    /// When it was sent, by the clock of whoever held it back.
    public let stamp: DateTime
    /// Who held it back; nil when nobody says so.
    public let from: JID?
    /// Why, in words for people.
    public let reason: String?

    /// Makes a delay.
    public init(stamp: DateTime, from: JID? = nil, reason: String? = nil) {
        self.stamp = stamp
        self.from = from
        self.reason = reason
    }
}

extension Delay: StanzaPayload {
    package static let name = XMLName("delay", "urn:xmpp:delay")
    package static let legacyName = XMLName("x", "jabber:x:delay")

    /// XEP-0203 §2; an element without a stamp that can be read is none.
    package init?(_ element: Element) {
        guard let stamp = element["stamp"].flatMap({ DateTime($0.trimmingXMLSpace) }) else { return nil }
        self.init(stamp: stamp, in: element)
    }

    /// The form of before, XEP-0091 §4.
    package init?(legacy element: Element) {
        guard let text = element["stamp"]?.trimmingXMLSpace, let stamp = DateTime(legacy: text) ?? DateTime(text)
        else { return nil }
        self.init(stamp: stamp, in: element)
    }

    private init(stamp: DateTime, in element: Element) {
        let reason = element.text.trimmingXMLSpace
        self.init(stamp: stamp, from: element.address("from"), reason: reason.isEmpty ? nil : reason)
    }

    package var element: Element {
        Element(
            Self.name, attributes: ["stamp": stamp.description, "from": from?.description], text: reason)
    }

    /// The delays among payloads: those of XEP-0203 in order, then, only if there is none, those of the form of before.
    static func all(_ payloads: (XMLName) -> [Element]) -> [Delay] {
        let precise = payloads(name).compactMap { Delay($0) }
        return precise.isEmpty ? payloads(legacyName).compactMap { Delay(legacy: $0) } : precise
    }
}

extension Message {
    /// All delays that can be read; the precise form wins over the legacy one wherever both stand (XEP-0203 §4).
    public var delays: [Delay] { Delay.all(payloads(_:)) }

    /// When the message was sent in truth, for one that was held back on its way: the first of ``delays``.
    ///
    /// Any sender can write one. Order messages by arrival or by the archive, and show the stamp beside them.
    public var delay: Delay? { delays.first }

    /// The delay that this address noted, for those who know whom to believe: a room, one's own server.
    public func delay(from address: JID) -> Delay? { delays.first { $0.from == address } }
}

extension Presence {
    /// When the presence was sent in truth, for one that was held back on its way.
    public var delay: Delay? {
        Delay.all { name in payloads.filter { $0.matches(name) } }.first
    }
}

extension Message {
    /// When the message was sent in truth, as far as it can be believed: one's own server or account says so, or, of a
    /// message of a room that one has joined, the room (T122).
    ///
    /// Any sender can write a delay, to hide a message among old ones or to put words before others.
    /// - Parameters:
    ///   - account: One's own address.
    ///   - isJoined: Whether one is in that room.
    public func trustedDelay(for account: JID, isJoined: (JID) -> Bool = { _ in false }) -> Delay? {
        delays.first { delay in
            guard let by = delay.from else { return false }
            if kind == .groupchat {
                return from.map { by == $0.bare && isJoined($0.bare) } ?? false
            }
            return by == account.bare || (by.isBare && by.local == nil && by.domain == account.domain)
        }
    }
}
