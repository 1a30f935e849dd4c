// SPDX-License-Identifier: Apache-2.0

/// Who is blocked (XEP-0191).
///
/// A value, owned by whoever keeps it: take it from ``XMPPSession/fetchBlockList()`` on each new stream, and ``apply(_:)``
/// what the server tells of after that.
public struct BlockList: Sendable, Hashable {
    /// The blocked addresses, in no order.
    public private(set) var addresses: Set<JID>

    /// Makes a list.
    public init(_ addresses: some Sequence<JID> = []) { self.addresses = Set(addresses) }

    /// Follows a change.
    public mutating func apply(_ push: BlockPush) {
        switch push {
        case .blocked(let jids): addresses.formUnion(jids)
        case .unblocked(let jids): addresses.subtract(jids)
        case .unblockedAll: addresses = []
        }
    }

    /// Whether stanzas of this address are kept away (XEP-0191 §6).
    ///
    /// A bare address in the list stands for all its resources, a domain for all that is there.
    public func blocks(_ jid: JID) -> Bool { rule(for: jid) != nil }

    /// The address in the list that is to blame: the one to unblock.
    public func rule(for jid: JID) -> JID? {
        if addresses.contains(jid) { return jid }
        if jid.local != nil, addresses.contains(jid.bare) { return jid.bare }
        // A rule for one resource of a domain does not reach its users, one for the domain does.
        guard let domain = try? JID(local: nil, domain: jid.domain), addresses.contains(domain) else { return nil }
        return domain
    }

    /// Whether a stanza to the address came back because one has blocked it oneself (XEP-0191 §3.3).
    ///
    /// Some servers leave out the element that says so; then the list tells (OF36).
    public func explains(_ error: StanzaError, from jid: JID?) -> Bool {
        if error.isBlocked { return true }
        guard error.condition == .notAcceptable, let jid else { return false }
        return blocks(jid)
    }
}

extension StanzaError {
    /// Whether the other side is blocked by oneself (XEP-0191 §3.3).
    public var isBlocked: Bool { condition == .notAcceptable && application?.matches(Blocking.blocked) == true }
}
