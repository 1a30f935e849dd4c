// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Invitations to rooms (XEP-0045, XEP-0249)", .timeLimit(.minutes(1)))
struct RoomInvitationTests {
    static let room = OnlineSession.room
    static let user = "http://jabber.org/protocol/muc#user"

    func invited(_ xml: String) throws -> RoomInvitation? { try receivedMessage(xml).roomInvitation }

    @Test("OF49 both forms in one message are one invitation, by way of the room")
    func both() throws {
        let invitation = try invited(
            """
            <message from='garden@conference.example.org' to='p@example.org'>\
            <x xmlns='\(Self.user)'><invite from='juliet@example.org'><reason/></invite><password>cup</password></x>\
            <x xmlns='jabber:x:conference' jid='garden@conference.example.org'/></message>
            """)
        let expected = RoomInvitation(
            room: try JID("garden@conference.example.org"), inviter: try JID("juliet@example.org"), isMediated: true,
            password: "cup")
        #expect(invitation == expected)
    }

    @Test("T127 what claims to come by way of a room must come from the room, and a room's conversation invites nobody")
    func forged() throws {
        let invite = "<x xmlns='\(Self.user)'><invite from='bo@example.org'/></x>"
        #expect(try invited("<message from='\(Self.room)/mal'>\(invite)</message>") == nil)
        #expect(try invited("<message from='example.org'>\(invite)</message>") == nil)
        #expect(try invited("<message from='\(Self.room)' type='groupchat'>\(invite)</message>") == nil)
        #expect(try invited("<message from='\(Self.room)' type='error'>\(invite)</message>") == nil)
        #expect(
            try invited("<message from='\(Self.room)'>\(invite)</message>")?.inviter?.description == "bo@example.org")
        #expect(
            try invited("<message from='bo@example.org/x'><x xmlns='jabber:x:conference' jid='example.org'/></message>")
                == nil)
        #expect(try invited("<message from='bo@example.org/x'><x xmlns='jabber:x:conference'/></message>") == nil)
    }

    @Test("an occupant who invites is known by the address in the room alone")
    func occupant() throws {
        let direct =
            "<x xmlns='jabber:x:conference' jid='attic@rooms.example.org' reason='up' thread='t1' continue='true'/>"
        let private_ = try invited("<message from='\(Self.room)/eli'><x xmlns='\(Self.user)'/>\(direct)</message>")
        #expect(private_?.inviter?.resource == "eli" && private_?.isMediated == false)
        let person = try invited("<message from='bo@example.org/x'>\(direct)</message>")
        #expect(person?.inviter?.description == "bo@example.org" && person?.reason == "up" && person?.thread == "t1")
    }

    @Test("the element of XEP-0249 is written and read")
    func element() throws {
        try roundTrip(DirectInvitation(room: JID("a@rooms.example.org"), reason: "r", password: "p", thread: "t"))
        try roundTrip(DirectInvitation(room: JID("a@rooms.example.org")))
    }

    @Test("T127 invitations are told, each room once, and nobody goes in by itself")
    func told() async throws {
        let online = try await OnlineSession()
        var invitations = online.session.rooms.invitations().makeAsyncIterator()
        func inject(_ room: String, _ more: String = "") {
            online.peer.inject(
                "<message from='bo@example.org/x'><x xmlns='jabber:x:conference' jid='\(room)' \(more)/></message>")
        }
        inject("a@rooms.example.org")
        inject("a@rooms.example.org", "reason='again'")
        inject("b@rooms.example.org")
        inject("a@rooms.example.org", "password='cup'")
        let first = try await invitations.next()
        #expect(first?.room.local == "a" && first?.password == nil)
        #expect(try await invitations.next()?.room.local == "b")
        let third = try await invitations.next()
        #expect(third?.room.local == "a" && third?.password == "cup")
        await online.settle()
        #expect(!online.peer.writtenText.contains("rooms.example.org"))
        // The answer to the first makes another one news.
        try await online.session.rooms.decline(try #require(first))
        inject("a@rooms.example.org")
        #expect(try await invitations.next()?.room.local == "a")
        await online.end()
    }

    @Test("OF44 an invitation to a room that is still being set up is followed a little later")
    func accept() async throws {
        let clock = ManualClock()
        let online = try await OnlineSession { $0.clock = clock }
        let invitation = RoomInvitation(room: try JID(Self.room), inviter: try JID("bo@example.org"), password: "cup")
        let accepted = Task { try await online.session.rooms.accept(invitation, as: "ann") }
        await online.answerInformation([])
        let first = await online.peer.expect("presence")
        #expect(first?.children.first { $0.localName == "x" }?.children.first?.text == "cup")
        online.peer.inject(
            "<presence from='\(Self.room)/ann' type='error'>\(RoomScript.error("item-not-found"))</presence>")
        await clock.advanceWhenPlanned(by: .seconds(2))
        await online.answerInformation(["muc_open"])
        await online.peer.expect("presence")
        online.roomPresence("ann", codes: [110])
        #expect(try await accepted.value.state == .joined)
        await online.end()
    }

    @Test("SP24 one invites by way of the room, or from person to person, with the room's password")
    func invite() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        try await room.invite(try JID("kim@example.org/desk"), reason: "tea?")
        let message = try #require(await online.peer.expect("message"))
        #expect(message["to"] == Self.room && message["type"] == nil)
        let invite = message.child(XMLName("x", Self.user))?.child(XMLName("invite", Self.user))
        #expect(invite?["to"] == "kim@example.org" && invite?.childText(XMLName("reason", Self.user)) == "tea?")
        try await room.invite(try JID("kim@example.org"), reason: "tea?", .direct, thread: "t1")
        let direct = try #require(await online.peer.expect("message"))
        #expect(direct["to"] == "kim@example.org")
        let x = direct.child(XMLName("x", "jabber:x:conference"))
        #expect(x?["jid"] == Self.room && x?["reason"] == "tea?" && x?["thread"] == "t1" && x?["continue"] == "true")
        await online.end()
    }

    @Test("who declines is told by the room alone, and one declines by way of the room alone")
    func declined() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let events = room.events()
        let decline = "<x xmlns='\(Self.user)'><decline from='kim@example.org'><reason>no</reason></decline></x>"
        online.says("bo", decline, type: "normal")
        online.says(nil, decline, type: "normal")
        for await event in events {
            guard case .declined(let told) = event else { continue }
            #expect(told == RoomDecline(room: room.address, by: try JID("kim@example.org"), reason: "no"))
            break
        }
        let mediated = RoomInvitation(
            room: try JID("attic@rooms.example.org"), inviter: try JID("eli@example.org/x"), isMediated: true)
        try await online.session.rooms.decline(mediated, reason: "later")
        let sent = try #require(await online.peer.expect("message"))
        let element = sent.child(XMLName("x", Self.user))?.child(XMLName("decline", Self.user))
        #expect(sent["to"] == "attic@rooms.example.org" && element?["to"] == "eli@example.org")
        try await online.session.rooms.decline(RoomInvitation(room: mediated.room, inviter: mediated.inviter))
        await online.peer.expectNothing()
        await online.end()
    }
}
