// SPDX-License-Identifier: Apache-2.0

/// Who was told one's presence by name, beside the contacts who see it anyway (RFC 6121 §4.6).
///
/// They do not hear of changes: ``updates(_:)`` gives what to send them. They hear of the end from one's server. A value,
/// owned by whoever keeps it; a new stream begins with an empty one.
public struct DirectedPresences: Sendable, Hashable {
    /// The addresses that were told, in no order.
    public private(set) var addresses: Set<JID> = []

    /// Makes one without addresses.
    public init() {}

    /// Notes a presence that is sent; one to nobody in particular changes nothing, but going offline ends it all.
    public mutating func sent(_ presence: Presence) {
        guard let to = presence.to else {
            if presence.kind == .unavailable { addresses = [] }
            return
        }
        switch presence.kind {
        case .available: addresses.insert(to)
        case .unavailable: addresses.remove(to)
        default: break
        }
    }

    /// Notes a presence that came: whoever left, or cannot be reached, is not told any more (RFC 6121 §4.6.3).
    public mutating func received(_ presence: Presence) {
        guard let from = presence.from, presence.kind == .unavailable || presence.kind == .error else { return }
        addresses.remove(from)
    }

    /// The same presence for each of them, sorted by address.
    public func updates(_ presence: Presence) -> [Presence] {
        guard presence.kind == .available else { return [] }
        return addresses.sorted().map { jid in
            var copy = presence
            copy.to = jid
            return copy
        }
    }
}

extension Presence {
    /// Asks the server of a contact for their presence now (RFC 6121 §4.3).
    ///
    /// Servers ask by themselves at each login; this is for when one seems to have been lost. Many servers take no such
    /// question from a client. What others ask is answered by one's own server, never here.
    public static func probe(of jid: JID) -> Presence { Presence(.probe, to: jid.bare) }
}
