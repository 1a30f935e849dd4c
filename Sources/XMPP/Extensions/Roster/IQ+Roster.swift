// SPDX-License-Identifier: Apache-2.0

extension IQ {
    /// The change of the contact list that this request announces; nil when it announces none, or is forged.
    ///
    /// Only one's own account may change the list: the sender is absent or exactly the bare own address
    /// (RFC 6121 §2.1.6). One's server, one's other resources and everybody else may not.
    /// - Parameter account: One's own address; a resource in it does not matter.
    public func rosterPush(for account: JID) -> RosterPush? {
        guard kind == .set, from == nil || from == account.bare, let payload else { return nil }
        return RosterPush(query: payload)
    }
}
