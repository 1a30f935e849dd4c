// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: invitations and push", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerInvitationsTests {
    @Test("a guest gets an account with an invitation, and both see each other", arguments: TestServer.all)
    func guest(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        try await alice.connect()
        guard try await alice.invitationSupport().invitesContacts else {
            #expect(await failureCode { _ = try await alice.createInvitation() } == .requestFailed)
            return await alice.disconnect()
        }
        let invitation = try await alice.createInvitation()
        guard case .addContact(let introduction) = invitation.link.action, let token = introduction.token else {
            Issue.record("no invitation to become a contact: \(invitation.link)")
            return
        }
        let aliceJID = try #require(await alice.jid).bare
        #expect(invitation.link.jid == aliceJID && introduction.permitsRegistration)
        #expect((invitation.expires?.seconds ?? 0) > 1_700_000_000)

        let registration = try await server.openRegistration()
        #expect(await failureCode { try await registration.present(token: "guess") } == .invitationInvalid)
        try await registration.present(token: token)
        let name = "guest-" + SystemRandomness().token().lowercased().filter { $0.isLetter || $0.isNumber }
        let jid = try await registration.register(username: name, password: "secret")
        var list = ContactList()
        _ = list.apply(try await alice.fetchRoster())
        #expect(list[jid]?.subscription == .both)
        let second = try await server.openRegistration()
        #expect(await failureCode { try await second.present(token: token) } == .invitationInvalid)
        await second.close()
        await alice.disconnect()
    }

    @Test("an invitation is accepted by somebody who has an account", arguments: TestServer.all)
    func accepted(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        let bob = server.session(try server.account("bob"))
        let seen = bob.presences()
        try await alice.connect()
        try await bob.connect()
        guard try await alice.invitationSupport().invitesContacts else {
            await alice.disconnect()
            return await bob.disconnect()
        }
        let invitation = try await alice.createInvitation()
        let aliceJID = try #require(await alice.jid).bare
        let isApproved = try await bob.accept(invitation.link, name: "Alice", groups: ["Friends"])
        #expect(isApproved)
        try await RealServerPeopleTests.wait(seen) {
            $0.kind == .available && $0.from?.isSameBare(as: aliceJID) == true
        }
        var list = ContactList()
        _ = list.apply(try await bob.fetchRoster())
        #expect(list[aliceJID]?.name == "Alice" && list[aliceJID]?.subscription == .both)
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("push is switched on and off where the server can", arguments: TestServer.all)
    func push(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        try await alice.connect()
        let service = PushService(jid: try JID("push.\(server.domain)"), node: "n1", options: ["secret": "s"])
        if try await alice.supportsPush() {
            try await alice.enablePush(service)
            try await alice.disablePush(service.jid, node: "n1")
        } else {
            #expect(await failureCode { try await alice.enablePush(service) } == .requestFailed)
        }
        await alice.disconnect()
    }
}
