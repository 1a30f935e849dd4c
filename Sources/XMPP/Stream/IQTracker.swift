// SPDX-License-Identifier: Apache-2.0

/// Which requests are open, and which reply answers which (RFC 6120 §8.1.2.1 and §8.2.3).
///
/// A reply is matched on id *and* sender. `Token` is whatever the session keeps for the one who waits.
package struct IQTracker<Token: Sendable>: Sendable {
    private struct Pending {
        var to: JID?
        var token: Token
    }

    private var pending: [String: Pending] = [:]

    package init() {}

    package var count: Int { pending.count }

    /// Notes a request; false when one with that id is open already.
    package mutating func open(id: String, to: JID?, token: Token) -> Bool {
        guard pending[id] == nil else { return false }
        pending[id] = Pending(to: to, token: token)
        return true
    }

    /// Whether a request with that id is open, whoever it went to.
    package func isOpen(id: String) -> Bool { pending[id] != nil }

    /// The one who waits for this reply; nil when nobody does, or when the sender is not the one that was asked.
    ///
    /// `own` is nil as long as no address is bound: then only the server can talk to us.
    package mutating func complete(id: String, from: JID?, own: JID?, domain: JID) -> Token? {
        guard let request = pending[id], Self.accepts(from, for: request.to, own: own, domain: domain) else {
            return nil
        }
        pending[id] = nil
        return request.token
    }

    /// Gives up one request: it timed out or was cancelled.
    package mutating func close(id: String) -> Token? { pending.removeValue(forKey: id)?.token }

    /// Gives up all requests.
    package mutating func closeAll() -> [Token] {
        defer { pending = [:] }
        return pending.values.map(\.token)
    }

    /// T070, B61: a request to one's own account may be answered without `from`, by the bare or full own address, and
    /// one without `to` by the domain as well; everybody else answers as exactly the address that was asked.
    private static func accepts(_ from: JID?, for to: JID?, own: JID?, domain: JID) -> Bool {
        guard let own else { return from == nil || from == domain || from == to }
        guard let to else { return from == nil || from == own || from == own.bare || from == domain }
        if to == own.bare { return from == nil || from == own || from == to }
        return from == to
    }
}
