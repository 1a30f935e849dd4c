// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The invitations that a program has given out by itself, for servers that give none (XEP-0379), and whom it expects.
///
/// Each is good once, for one person, for a limited time. A value, owned by whoever keeps it; keep it where other people
/// cannot read it.
public struct InvitationBook: Sendable, Hashable, Codable {
    /// So many invitations are kept; the oldest go first.
    public static let capacity = 1000

    private struct Entry: Sendable, Hashable, Codable {
        var expires: DateTime
        var jid: JID?
    }

    private var given: [String: Entry] = [:]
    private var expected: [JID: DateTime] = [:]

    /// Makes an empty book.
    public init() {}

    /// Gives out an invitation to become a contact (XEP-0379 §3.2).
    /// - Parameters:
    ///   - own: One's own address.
    ///   - name: What to be called.
    ///   - guest: Whom it is for, if that is known: nobody else can use it then.
    ///   - now: The time.
    ///   - lifetime: How long it is good.
    ///     Defaults to a week.
    public mutating func give(
        from own: JID, name: String? = nil, to guest: JID? = nil, now: DateTime, lifetime: Duration = .seconds(604_800)
    ) -> Invitation {
        give(from: own, name: name, to: guest, now: now, lifetime: lifetime, token: randomToken())
    }

    package mutating func give(
        from own: JID, name: String?, to guest: JID?, now: DateTime, lifetime: Duration, token: String
    ) -> Invitation {
        let expires = DateTime(seconds: now.seconds &+ lifetime.components.seconds)
        given = given.filter { $0.value.expires > now }
        if given.count >= Self.capacity, let oldest = given.min(by: { $0.value.expires < $1.value.expires }) {
            given[oldest.key] = nil
        }
        given[token] = Entry(expires: expires, jid: guest?.bare)
        return Invitation(
            link: XMPPLink(own.bare, .addContact(.init(name: name, token: token))), expires: expires)
    }

    /// Looks whether a request answers an invitation of this book, and takes it out if so; true to let the sender see one's
    /// presence at once, and ask to see theirs.
    ///
    /// Any other request goes the usual way, to the user (XEP-0379 §4.1). Put the new contact into the list under the address,
    /// not under a name of theirs.
    public mutating func redeem(_ request: Presence, now: DateTime) -> Bool {
        guard let token = request.invitationToken, let from = request.from?.bare, let entry = given[token],
            entry.expires > now, entry.jid == nil || entry.jid == from
        else { return false }
        given[token] = nil
        return true
    }

    /// Notes that one has accepted an invitation, and so expects a request of the other side (XEP-0379 §3.4).
    ///
    /// Only where the server cannot approve it beforehand; see ``XMPPSession/accept(_:name:groups:)``.
    public mutating func expect(_ jid: JID, now: DateTime, lifetime: Duration = .seconds(604_800)) {
        expected = expected.filter { $0.value > now }
        guard expected.count < Self.capacity else { return }
        expected[jid.bare] = DateTime(seconds: now.seconds &+ lifetime.components.seconds)
    }

    /// Looks whether a request is one that was expected, and forgets it if so; true to accept it at once.
    public mutating func isExpected(_ request: Presence, now: DateTime) -> Bool {
        guard request.kind == .subscribe, let from = request.from?.bare, let end = expected[from], end > now else {
            return false
        }
        expected[from] = nil
        return true
    }
}
