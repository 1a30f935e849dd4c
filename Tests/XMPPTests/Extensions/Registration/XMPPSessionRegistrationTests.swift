// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Password change and removal of the account (XEP-0077 §3.2, §3.3)", .timeLimit(.minutes(1)))
struct XMPPSessionRegistrationTests {
    @Test("OF19 B50 a password change has an id and names exactly the own account")
    func changes() async throws {
        let online = try await OnlineSession()
        async let changing: Void = online.session.changePassword(to: "new & better")
        let set = await online.peer.expect("iq")
        #expect(set?["type"] == "set" && set?["to"] == nil && set?["id"]?.isEmpty == false)
        #expect(
            try set?.children.first
                == received(
                    "<query xmlns='jabber:iq:register'><username>juliet</username>"
                        + "<password>new &amp; better</password></query>"))
        online.peer.inject(
            "<iq type=\"result\" id=\"\(set?["id"] ?? "")\" from=\"juliet@example.org\" to=\"juliet@example.org/balcony\"/>"
        )
        try await changing
        #expect(await online.session.derivedKeys == nil)
        await online.end()
    }

    @Test("the next login uses the new password")
    func nextLogin() async throws {
        let online = try await OnlineSession { $0.reconnect = ReconnectPolicy(minimum: .milliseconds(1)) }
        async let changing: Void = online.session.changePassword(to: "newer")
        let set = await online.peer.expect("iq")
        online.peer.inject("<iq type='result' id='\(set?["id"] ?? "")'/>")
        try await changing
        online.peer.cut()
        await online.peer.acceptTLS()
        online.peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await online.peer.acceptSCRAM(password: "newer")
        await online.peer.expectHeader()
        online.peer.openStream(id: "up", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>")
        await online.peer.acceptBind(managed: false)
        await online.settle()
        await online.end()
    }

    @Test(
        "a refused password stands in no error", arguments: ["not-acceptable", "forbidden", "bad-request", "conflict"])
    func refused(_ condition: String) async throws {
        let online = try await OnlineSession()
        async let outcome: XMPPError? = {
            do {
                try await online.session.changePassword(to: "hunter2")
                return nil
            } catch { return error as? XMPPError }
        }()
        let set = await online.peer.expect("iq")
        online.peer.inject(
            """
            <iq type='error' id='\(set?["id"] ?? "")'>\(set?.children.first?.xml ?? "")<error type='modify'>\
            <\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/><text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>\
            hunter2 is weak</text><hint xmlns='urn:example:hint'>hunter2</hint></error></iq>
            """)
        let error = await outcome
        #expect(error?.code == (condition == "forbidden" ? .registrationClosed : .passwordNotAcceptable))
        #expect(!String(reflecting: error).contains("hunter2"))
        await online.end()
    }

    @Test("an empty password is refused before anything is sent")
    func empty() async throws {
        let online = try await OnlineSession()
        do {
            try await online.session.changePassword(to: "")
            Issue.record("an empty password was sent")
        } catch let error as XMPPError { #expect(error.code == .passwordNotAcceptable) }
        await online.settle()
        await online.end()
    }

    @Test("OF19 not-authorized after the result of a removal is success, and ends the session in good order")
    func removes() async throws {
        let online = try await OnlineSession { $0.reconnect = ReconnectPolicy(minimum: .milliseconds(1)) }
        let events = online.session.events()
        async let removing: Void = online.session.removeAccount()
        let set = await online.peer.expect("iq")
        #expect(set?["to"] == nil)
        #expect(try set?.children.first == received("<query xmlns='jabber:iq:register'><remove/></query>"))
        online.peer.inject(
            """
            <iq type="result" id="\(set?["id"] ?? "")" from="juliet@example.org" to="juliet@example.org/balcony"/>\
            <stream:error><not-authorized xmlns="urn:ietf:params:xml:ns:xmpp-streams"/></stream:error></stream:stream>
            """)
        try await removing
        var last: SessionEvent?
        for try await event in events { last = event }
        #expect(last == .ended(nil))
        #expect(online.peer.connections == 1)
    }

    @Test("a refused removal leaves the session as it is")
    func keeps() async throws {
        let online = try await OnlineSession()
        async let outcome: XMPPError? = {
            do {
                try await online.session.removeAccount()
                return nil
            } catch { return error as? XMPPError }
        }()
        let set = await online.peer.expect("iq")
        online.peer.inject(
            """
            <iq type='error' id='\(set?["id"] ?? "")'><error type='cancel'>\
            <not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
            """)
        #expect(await outcome?.code == .registrationClosed)
        #expect(await online.session.isOnline)
        await online.settle()
        await online.end()
    }

    @Test("B55 the registration with a service is cancelled there, and never at the own server or account")
    func gateway() async throws {
        let online = try await OnlineSession()
        for own in ["example.org", "juliet@example.org", "juliet@example.org/balcony", "EXAMPLE.org"] {
            do {
                try await online.session.cancelRegistration(with: try JID(own))
                Issue.record("the own account was at risk with \(own)")
            } catch let error as XMPPError { #expect(error.code == .invalidArgument) }
        }
        await online.settle()
        let service = try JID("icq.example.org")
        async let cancelling: Void = online.session.cancelRegistration(with: service)
        let set = await online.peer.expect("iq")
        #expect(set?["to"] == "icq.example.org")
        online.peer.inject("<iq type='result' id='\(set?["id"] ?? "")' from='icq.example.org'/>")
        try await cancelling
        await online.end()
    }

    @Test("B55 removing a contact never sends a removal of an account")
    func contact() async throws {
        let online = try await OnlineSession()
        let jid = try JID("icq.example.org")
        async let removing: Void = online.session.removeRosterItem(jid)
        let set = await online.peer.expect("iq")
        online.peer.inject("<iq type='result' id='\(set?["id"] ?? "")'/>")
        try await removing
        await online.settle()
        #expect(!online.peer.writtenText.contains("jabber:iq:register"))
        await online.end()
    }
}
