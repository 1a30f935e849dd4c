// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("What moderators, administrators and owners do (XEP-0045)", .timeLimit(.minutes(1)))
struct RoomAdministrationTests {
    static let admin = "http://jabber.org/protocol/muc#admin"
    static let owner = "http://jabber.org/protocol/muc#owner"

    func item(_ iq: Element?) -> Element? {
        iq?.child(XMLName("query", Self.admin))?.child(XMLName("item", Self.admin))
    }

    @Test("a kick goes by the nickname, a ban by the account, and a refusal says why")
    func putOut() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        async let kicked: Void = room.kick("bo", reason: "enough")
        let kick = item(await online.answer())
        #expect(kick?["nick"] == "bo" && kick?["role"] == "none" && kick?["affiliation"] == nil && kick?["jid"] == nil)
        #expect(kick?.childText(XMLName("reason", Self.admin)) == "enough")
        try await kicked
        async let banned: Void = room.ban(JID("bo@example.org/desk"))
        let ban = item(await online.answer())
        #expect(ban?["jid"] == "bo@example.org" && ban?["affiliation"] == "outcast" && ban?["role"] == nil)
        #expect(ban?.children.isEmpty == true)
        try await banned
        async let refused = failure { try await room.setRole(.moderator, of: "bo") }
        await online.refuse("not-allowed")
        #expect(await refused?.stanzaError?.condition == .notAllowed)
        await online.end()
    }

    @Test("OF48 the lists are read with whatever the room leaves out")
    func lists() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        async let members = room.accounts(.owner)
        let iq = await online.answer(
            """
            <query xmlns='\(Self.admin)'><item affiliation='owner' jid='juliet@example.org'/>\
            <item affiliation='owner' jid='bo@example.org' nick='bo' role='moderator'><reason>founder</reason></item>\
            <item affiliation='owner'/><item jid='@'/><other/></query>
            """)
        #expect(iq?["type"] == "get" && item(iq)?["affiliation"] == "owner")
        let expected = [
            RoomAccess(address: try JID("juliet@example.org"), affiliation: .owner),
            RoomAccess(
                address: try JID("bo@example.org"), nickname: "bo", affiliation: .owner, role: .moderator,
                reason: "founder"),
        ]
        #expect(try await members == expected)
        async let moderators = room.occupants(.moderator)
        await online.answer("<query xmlns='\(Self.admin)'><item nick='bo' role='moderator'/></query>")
        #expect(
            try await moderators == [RoomAccess(address: nil, nickname: "bo", affiliation: .none, role: .moderator)])
        async let wrong = failure { _ = try await room.accounts(.member) }
        await online.answer("<query xmlns='jabber:iq:roster'/>")
        #expect(await wrong?.code == .invalidReply)
        await online.end()
    }

    static let form = """
        <query xmlns='\(owner)'><x xmlns='jabber:x:data' type='form'><title>Tea</title>\
        <field type='hidden' var='FORM_TYPE'><value>http://jabber.org/protocol/muc#roomconfig</value></field>\
        <field type='fixed'><value>A text between</value></field>\
        <field var='muc#roomconfig_roomname' type='text-single'><value>Tea</value></field>\
        <field var='muc#roomconfig_persistentroom' type='boolean'><value>1</value></field>\
        <field var='muc#roomconfig_moderatedroom' type='boolean'><value>0</value></field>\
        <field var='muc#roomconfig_whois' type='list-single'><value>moderator</value></field>\
        <field var='muc#roomconfig_allowpm' type='list-single'><value>participants</value></field>\
        <field var='muc#roomconfig_maxusers' type='list-single'><value>30</value><option><value>30</value></option>\
        <option label='any'><value>none</value></option></field>\
        <field var='muc#roomconfig_presencebroadcast' type='list-multi'><value>moderator</value><value>visitor</value></field>\
        <field var='muc#roomconfig_roomowners' type='jid-multi'><value>juliet@example.org</value></field>\
        <field var='x-muc#roomconfig_reservednick' type='boolean'><value>0</value></field>\
        <field var='muc#roomconfig_enablearchiving' type='boolean'><value>1</value></field></x></query>
        """

    @Test("OF45 the form is read, with values that servers spell differently, and texts of it are no fields")
    func configuration() async throws {
        let online = try await OnlineSession()
        let room = try await online.join()
        async let asked = room.configuration()
        #expect(await online.answer(Self.form)?["type"] == "get")
        let configuration = try await asked
        #expect(configuration.name == "Tea" && configuration.isPersistent == true && configuration.isModerated == false)
        #expect(configuration.showsAddresses == .moderators && configuration.privateMessages == .participants)
        #expect(configuration.occupantLimit == 30 && configuration.broadcastsPresenceOf == [.moderator, .visitor])
        #expect(configuration.owners == [try JID("juliet@example.org")] && configuration.keepsArchive == true)
        #expect(configuration.others == ["x-muc#roomconfig_reservednick": ["0"]] && configuration.isPublic == nil)
        await online.end()
    }

    @Test("OF45 only what changes and what the room knows is sent, with the type of the form")
    func configure() async throws {
        let online = try await OnlineSession()
        let room = try await online.join()
        var tea = RoomConfiguration()
        tea.name = "Tea & cake"
        tea.isPersistent = true
        tea.isPublic = false
        tea.occupantLimit = 0
        tea.keepsArchive = false
        let wanted = tea
        async let done: Void = room.configure(wanted)
        await online.answer(Self.form)
        let iq = try #require(await online.answer())
        let form = try #require(
            iq.child(XMLName("query", Self.owner))?.child(DataForm.name).flatMap { DataForm($0) })
        #expect(iq["type"] == "set" && form.kind == .submit && form.formType == RoomConfiguration.formType)
        #expect(
            form.fields.map(\.name) == [
                "FORM_TYPE", "muc#roomconfig_roomname", "muc#roomconfig_maxusers", "muc#roomconfig_enablearchiving",
            ])
        #expect(
            form["muc#roomconfig_maxusers"]?.values == ["none"] && form["muc#roomconfig_roomname"]?.text == "Tea & cake"
        )
        try await done
        await online.end()
    }

    @Test("a reserved room is set up before anybody else comes in, and given up where that fails")
    func reserved() async throws {
        let online = try await OnlineSession()
        let jid = try JID(OnlineSession.room)
        var cake = RoomConfiguration()
        cake.name = "Cake"
        let wanted = cake
        async let made = online.session.rooms.create(jid, as: "ann", wanted)
        await online.answerInformation([])
        await online.peer.expect("presence")
        online.roomPresence("ann", item: "affiliation='owner' role='moderator'", codes: [201, 110])
        await online.answer(Self.form)
        let iq = await online.answer()
        #expect(
            iq?.children.first?.child(DataForm.name).flatMap { DataForm($0) }?["muc#roomconfig_roomname"]?.text
                == "Cake")
        await online.answerInformation(["muc_hidden"])
        #expect(try await made.information?.isHidden == true)

        let other = try JID("attic@rooms.example.org")
        async let failed = failure { _ = try await online.session.rooms.create(other, as: "ann", wanted) }
        await online.answerInformation([], of: other.description)
        await online.peer.expect("presence")
        online.roomPresence("ann", codes: [201, 110], room: other.description)
        await online.refuse("forbidden", "auth")
        #expect(await failed?.stanzaError?.condition == .forbidden)
        #expect(await online.peer.expect("presence")?["type"] == "unavailable")
        await online.end()
    }

    @Test("a room is destroyed with a reason and another place to go")
    func destroy() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        async let done: Void = room.destroy(
            reason: "too small", alternative: JID("garden@rooms.example.org"), password: "cup")
        let destroy = await online.answer()?.children.first?.children.first
        #expect(
            destroy?.matches(XMLName("destroy", Self.owner)) == true && destroy?["jid"] == "garden@rooms.example.org")
        #expect(destroy?.childText(XMLName("reason", Self.owner)) == "too small")
        #expect(destroy?.childText(XMLName("password", Self.owner)) == "cup")
        try await done
        online.roomPresence("ann", type: "unavailable", item: "affiliation='none' role='none'", inX: "<destroy/>")
        await online.settle()
        #expect(room.state == .left(.destroyed(RoomDestruction())))
        await online.end()
    }

    @Test("a voice is asked for and given; a request that does not come from the room is none")
    func voice() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let events = room.events()
        try await room.requestVoice()
        let asked = try #require(await online.peer.expect("message"))
        let own = asked.child(DataForm.name).flatMap { DataForm($0) }
        #expect(asked["to"] == OnlineSession.room && asked["type"] == nil)
        #expect(own?.formType == "http://jabber.org/protocol/muc#request" && own?["muc#role"]?.text == "participant")
        let form = """
            <x xmlns='jabber:x:data' type='form'><field type='hidden' var='FORM_TYPE'>\
            <value>http://jabber.org/protocol/muc#request</value></field><field var='muc#role'><value>participant</value></field>\
            <field var='muc#jid'><value>kim@example.org/x</value></field><field var='muc#roomnick'><value>kim</value></field>\
            <field var='muc#request_allow' type='boolean'><value>0</value></field></x>
            """
        online.says("bo", form, type: "normal")
        online.says(nil, form, type: "normal")
        for await event in events {
            guard case .voiceRequested(let request) = event else { continue }
            #expect(request.nickname == "kim" && request.address?.resource == "x" && request.isGranted == nil)
            try await room.answer(request, isGranted: true)
            break
        }
        let answer = try #require(await online.peer.expect("message"))
        let granted = answer.child(DataForm.name).flatMap { DataForm($0) }
        #expect(granted?.kind == .submit && granted?["muc#request_allow"]?.flag == true)
        #expect(granted?["muc#roomnick"]?.text == "kim" && granted?["muc#jid"]?.text == "kim@example.org/x")
        await online.end()
    }

    @Test("a nickname is registered, and given up again")
    func registration() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        async let done: Void = room.register(nickname: "Juliet")
        await online.answer(
            """
            <query xmlns='jabber:iq:register'><x xmlns='jabber:x:data' type='form'><field type='hidden' var='FORM_TYPE'>\
            <value>http://jabber.org/protocol/muc#register</value></field>\
            <field var='muc#register_roomnick' type='text-single'><required/></field></x></query>
            """)
        let iq = try #require(await online.answer())
        let form = iq.children.first?.child(DataForm.name).flatMap { DataForm($0) }
        #expect(iq["type"] == "set" && form?["muc#register_roomnick"]?.text == "Juliet" && form?.kind == .submit)
        try await done
        async let gone: Void = room.unregister()
        #expect(await online.answer()?.children.first?.children.first?.localName == "remove")
        try await gone
        await online.end()
    }

    @Test("OF42 facts come from the names of features; a form without values says nothing")
    func information() async throws {
        let online = try await OnlineSession()
        async let asked = online.session.rooms.information(of: JID(OnlineSession.room))
        await online.answer(
            """
            <query xmlns='http://jabber.org/protocol/disco#info'><identity category='conference' type='text' name='Tea'/>\
            <feature var='http://jabber.org/protocol/muc'/><feature var='muc_public'/><feature var='muc_membersonly'/>\
            <feature var='muc_moderated'/><feature var='muc_nonanonymous'/><feature var='muc_persistent'/>\
            <feature var='urn:xmpp:occupant-id:0'/><x xmlns='jabber:x:data' type='result'>\
            <field var='FORM_TYPE' type='hidden'><value>http://jabber.org/protocol/muc#roominfo</value></field>\
            <field var='muc#roominfo_description'/><field var='muc#roominfo_subject'><value></value></field>\
            <field var='muc#roominfo_occupants'><value>-1</value></field></x></query>
            """)
        let room = try await asked
        #expect(room.name == "Tea" && room.details == nil && room.subject == nil && room.occupantCount == nil)
        #expect(
            room.isMembersOnly && room.isModerated && room.isNonAnonymous && room.isPersistent && room.namesAccounts)
        #expect(!room.isHidden && !room.needsPassword && !room.hasArchive && !room.canBeModerated)
        async let name = online.session.rooms.reservedNickname(in: JID(OnlineSession.room))
        let iq = await online.answer(
            """
            <query xmlns='http://jabber.org/protocol/disco#info' node='x-roomuser-item'>\
            <identity category='conference' type='text' name='Ann of old'/></query>
            """)
        #expect(iq?.children.first?["node"] == "x-roomuser-item")
        #expect(try await name == "Ann of old")
        await online.end()
    }

    @Test("the picture of a room is fetched from its card, by the name that the room gives, or whatever is there")
    func avatar() async throws {
        let online = try await OnlineSession()
        let picture = try Picture(SamplePictures.pixel)
        for name in [picture.hash.description, ""] {
            async let fetching = online.session.rooms.room(JID(OnlineSession.room)).fetchAvatar()
            await online.answer(
                """
                <query xmlns='http://jabber.org/protocol/disco#info'><x xmlns='jabber:x:data' type='result'>\
                <field var='FORM_TYPE' type='hidden'><value>http://jabber.org/protocol/muc#roominfo</value></field>\
                <field var='muc#roominfo_avatarhash' type='text-multi'><value>\(name)</value></field></x></query>
                """)
            let iq = await online.answer(
                """
                <vCard xmlns='vcard-temp'><PHOTO><TYPE>image/png</TYPE>\
                <BINVAL>\(SamplePictures.pixelText)</BINVAL></PHOTO></vCard>
                """)
            #expect(iq?["to"] == OnlineSession.room && iq?.children.first?.localName == "vCard")
            #expect(try await fetching == picture)
        }
        await online.end()
    }

    @Test("an owner gives the room a picture, with what else its card says, and takes it away")
    func setAvatar() async throws {
        let online = try await OnlineSession()
        let picture = try Picture(SamplePictures.pixel)
        let room = try await online.session.rooms.room(JID(OnlineSession.room))
        async let setting: Void = room.setAvatar(picture)
        var asked = await online.answer("<vCard xmlns='vcard-temp'><DESC>cups</DESC><X-KEPT>1</X-KEPT></vCard>")
        #expect(asked?["type"] == "get" && asked?["to"] == OnlineSession.room)
        let set = await online.answer()
        try await setting
        #expect(set?["type"] == "set" && set?["to"] == OnlineSession.room)
        let card = try #require(set?.children.first)
        let photo = card.child(XMLName("PHOTO", "vcard-temp"))
        #expect(photo?.childText(XMLName("BINVAL", "vcard-temp")) == SamplePictures.pixelText)
        #expect(card.childText(XMLName("X-KEPT", "vcard-temp")) == "1")
        async let removing: Void = room.setAvatar(nil)
        asked = await online.answer(card.xml)
        let removed = await online.answer()
        try await removing
        #expect(asked?["type"] == "get" && removed?.children.first?.child(XMLName("PHOTO", "vcard-temp")) == nil)
        #expect(removed?.children.first?.childText(XMLName("DESC", "vcard-temp")) == "cups")
        // What is there already is not sent.
        async let nothing: Void = room.setAvatar(nil)
        await online.answer("<vCard xmlns='vcard-temp'><DESC>cups</DESC></vCard>")
        try await nothing
        await online.end()
    }

    @Test("what a room says of its picture is told to everybody who reads presences, and changes nothing in the room")
    func announcedAvatar() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let picture = try Picture(SamplePictures.pixel)
        var presences = online.session.presences().makeAsyncIterator()
        online.peer.inject(
            "<presence from='\(OnlineSession.room)'><x xmlns='vcard-temp:x:update'><photo>\(picture.hash)</photo></x>"
                + "</presence>")
        #expect(try await presences.next()?.avatar == .picture(picture.hash))
        #expect(room.state == .joined && room.occupantCount == 2)
        await online.end()
    }

    @Test("services are told by what they are, not by their names")
    func services() async throws {
        let online = try await OnlineSession()
        async let found = online.session.rooms.services()
        await online.answer(
            """
            <query xmlns='http://jabber.org/protocol/disco#items'><item jid='conference.example.org'/>\
            <item jid='talk.example.org'/><item jid='bo@example.org'/></query>
            """)
        await online.answer(
            "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='pubsub' type='service'/></query>")
        await online.answer(
            """
            <query xmlns='http://jabber.org/protocol/disco#info'><identity category='conference' type='text'/>\
            <feature var='http://jabber.org/protocol/muc'/></query>
            """)
        #expect(try await found.map(\.description) == ["talk.example.org"])
        await online.end()
    }
}
