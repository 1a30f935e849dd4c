// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    package nonisolated func contacts(account: String?) async throws(ChatAPIError) -> [ContactSummary] {
        let jid = try await optionalAccount(account)
        return try await asking { () async throws(ChatError) in
            try await core.contacts(account: jid).map { ContactSummary($0) }
        }
    }

    package nonisolated func addContact(_ request: ChatAPI.ContactRequest) async throws(ChatAPIError) -> ContactSummary
    {
        let account = try await account(request.account)
        let peer = try peer(request.address, account)
        return try await asking { () async throws(ChatError) in
            if let token = request.token {
                let link = XMPPLink(peer, .addContact(.init(token: token)))
                try await core.acceptInvitation(link, account: account, name: request.name, groups: request.groups)
            } else {
                try await core.addContact(
                    peer, account: account, name: request.name, groups: request.groups, subscribes: request.subscribes)
            }
            let contact = try await core.contacts(account: account).first { $0.jid == peer }
            // The server says in its own time that the list changed.
            return contact.map { ContactSummary($0) }
                ?? ContactSummary(
                    account: account.description, address: peer.description, name: request.name,
                    groups: request.groups, isAsked: request.subscribes)
        }
    }

    package nonisolated func removeContact(_ request: ChatAPI.ContactRequest) async throws(ChatAPIError) {
        let account = try await account(request.account)
        let peer = try peer(request.address, account)
        try await asking { () async throws(ChatError) in try await core.removeContact(peer, account: account) }
    }

    package nonisolated func requests(account: String?) async throws(ChatAPIError) -> [RequestSummary] {
        let jid = try await optionalAccount(account)
        return try await asking { () async throws(ChatError) in
            try await core.requests(account: jid).map { RequestSummary($0) }
                + core.invitations(account: jid).map { RequestSummary($0) }
        }
    }

    package nonisolated func answer(_ request: AnswerRequest) async throws(ChatAPIError) {
        let named: JID
        if let given = request.account {
            named = try await account(given)
        } else {
            // Without an account, the one that was asked.
            let asked = try await asking { () async throws(ChatError) in
                try await core.requests().filter { $0.jid.description == request.address }.map(\.account)
                    + core.invitations().filter { $0.room.description == request.address }.map(\.account)
            }
            named = asked.count == 1 ? asked[0] : try await account(nil)
        }
        let peer = try peer(request.address, named)
        try await asking { () async throws(ChatError) in
            if try await core.invitations(account: named).contains(where: { $0.room == peer }) {
                if request.accepts {
                    try await core.joinRoom(peer, account: named)
                } else {
                    try await core.declineInvitation(to: peer, account: named)
                }
            } else if request.accepts {
                try await core.acceptRequest(from: peer, account: named, addsBack: request.addsBack)
            } else {
                try await core.declineRequest(from: peer, account: named)
            }
        }
    }

    nonisolated func optionalAccount(_ address: String?) async throws(ChatAPIError) -> JID? {
        guard let address else { return nil }
        return try await self.account(address)
    }
}
