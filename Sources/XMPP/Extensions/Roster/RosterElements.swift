// SPDX-License-Identifier: Apache-2.0

/// The names of the roster protocol (RFC 6121 §2).
package enum Roster {
    package static let namespace = "jabber:iq:roster"
    package static let query = XMLName("query", namespace)
    static let group = XMLName("group", namespace)

    /// §2.1.3 and §2.6.2: asks for the list; `version` goes out only where the server keeps versions.
    static func request(version: String?) -> Element { Element(query, attributes: ["ver": version]) }

    /// §2.3 and §2.4: adds or changes one item.
    static func set(_ item: RosterItem) -> Element { Element(query, children: [item.element]) }

    /// §2.5: takes one item out.
    static func remove(_ jid: JID) -> Element {
        Element(
            query,
            children: [
                Element(RosterItem.name, attributes: ["jid": jid.description, "subscription": "remove"])
            ])
    }
}

/// The answer to a request for the contact list (RFC 6121 §2.1.4, §2.6.3).
public enum RosterFetch: Sendable, Hashable {
    /// The list is as it was in the version that was asked about; changes may follow as pushes.
    case unchanged
    /// The whole list: replace the one of before in one step. The version is opaque, nil when the server keeps none.
    case items([RosterItem], version: String?)

    /// Reads the answer; nil when it is none.
    ///
    /// Items without a valid address are left out; of two for one address the later counts.
    package init?(_ reply: IQ, askedVersion: String?) {
        guard reply.kind == .result else { return nil }
        guard let query = reply.payload else {
            self = askedVersion?.isEmpty ?? true ? .items([], version: nil) : .unchanged
            return
        }
        guard query.matches(Roster.query) else { return nil }
        var items: [RosterItem] = []
        var places: [JID: Int] = [:]
        for child in query.children(RosterItem.name) {
            guard let item = RosterItem(child) else { continue }
            if let place = places[item.jid] {
                items[place] = item
            } else {
                places[item.jid] = items.count
                items.append(item)
            }
        }
        self = .items(items, version: query["ver"])
    }
}

/// A change of the contact list that the server announces (RFC 6121 §2.1.6).
public struct RosterPush: Sendable, Hashable {
    /// What changed.
    public enum Change: Sendable, Hashable {
        /// The contact is new or looks like this now.
        case set(RosterItem)
        /// The contact is gone; nothing to do for one that was not there.
        case removed(JID)
    }

    /// What changed.
    public let change: Change
    /// The version after the change; nil says nothing, so the stored one stays (RFC 6121 §2.6.3).
    public let version: String?

    /// The address that changed.
    public var jid: JID {
        switch change {
        case .set(let item): item.jid
        case .removed(let jid): jid
        }
    }

    /// Reads a query with exactly one item (RFC 6121 §2.1.6); nil otherwise.
    package init?(query: Element) {
        guard query.matches(Roster.query), let item = query.onlyChild(RosterItem.name) else { return nil }
        if item.attributeEquals("subscription", "remove") {
            guard let jid = item.address("jid") else { return nil }
            change = .removed(jid)
        } else {
            guard let item = RosterItem(item) else { return nil }
            change = .set(item)
        }
        version = query["ver"]
    }
}
