// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// The payloads of extensions that the store looks at.
enum PayloadName {
    static let receiptRequest = XMLName("request", "urn:xmpp:receipts")
    static let receipt = XMLName("received", "urn:xmpp:receipts")
    static let carbonReceived = XMLName("received", "urn:xmpp:carbons:2")
    static let carbonSent = XMLName("sent", "urn:xmpp:carbons:2")
    static let forwarded = XMLName("forwarded", "urn:xmpp:forward:0")
    static let message = XMLName("message", "jabber:client")
    static let originID = XMLName("origin-id", "urn:xmpp:sid:0")
    static let stanzaID = XMLName("stanza-id", "urn:xmpp:sid:0")
    static let delay = XMLName("delay", "urn:xmpp:delay")
    static let legacyDelay = XMLName("x", "jabber:x:delay")
    static let roomUser = XMLName("x", "http://jabber.org/protocol/muc#user")
    static let nick = XMLName("nick", "http://jabber.org/protocol/nick")
    static let roster = XMLName("query", "jabber:iq:roster")
    static let chatStates = "http://jabber.org/protocol/chatstates"
}

extension Message {
    /// The id of the message that this one confirms (XEP-0184 §5.4).
    var confirmedID: String? { payload(PayloadName.receipt)?["id"].flatMap { $0.isEmpty ? nil : $0 } }

    /// The sender wants to know that the message came (XEP-0184 §5.1).
    var asksForReceipt: Bool { payload(PayloadName.receiptRequest) != nil }

    /// Whether the sender is writing (XEP-0085); nil when the message does not say.
    var isComposing: Bool? {
        for payload in payloads where payload.namespace == PayloadName.chatStates {
            return payload.localName == "composing"
        }
        return nil
    }

    /// When the message was written, if it was held on its way: the precise stamp before the legacy one (XEP-0203 §4).
    var delayStamp: DateTime? {
        if let stamp = payload(PayloadName.delay)?["stamp"], let time = DateTime(stamp) { return time }
        if let stamp = payload(PayloadName.legacyDelay)?["stamp"] { return DateTime(legacy: stamp) ?? DateTime(stamp) }
        return nil
    }

    /// It was held on its way, readable stamp or not.
    var isDelayed: Bool { payload(PayloadName.delay) != nil || payload(PayloadName.legacyDelay) != nil }

    /// The id that the sender's client vouches for (XEP-0359 §4).
    var originID: String? { payload(PayloadName.originID)?["id"].flatMap { $0.isEmpty ? nil : $0 } }

    /// The id that the archive of `owner` gave, if exactly one element claims to be from there (XEP-0359 §3, §6).
    func archiveID(by owner: JID) -> String? {
        var found: String?
        for payload in payloads(PayloadName.stanzaID) {
            guard let by = payload["by"], JID(wire: by) == owner else { continue }
            if found != nil { return nil }
            found = payload["id"]
        }
        return found.flatMap { $0.isEmpty || $0.utf8.count > 1023 ? nil : $0 }
    }

    /// The copy of a message of another device of ours, if this is one (XEP-0280).
    enum Carbon {
        case sent(Message)
        case received(Message)
        /// It holds a carbon element, but cannot be one: forged, or not well formed.
        case refused
    }

    /// Reads a carbon; only one's own account may send one (XEP-0280 §11).
    func carbon(own: JID) -> Carbon? {
        let isSent = payload(PayloadName.carbonSent) != nil
        guard let wrapper = payload(PayloadName.carbonSent) ?? payload(PayloadName.carbonReceived) else { return nil }
        guard from == nil || from == own, kind != .groupchat, kind != .error,
            let inner = wrapper.child(PayloadName.forwarded)?.child(PayloadName.message),
            let message = Message(forwarded: inner)
        else { return .refused }
        return isSent ? .sent(message) : .received(message)
    }
}

extension Presence {
    /// The name that the sender would like to be called (XEP-0172).
    var nickname: String? { payload(PayloadName.nick)?.text }
}

extension RosterEntry {
    /// Reads one item of a roster (RFC 6121 §2.1.2); nil for one without a valid address, and for one to remove.
    init?(item: Element) {
        guard item.localName == "item", let jid = RosterEntry.address(of: item), item["subscription"] != "remove"
        else { return nil }
        var groups: [String] = []
        for child in item.children where child.localName == "group" {
            let name = child.text
            if !name.isEmpty, !groups.contains(name) { groups.append(name) }
        }
        self.init(
            jid: jid, name: item["name"].flatMap { $0.isEmpty ? nil : $0 },
            subscription: item["subscription"].flatMap(Contact.Subscription.init(rawValue:)) ?? .none,
            isAsked: item["ask"] == "subscribe", isApproved: item["approved"] == "true" || item["approved"] == "1",
            groups: groups.sorted())
    }

    static func address(of item: Element) -> String? {
        item["jid"].flatMap { JID(wire: $0) }?.description
    }
}
