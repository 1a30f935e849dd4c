// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// One entry of a roster as the database has it.
struct RosterEntry: Hashable {
    var jid: String
    var name: String?
    var subscription: Contact.Subscription
    var isAsked: Bool
    var isApproved: Bool
    /// Sorted.
    var groups: [String]
}

extension RosterEntry {
    init(_ item: RosterItem) {
        self.init(
            jid: item.jid.description, name: item.name,
            subscription: Contact.Subscription(rawValue: item.subscription.rawValue) ?? .none,
            isAsked: item.isRequested, isApproved: item.isApproved, groups: item.groups.sorted())
    }
}
