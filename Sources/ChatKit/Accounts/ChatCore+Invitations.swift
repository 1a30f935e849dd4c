// SPDX-License-Identifier: Apache-2.0
public import XMPP

extension ChatCore {
    /// Has an invitation made: to become the account's contact, or to have an account on its server.
    ///
    /// A server that makes no invitations to become a contact gets none that it would grant by itself: the link names
    /// the account then, and whoever opens it asks as anybody else does.
    ///
    /// - Parameters:
    ///   - account: The account that invites.
    ///   - toServer: Whether the guest is to have an account on the same server.
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed` when the server makes no accounts by
    ///   invitation. Cancelling ends the wait.
    public func createInvitation(account: JID, toServer: Bool = false) async throws(ChatError) -> Invitation {
        let runner = try runner(account)
        do {
            let link = try runner.onlineLink(await runner.link)
            if toServer { return try await link.createAccountInvitation(username: nil, becomesContact: true) }
            do {
                return try await link.createInvitation()
            } catch let error as XMPPError where error.code != .disconnected {
                return Invitation(link: XMPPLink(runner.jid, .addContact(.init())))
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// Accepts an invitation to become somebody's contact, after the user has said so.
    ///
    /// Returns when the server has taken it; the other side's server grants what the invitation promises.
    ///
    /// - Parameters:
    ///   - invitation: The link.
    ///   - account: The account that accepts it.
    ///   - name: What to call the contact.
    ///   - groups: The groups to put them in.
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `cannotAddYourself`.
    public func acceptInvitation(
        _ invitation: XMPPLink, account: JID, name: String? = nil, groups: [String] = []
    ) async throws(ChatError) {
        let runner = try runner(account)
        guard invitation.jid?.bare != runner.jid else {
            throw ChatError(.cannotAddYourself, "\(runner.jid) is your own address")
        }
        do {
            let link = try runner.onlineLink(await runner.link)
            _ = try await link.accept(invitation, name: name, groups: groups)
        } catch {
            throw ChatError(error)
        }
    }
}
