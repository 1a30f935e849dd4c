// SPDX-License-Identifier: Apache-2.0

/// The names of XEP-0191.
package enum Blocking {
    package static let namespace = "urn:xmpp:blocking"
    static let list = XMLName("blocklist", namespace)
    static let block = XMLName("block", namespace)
    static let unblock = XMLName("unblock", namespace)
    static let item = XMLName("item", namespace)
    /// §3.3: why a message to somebody blocked came back.
    static let blocked = XMLName("blocked", "urn:xmpp:blocking:errors")

    /// The addresses in a list; those that are none are left out.
    static func addresses(_ element: Element) -> [JID] {
        element.children(item).compactMap { $0.address("jid") }
    }

    static func element(_ name: XMLName, _ addresses: [JID], report: AbuseReport? = nil) -> Element {
        Element(
            name,
            children: addresses.map { jid in
                Element(
                    item, attributes: ["jid": jid.description], children: report.map { [$0.element] } ?? [])
            })
    }
}

/// A change of the list of blocked addresses that the server tells of (XEP-0191 §3.3, §3.4).
public enum BlockPush: Sendable, Hashable {
    /// These are blocked now, beside those of before.
    case blocked([JID])
    /// These no longer are.
    case unblocked([JID])
    /// Nobody is blocked any more.
    case unblockedAll
}

extension IQ {
    /// The change of the list of blocked addresses that this request tells of; nil when it tells of none, or is forged.
    ///
    /// Only one's own account may change one's own state: the sender is absent or exactly the bare own address (T075).
    /// - Parameter account: One's own address; a resource in it does not matter.
    public func blockPush(for account: JID) -> BlockPush? {
        guard kind == .set, from == nil || from == account.bare, let payload else { return nil }
        if payload.matches(Blocking.block) {
            let addresses = Blocking.addresses(payload)
            return addresses.isEmpty ? nil : .blocked(addresses)
        }
        guard payload.matches(Blocking.unblock) else { return nil }
        let addresses = Blocking.addresses(payload)
        guard addresses.isEmpty else { return .unblocked(addresses) }
        // Items that cannot be read must not stand for everybody.
        return payload.children.isEmpty ? .unblockedAll : nil
    }
}
