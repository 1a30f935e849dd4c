// SPDX-License-Identifier: Apache-2.0

/// What a presence meant for one address: resources come, change and go (RFC 6121 §4).
public enum PresenceChange: Sendable, Hashable {
    /// A resource can be reached that could not.
    case came(ResourcePresence)
    /// A resource says something else now.
    case changed(ResourcePresence, before: ResourcePresence)
    /// Resources can no longer be reached: one, or all of the address; the text is what was said with it.
    case left([ResourcePresence], farewell: String?)
    /// A server says that the presence cannot be known.
    case failed(StanzaError)
}

extension PresenceTracker {
    /// Notes a presence as ``received(_:)`` does, and says what it meant; nil when it meant nothing new.
    public mutating func follow(_ presence: Presence) -> PresenceChange? {
        guard let from = presence.from else { return nil }
        let before = resources(of: from)
        guard received(presence) != nil else { return nil }
        let after = resources(of: from)
        switch presence.kind {
        case .available:
            guard let now = after.first(where: { $0.jid == from }) else { return nil }
            guard let old = before.first(where: { $0.jid == from }) else { return .came(now) }
            return old.says(sameAs: now) ? nil : .changed(now, before: old)
        case .error: return presence.error.map { .failed($0) }
        default:
            let gone = before.filter { old in !after.contains { $0.jid == old.jid } }
            return gone.isEmpty && presence.status == nil ? nil : .left(gone, farewell: presence.status)
        }
    }

    /// The resources that take messages to the bare address, the best first: those without a negative priority
    /// (RFC 6121 §4.7.2.3).
    public func receivers(of jid: JID) -> [ResourcePresence] { resources(of: jid).filter { $0.priority >= 0 } }
}

extension ResourcePresence {
    /// Whether both say the same; which came later does not matter.
    fileprivate func says(sameAs other: ResourcePresence) -> Bool {
        show == other.show && status == other.status && priority == other.priority && since == other.since
    }
}
