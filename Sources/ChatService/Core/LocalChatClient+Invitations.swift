// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    package nonisolated func setEnabled(_ request: EnableRequest) async throws(ChatAPIError) -> AccountSummary {
        let account = try await account(request.address)
        return try await asking { () async throws(ChatError) in
            try await core.setEnabled(request.isEnabled, account: account)
            if request.isEnabled { try await core.connectAll() }
            return AccountSummary(try await core.account(account))
        }
    }

    package nonisolated func changeContact(
        _ request: ChatAPI.ContactRequest
    ) async throws(ChatAPIError) -> ContactSummary {
        let account = try await account(request.account)
        let peer = try peer(request.address, account)
        return try await asking { () async throws(ChatError) in
            try await core.changeContact(peer, account: account, name: request.name, groups: request.groups)
            let known = try await core.contacts(account: account).first { $0.jid == peer }
            // The server says in its own time that the list changed.
            var contact =
                known.map { ContactSummary($0) }
                ?? ContactSummary(account: account.description, address: peer.description)
            contact.name = request.name
            contact.groups = request.groups
            return contact
        }
    }

    package nonisolated func createInvitation(
        _ request: InvitationRequest
    ) async throws(ChatAPIError) -> InvitationItem {
        let account = try await account(request.account)
        return try await asking { () async throws(ChatError) in
            let invitation = try await core.createInvitation(account: account, toServer: request.kind == .account)
            return InvitationItem(
                account: account.description, link: invitation.link.description, page: invitation.page,
                expires: invitation.expires.map { Timestamp(milliseconds: $0.seconds &* 1000) },
                isGranted: invitation.link.token != nil)
        }
    }
}

extension XMPPLink {
    /// What an invitation proves itself with.
    var token: String? {
        switch action {
        case .addContact(let introduction): introduction.token
        case .register(let token): token
        default: nil
        }
    }
}
