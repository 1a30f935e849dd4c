// SPDX-License-Identifier: Apache-2.0

/// What one resource of a contact last said about itself (RFC 6121 §4.7).
public struct ResourcePresence: Sendable, Hashable {
    /// The address of the resource.
    public let jid: JID
    /// How reachable it is, nil for plainly available.
    public let show: Presence.Show?
    /// A text that explains it.
    public let status: String?
    /// Its priority, -128 to 127; a negative one takes no messages to the bare address.
    public let priority: Int8
    /// When the presence was sent, where it was held back.
    public let since: DateTime?
    /// The order of arrival, to tell the later of two equals.
    let order: UInt64

    /// Higher is better: priority first, then how reachable, then which came last (RFC 6121 §4.7.2.3, §8.5.2.1).
    fileprivate var rank: (Int8, Int, UInt64) { (priority, show.availability, order) }
}

extension Presence.Show? {
    /// From 0, hardly reachable, to 4, waiting for somebody to chat.
    fileprivate var availability: Int {
        switch self {
        case .extendedAway: 0
        case .doNotDisturb: 1
        case .away: 2
        case nil: 3
        case .chat: 4
        }
    }
}

/// Who can be reached now, by which resources.
///
/// Presence belongs to one session: after a loss everybody counts as offline, until the session is resumed and things
/// are as they were, or a new one says anew who is there (XEP-0198 §5). A value, owned by whoever keeps it.
public struct PresenceTracker: Sendable, Hashable {
    /// So many resources of one address are kept; the worst of more is left out.
    public static let resourcesPerAddress = 64
    /// So many addresses are kept; presences of further ones are left out.
    public static let capacity = 100_000

    private struct Entry: Sendable, Hashable {
        var resources: [ResourcePresence] = []
        var farewell: String?
        var error: StanzaError?
    }

    private var entries: [JID: Entry] = [:]
    private var order: UInt64 = 0
    private var isSuspended = false

    /// Makes a tracker that knows nobody.
    public init() {}

    /// Notes a presence, and gives the bare address if what is known about it may have changed.
    ///
    /// Subscription requests and answers change nothing: the contact list does that.
    @discardableResult
    public mutating func received(_ presence: Presence) -> JID? {
        guard let from = presence.from else { return nil }
        let bare = from.bare
        guard entries.count < Self.capacity || entries[bare] != nil else { return nil }
        switch presence.kind {
        case .available:
            order &+= 1
            var entry = entries[bare] ?? Entry()
            entry.resources.removeAll { $0.jid == from }
            entry.resources.append(
                ResourcePresence(
                    jid: from, show: presence.show, status: presence.status, priority: presence.priority,
                    since: presence.delay?.stamp, order: order))
            entry.resources.sort { $0.rank > $1.rank }
            if entry.resources.count > Self.resourcesPerAddress { entry.resources.removeLast() }
            entry.farewell = nil
            entry.error = nil
            entries[bare] = entry
        case .unavailable: leave(from, text: presence.status, error: nil)
        case .error: leave(from, text: nil, error: presence.error)
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe: return nil
        }
        return bare
    }

    /// One resource left; a bare address stands for all of them.
    private mutating func leave(_ jid: JID, text: String?, error: StanzaError?) {
        guard var entry = entries[jid.bare] ?? (text != nil || error != nil ? Entry() : nil) else { return }
        if jid.isBare { entry.resources = [] } else { entry.resources.removeAll { $0.jid == jid } }
        entry.farewell = entry.resources.isEmpty ? text : nil
        entry.error = error
        let isEmpty = entry.resources.isEmpty && entry.farewell == nil && entry.error == nil
        entries[jid.bare] = isEmpty ? nil : entry
    }

    /// Follows the session: nobody is there while the connection is lost, nor after it ended.
    public mutating func handle(_ event: SessionEvent) {
        switch event {
        case .online(_, let isResumed): isResumed ? isSuspended = false : forget()
        case .interrupted: isSuspended = true
        case .ended: forget()
        default: break
        }
    }

    /// Forgets an address: a contact who was taken out of the list, or an occupant of a room that was left.
    public mutating func forget(_ jid: JID) { entries[jid.bare] = nil }

    /// Forgets everybody: the session is over, or a contact list begins anew.
    public mutating func forget() {
        entries = [:]
        isSuspended = false
    }
}

extension PresenceTracker {
    /// The available resources of an address, the best first: by priority, then by how reachable they are, then by
    /// which spoke last.
    public func resources(of jid: JID) -> [ResourcePresence] {
        isSuspended ? [] : entries[jid.bare]?.resources ?? []
    }

    /// The resource that stands for the contact, nil when it is offline.
    public func best(of jid: JID) -> ResourcePresence? { resources(of: jid).first }

    /// Whether any resource of the address is available.
    public func isAvailable(_ jid: JID) -> Bool { best(of: jid) != nil }

    /// What the contact said when it left.
    public func farewell(of jid: JID) -> String? { isSuspended ? nil : entries[jid.bare]?.farewell }

    /// Why the contact's presence cannot be known, as a server said; nil when none did.
    public func error(of jid: JID) -> StanzaError? { isSuspended ? nil : entries[jid.bare]?.error }

    /// Everybody who is available, in no order.
    public var available: [JID] {
        isSuspended ? [] : entries.compactMap { $0.value.resources.isEmpty ? nil : $0.key }
    }
}
