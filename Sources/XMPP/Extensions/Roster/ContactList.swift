// SPDX-License-Identifier: Apache-2.0

/// The contact list as it is now (RFC 6121 §2).
///
/// It begins with what was kept, takes a ``RosterFetch`` as a whole and each ``RosterPush`` after it, and says what
/// changed. Requests of others to see one's presence are not in it. A value, owned by whoever keeps it.
public struct ContactList: Sendable, Hashable {
    /// What a step changed; nothing when all is empty.
    public struct Changes: Sendable, Hashable {
        /// Contacts that are new.
        public var added: [JID] = []
        /// Contacts that look different now.
        public var changed: [JID] = []
        /// Contacts that are gone; what was written with them stays where it is.
        public var removed: [JID] = []

        /// Whether nothing changed.
        public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
    }

    private var items: [JID: RosterItem] = [:]
    /// The version to ask for next time, nil when the server keeps none.
    public private(set) var version: String?

    /// Makes a list of what was kept; of two items for one address the later counts.
    public init(_ items: some Sequence<RosterItem> = [], version: String? = nil) {
        for item in items { self.items[item.jid] = item }
        self.version = version
    }

    /// How many contacts there are.
    public var count: Int { items.count }

    /// What the list says about an address; the resource does not matter.
    public subscript(jid: JID) -> RosterItem? { items[jid] ?? items[jid.bare] }

    /// All contacts, in no order.
    public var contacts: some Collection<RosterItem> & Sendable { items.values }

    /// Takes what the server answered; the whole list changes in one step (B70).
    public mutating func apply(_ fetch: RosterFetch) -> Changes {
        guard case .items(let list, let version) = fetch else { return Changes() }
        var changes = Changes()
        var new: [JID: RosterItem] = [:]
        new.reserveCapacity(list.count)
        for item in list {
            // Of two for one address the later counts, and it is told once.
            let isFirst = new.updateValue(item, forKey: item.jid) == nil
            guard isFirst else { continue }
            if let old = items[item.jid] {
                if old != item { changes.changed.append(item.jid) }
            } else {
                changes.added.append(item.jid)
            }
        }
        for jid in items.keys where new[jid] == nil { changes.removed.append(jid) }
        items = new
        self.version = version
        return changes
    }

    /// Takes a change that the server told of.
    ///
    /// A push without a version keeps the one of before (B66); taking out a contact who is not there changes nothing
    /// (B68).
    public mutating func apply(_ push: RosterPush) -> Changes {
        if let version = push.version { self.version = version }
        var changes = Changes()
        switch push.change {
        case .set(let item):
            let old = items.updateValue(item, forKey: item.jid)
            if old == nil { changes.added = [item.jid] } else if old != item { changes.changed = [item.jid] }
        case .removed(let jid):
            if items.removeValue(forKey: jid) != nil { changes.removed = [jid] }
        }
        return changes
    }
}

extension ContactList {
    /// The names of all groups, sorted.
    public var groups: [String] { Set(items.values.lazy.flatMap(\.groups)).sorted() }

    /// The contacts of a group, nil for those who are in none; in no order.
    public func contacts(in group: String?) -> [RosterItem] {
        guard let group else { return items.values.filter(\.groups.isEmpty) }
        return items.values.filter { $0.groups.contains(group) }
    }

    /// The items to set so that a group has another name; an empty name takes the group away (RFC 6121 §2.1.2.6).
    ///
    /// Send them with ``XMPPSession/setRosterItems(_:)``. Where there is a group of the new name both become one.
    public func renaming(group: String, to name: String) -> [RosterItem] {
        guard group != name else { return [] }
        return contacts(in: group).map { item in
            var item = item
            var names: [String] = []
            for own in item.groups {
                let new = own == group ? name : own
                if !new.isEmpty, !names.contains(new) { names.append(new) }
            }
            item.groups = names
            return item
        }
    }
}
