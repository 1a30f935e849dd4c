// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Invitations of a session (XEP-0401, XEP-0379)", .timeLimit(.minutes(1)))
struct XMPPSessionInvitationsTests {
    static func result(_ uri: String) -> String {
        """
        <x xmlns='jabber:x:data' type='result'><field type='hidden' var='FORM_TYPE'>\
        <value>urn:xmpp:invite#invitation</value></field><field var='uri'><value>\(uri)</value></field>\
        <field var='landing-url'><value>https://example.org/invite/#TOKEN</value></field>\
        <field var='expire'><value>2031-11-06T02:56:15Z</value></field></x>
        """
    }

    func command(_ node: String, _ status: String, _ content: String, session: String = "s1") -> String {
        "<command xmlns='http://jabber.org/protocol/commands' node='\(node)' status='\(status)' sessionid='\(session)'>"
            + "\(content)</command>"
    }

    @Test("the server says which invitations it makes, and one without commands makes none")
    func support() async throws {
        let online = try await OnlineSession()
        async let some = online.session.invitationSupport()
        let get = await online.answer(
            """
            <query xmlns='http://jabber.org/protocol/disco#items' node='http://jabber.org/protocol/commands'>\
            <item jid='example.org' node='urn:xmpp:invite#invite' name='Invite user'/></query>
            """)
        #expect(get?["to"] == "example.org")
        let support = try await some
        #expect(support.invitesContacts && !support.invitesToServer)
        async let none = online.session.invitationSupport()
        await online.refuse("service-unavailable")
        #expect(try await !none.invitesContacts)
        await online.end()
    }

    @Test("an invitation to become a contact is made in one step")
    func contact() async throws {
        let online = try await OnlineSession()
        async let creating = online.session.createInvitation()
        let set = await online.answer(
            command(
                "urn:xmpp:invite#invite", "completed", Self.result("xmpp:juliet@example.org?roster;preauth=T;ibr=y")))
        #expect(set?["to"] == "example.org" && set?.children.first?["node"] == "urn:xmpp:invite#invite")
        let invitation = try await creating
        #expect(invitation.link.action == .addContact(.init(token: "T", permitsRegistration: true)))
        #expect(invitation.page == "https://example.org/invite/#TOKEN")
        #expect(invitation.expires?.description == "2031-11-06T02:56:15Z")
        async let refused = failureCode { _ = try await online.session.createInvitation() }
        await online.refuse("forbidden", "auth")
        #expect(await refused == .requestFailed)
        async let empty = failureCode { _ = try await online.session.createInvitation() }
        await online.answer(command("urn:xmpp:invite#invite", "completed", "<note type='error'>no more</note>"))
        #expect(await empty == .invalidReply)
        await online.end()
    }

    @Test("an invitation to the server fills in the form")
    func account() async throws {
        let online = try await OnlineSession()
        async let creating = online.session.createAccountInvitation(username: "romeo")
        await online.answer(
            command(
                "urn:xmpp:invite#create-account", "executing",
                """
                <actions execute='complete'><complete/></actions><x xmlns='jabber:x:data' type='form'>\
                <field var='username' label='Username'><required/></field>\
                <field var='roster-subscription' type='boolean'/></x>
                """))
        let set = await online.answer(
            command(
                "urn:xmpp:invite#create-account", "completed",
                Self.result("xmpp:romeo@example.org?register;preauth=T")))
        let form = set?.children.first?.child(DataForm.name).flatMap { DataForm($0) }
        #expect(form?["username"]?.values == ["romeo"] && form?["roster-subscription"]?.values == ["true"])
        let invitation = try await creating
        #expect(invitation.link.action == .register(token: "T") && invitation.link.jid?.local == "romeo")
        async let nameless = failureCode { _ = try await online.session.createAccountInvitation() }
        await online.answer(
            command(
                "urn:xmpp:invite#create-account", "executing",
                "<x xmlns='jabber:x:data' type='form'><field var='username'><required/></field></x>"))
        #expect(await nameless == .invalidArgument)
        await online.end()
    }

    @Test("an accepted invitation adds the contact, approves them beforehand where that goes, and asks with the token")
    func accepted() async throws {
        let online = try await OnlineSession(features: "<sub xmlns='urn:xmpp:features:pre-approval'/>")
        let link = try #require(XMPPLink("xmpp:romeo@montague.net?roster;preauth=T;name=Mal"))
        async let accepting = online.session.accept(link)
        let set = await online.answer()
        let item = set?.children.first?.children.first
        #expect(item?["jid"] == "romeo@montague.net" && item?["name"] == nil)
        let approval = await online.peer.expect("presence")
        #expect(approval?["type"] == "subscribed" && approval?["to"] == "romeo@montague.net")
        let request = await online.peer.expect("presence")
        #expect(request?["type"] == "subscribe")
        #expect(request?.children.first.flatMap { InvitationToken($0) }?.token == "T")
        #expect(try await accepting)
        await online.end()
    }

    @Test("T158 reading links sends nothing, and a link of another kind is not accepted")
    func otherKinds() async throws {
        let online = try await OnlineSession()
        for text in [
            "xmpp:romeo@montague.net?remove", "xmpp:romeo@montague.net?subscribe", "xmpp:romeo@montague.net",
            "xmpp:example.org?register;preauth=x",
        ] {
            let link = try #require(XMPPLink(text))
            #expect(await failureCode { try await online.session.accept(link) } == .invalidArgument)
        }
        let own = try #require(XMPPLink("xmpp:juliet@example.org?roster"))
        #expect(await failureCode { try await online.session.accept(own) } == .yourself)
        await online.settle()
        await online.end()
    }

    @Test("a server that cannot approve beforehand leaves that to the program")
    func unapproved() async throws {
        let online = try await OnlineSession()
        let link = try #require(XMPPLink("xmpp:romeo@montague.net?roster"))
        async let accepting = online.session.accept(link, name: "Romeo", groups: ["Friends"])
        let set = await online.answer()
        #expect(set?.xml.contains("name='Romeo'") == true && set?.xml.contains("<group>Friends</group>") == true)
        let request = await online.peer.expect("presence")
        #expect(request?["type"] == "subscribe" && request?.children.isEmpty == true)
        #expect(try await !accepting)
        await online.end()
    }
}
