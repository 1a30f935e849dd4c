// SPDX-License-Identifier: Apache-2.0
import XMPP

@testable import ChatKit

extension FakeLink {
    func createInvitation() async throws -> Invitation {
        if let error = recorded.refusal { throw error }
        return Invitation(link: XMPPLink(account.jid, .addContact(.init(token: "made"))))
    }

    func createAccountInvitation(username: String?, becomesContact: Bool) async throws -> Invitation {
        if let error = recorded.refusal { throw error }
        return Invitation(link: XMPPLink(nil, .register(token: "server")), page: "https://invite.example/1")
    }

    func accept(_ link: XMPPLink, name: String?, groups: [String]) async throws -> Bool {
        if let error = recorded.refusal { throw error }
        script { $0.accepted.append(link) }
        return true
    }
}
