// SPDX-License-Identifier: Apache-2.0

/// The commands of XEP-0401.
enum InvitationCommand {
    static let invite = "urn:xmpp:invite#invite"
    static let createAccount = "urn:xmpp:invite#create-account"
}

/// Which invitations one's server makes (XEP-0401 §3).
public struct InvitationSupport: Sendable, Hashable {
    /// Whether it invites people to become contacts.
    public let invitesContacts: Bool
    /// Whether this account may invite people to the server.
    public let invitesToServer: Bool
}

extension XMPPSession {
    /// Asks which invitations one's server makes (XEP-0401 §3).
    ///
    /// Throws ``XMPPError``; a server without commands makes none. Cancelling ends the wait.
    public func invitationSupport() async throws -> InvitationSupport {
        let items: [DiscoItem]
        do {
            items = try await commands(of: try serverAddress())
        } catch let error as XMPPError where error.stanzaError != nil {
            items = []
        }
        let nodes = Set(items.compactMap(\.node))
        return InvitationSupport(
            invitesContacts: nodes.contains(InvitationCommand.invite),
            invitesToServer: nodes.contains(InvitationCommand.createAccount))
    }

    /// Has the server make an invitation to become one's contact (XEP-0401 §5.1).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` when the server makes none: give out one of ``InvitationBook`` then.
    /// Cancelling ends the wait.
    public func createInvitation() async throws -> Invitation {
        try Self.invitation(in: try await runCommand(InvitationCommand.invite, at: try serverAddress()))
    }

    /// Has the server make an invitation to have an account there (XEP-0401 §5.4).
    ///
    /// Throws ``XMPPError``: `invalidArgument` when the server insists on a user name, else with its ``StanzaError``.
    /// Cancelling ends the wait.
    /// - Parameters:
    ///   - username: The name of the account, nil to leave it to the guest.
    ///   - becomesContact: Whether both become contacts of each other.
    ///     Defaults to true.
    public func createAccountInvitation(
        username: String? = nil, becomesContact: Bool = true
    ) async throws -> Invitation {
        let first = try await runCommand(InvitationCommand.createAccount, at: try serverAddress())
        guard first.status == .executing else { return try Self.invitation(in: first) }
        guard let form = first.form else {
            throw XMPPError(.invalidReply, "the server asks nothing, and gives no invitation")
        }
        var values: [String: [String]] = [:]
        if let username { values["username"] = [username] }
        if form["roster-subscription"] != nil { values["roster-subscription"] = [becomesContact ? "true" : "false"] }
        let missing = form.missing(in: values).map(\.title)
        guard missing.isEmpty else {
            throw XMPPError(.invalidArgument, "the server also needs: \(missing.joined(separator: ", "))")
        }
        let action: CommandStep.Action = first.actions.contains(.complete) ? .complete : .execute
        return try Self.invitation(in: try await continueCommand(first, action, with: values))
    }

    private static func invitation(in step: CommandStep) throws(XMPPError) -> Invitation {
        guard step.status == .completed, let invitation = step.form.flatMap({ Invitation($0) }) else {
            let words = step.notes.map(\.text).joined(separator: " ").prefix(500)
            throw XMPPError(.invalidReply, "the server gave no invitation\(words.isEmpty ? "" : ": \(words)")")
        }
        return invitation
    }

    /// Accepts an invitation to become somebody's contact, after the person has said so (XEP-0379 §3.4, T158).
    ///
    /// Puts the address into the contact list, approves it beforehand where the server can, and asks to see its presence
    /// with the token of the invitation. Gives whether the other side's request will be granted by the server; where not,
    /// note them with ``InvitationBook/expect(_:now:lifetime:)``. Whether they let one see their presence at once is up to them.
    ///
    /// Throws ``XMPPError``: `invalidArgument` for a link of another kind, `yourself`, else as ``request(_:timeout:)`` does;
    /// what came before an error is done. Cancelling ends it between the steps.
    /// - Parameters:
    ///   - link: The link.
    ///   - name: What to call the contact, as the person has confirmed it; nil for the address.
    ///   - groups: The groups to put them in.
    @discardableResult
    public func accept(_ link: XMPPLink, name: String? = nil, groups: [String] = []) async throws -> Bool {
        guard case .addContact(let introduction) = link.action, let jid = link.jid?.bare else {
            throw XMPPError(.invalidArgument, "the link is no invitation to become a contact")
        }
        guard let own = self.jid else { throw XMPPError.offline }
        var request = try Presence.subscriptionRequest(to: jid, own: own, known: nil)
        request.invitationToken = introduction.token
        try await setRosterItem(jid, name: name, groups: groups)
        let approves = streamFeatures.offersPreApproval
        if approves { try await approveSubscription(of: jid) }
        try await send(request)
        return approves
    }
}
