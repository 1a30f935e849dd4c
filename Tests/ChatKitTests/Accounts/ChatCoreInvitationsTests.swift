// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Invitations", .timeLimit(.minutes(1)))
struct ChatCoreInvitationsTests {
    @Test("an invitation is the server's where it makes one, and else the account's own address")
    func create() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let contact = try await fixture.core.createInvitation(account: ann)
        guard case .addContact(let introduction) = contact.link.action else {
            Issue.record("\(contact.link) invites to something else")
            return
        }
        #expect(introduction.token == "made")
        #expect(
            try await fixture.core.createInvitation(account: ann, toServer: true).page == "https://invite.example/1")
        link.script { $0.refusal = XMPPError(.requestFailed, "none here") }
        let plain = try await fixture.core.createInvitation(account: ann)
        #expect(plain.link == XMPPLink(ann, .addContact(.init())))
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.createInvitation(account: ann, toServer: true)
        }
        #expect(error?.description == "none here")
    }

    @Test("an invitation is accepted as it came, and one's own is refused")
    func accept() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let invitation = XMPPLink(try JID("bo@example.org"), .addContact(.init(token: "t")))
        try await fixture.core.acceptInvitation(invitation, account: ann, name: "Bo")
        #expect(link.recorded.accepted == [invitation])
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.acceptInvitation(XMPPLink(ann, .addContact(.init())), account: ann)
        }
        #expect(error?.code == .cannotAddYourself)
    }
}
