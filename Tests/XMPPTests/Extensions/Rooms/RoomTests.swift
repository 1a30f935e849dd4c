// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("A room of a session (XEP-0045)", .timeLimit(.minutes(1)))
struct RoomTests {
    static let address = OnlineSession.room

    @Test("joining returns when everybody is known; what was said before is in the events of whoever asks then")
    func join() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo", "eli")
        #expect(room.state == .joined && room.nickname == "ann" && room.occupantCount == 3)
        #expect(room.information?.name == "Tea" && room.me?.role == .participant)
        #expect(room.occupant("bo")?.affiliation == .member)
        #expect(online.session.rooms.all == [room])
        online.says("bo", "<body>hello</body>")
        var seen: [String] = []
        for await event in room.events() {
            switch event {
            case .state(let state): seen.append("\(state)")
            case .subject(let subject): seen.append("subject \(subject.text)")
            case .message(let message): seen.append(message.body ?? "")
            case .information: seen.append("information")
            default: seen.append("?")
            }
            if seen.last == "hello" { break }
        }
        #expect(seen == ["joining", "joined", "subject ", "hello"])
        #expect(room.subject?.text.isEmpty == true)
        await online.end()
    }

    @Test("the presence carries password, limits of the history, and how available one is")
    func joinPresence() async throws {
        let online = try await OnlineSession { $0.initialPresence = Presence(show: .away, status: "tea") }
        await online.peer.expect("presence")
        let jid = try JID(Self.address)
        async let joined = online.session.rooms.join(
            jid, as: "Ann B.", password: "cup",
            history: RoomHistory(
                count: 10, characters: 2000, age: .seconds(60), since: DateTime("2031-03-04T00:00:00Z")))
        await online.answerInformation([])
        let presence = try #require(await online.peer.expect("presence"))
        #expect(presence["to"] == "\(Self.address)/Ann B.")
        #expect(presence.child(.show)?.text == "away" && presence.child(.status)?.text == "tea")
        let x = try #require(presence.child(XMLName("x", "http://jabber.org/protocol/muc")))
        #expect(x.childText(XMLName("password", x.namespace)) == "cup")
        let history = try #require(x.child(XMLName("history", x.namespace)))
        #expect(history["maxstanzas"] == "10" && history["maxchars"] == "2000" && history["seconds"] == "60")
        #expect(history["since"] == "2031-03-04T00:00:00Z")
        online.roomPresence("Ann B.", codes: [110])
        await online.answerInformation(["muc_open"])
        #expect(try await joined.information?.features == ["muc_open"])
        await online.end()
    }

    @Test("B119 OF47 a refusal is thrown with its reason, and one is in no room")
    func refused() async throws {
        let online = try await OnlineSession()
        let jid = try JID(Self.address)
        async let failed = failure { _ = try await online.session.rooms.join(jid, as: "ann") }
        await online.answerInformation(["muc_open"])
        await online.peer.expect("presence")
        online.peer.inject(
            "<presence from='\(Self.address)/ann' type='error'><x xmlns='http://jabber.org/protocol/muc'/>"
                + "<error code='409' type='cancel'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>"
        )
        let error = await failed
        #expect(error?.code == .roomRefused && error?.roomRefusal == .nicknameInUse)
        #expect(online.session.rooms.all.isEmpty)
        let room = await online.session.rooms.room(jid)
        #expect(room.state == .left(.refused(.nicknameInUse)) && room.occupants.isEmpty)
        #expect(await failure { try await room.send("x") }?.code == .roomRefused)
        await online.end()
    }

    @Test("joining makes no room: the new one is cancelled and left, and the refusal says that there is none")
    func noRoom() async throws {
        let online = try await OnlineSession()
        let jid = try JID(Self.address)
        async let failed = failure { _ = try await online.session.rooms.join(jid, as: "ann") }
        await online.answerInformation([])
        await online.peer.expect("presence")
        online.roomPresence("ann", item: "affiliation='owner' role='moderator'", codes: [110, 201])
        let cancel = await online.peer.expect("iq")
        let query = cancel?.child(XMLName("query", "http://jabber.org/protocol/muc#owner"))
        #expect(cancel?["type"] == "set" && cancel?["to"] == Self.address)
        #expect(query?.child(XMLName("x", "jabber:x:data"))?["type"] == "cancel")
        let leave = await online.peer.expect("presence")
        #expect(leave?["type"] == "unavailable" && leave?["to"] == "\(Self.address)/ann")
        let error = await failed
        #expect(error?.code == .roomRefused && error?.roomRefusal == .notFound)
        #expect(online.session.rooms.all.isEmpty)
        // The last words of that room say nothing any more.
        online.roomPresence("ann", type: "unavailable", codes: [110], inX: "<destroy/>")
        await online.settle()
        #expect(await online.session.rooms.room(jid).state == .left(.refused(.notFound)))
        await online.end()
    }

    @Test("B131 OF44 a room that is made is unlocked before that returns")
    func instant() async throws {
        let online = try await OnlineSession()
        let jid = try JID(Self.address)
        async let joined = online.session.rooms.create(jid, as: "ann")
        await online.answerInformation([])
        await online.peer.expect("presence")
        online.roomPresence("ann", item: "affiliation='owner' role='moderator'", codes: [110, 201])
        let unlock = await online.answer()
        let query = unlock?.child(XMLName("query", "http://jabber.org/protocol/muc#owner"))
        #expect(unlock?["type"] == "set")
        #expect(query?.child(XMLName("x", "jabber:x:data"))?["type"] == "submit")
        #expect(query?.child(XMLName("x", "jabber:x:data"))?.children.isEmpty == true)
        await online.answerInformation(["muc_open"])
        let room = try await joined
        #expect(room.notices.contains(.created) && room.me?.affiliation == .owner)
        await online.end()
    }

    @Test("a room that is there already is not made")
    func exists() async throws {
        let online = try await OnlineSession()
        let jid = try JID(Self.address)
        async let failed = failure { _ = try await online.session.rooms.create(jid, as: "ann") }
        await online.answerInformation(["muc_open"])
        await online.peer.expect("presence")
        online.roomPresence("ann", codes: [110])
        let leave = await online.peer.expect("presence")
        #expect(leave?["type"] == "unavailable")
        online.roomPresence("ann", type: "unavailable", codes: [110])
        #expect(await failed?.code == .roomExists)
        await online.end()
    }

    @Test("leaving waits for the room's word, and ends the events with one end")
    func leave() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let events = room.events()
        async let left: Void = room.leave("good night")
        let presence = await online.peer.expect("presence")
        #expect(presence?["type"] == "unavailable" && presence?.child(.status)?.text == "good night")
        online.roomPresence("ann", codes: [110])
        online.roomPresence("ann", type: "unavailable", codes: [307, 110])
        await left
        var ends: [RoomState] = []
        for await event in events {
            if case .state(let state) = event { ends.append(state) }
        }
        #expect(ends == [.joining, .joined, .left(.kicked(RoomRemoval()))])
        await room.leave()
        await online.end()
    }

    @Test("what one says comes back, by its id, and then everybody has it")
    func reflection() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let sent = try await room.send("hi")
        let message = try #require(await online.peer.expect("message"))
        #expect(message["type"] == "groupchat" && message["to"] == Self.address && message["id"] == sent.id)
        #expect(message.child(XMLName("origin-id", "urn:xmpp:sid:0"))?["id"] == sent.id)
        online.says("bo", "<body>hi</body>", id: sent.id)
        async let echo = sent.reflection()
        online.says(
            "ann", "<body>hi</body><stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='\(Self.address)'/>", id: sent.id)
        let said = try await echo
        #expect(said.isOwn && said.stanzaID == "s1" && said.body == "hi" && said.occupant?.nickname == "ann")
        await online.end()
    }

    @Test("OF47 a message that the room refuses is thrown; one who is not in any more goes in again")
    func bounced() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let sent = try await room.send("hi")
        await online.peer.expect("message")
        online.peer.inject(
            "<message from='\(Self.address)' type='error' id='\(sent.id)'><body>hi</body>"
                + RoomScript.error("forbidden", "auth") + "</message>")
        #expect(await failure { try await sent.reflection() }?.stanzaError?.condition == .forbidden)
        let other = try await room.send("again")
        await online.peer.expect("message")
        online.peer.inject(
            "<message from='\(Self.address)' type='error' id='\(other.id)'><body>hi</body>"
                + RoomScript.error("not-acceptable", "modify") + "</message>")
        let ping = await online.refuse("not-acceptable")
        #expect(ping?["to"] == "\(Self.address)/ann" && ping?.child(XMLName("ping", "urn:xmpp:ping")) != nil)
        let again = await online.peer.expect("presence")
        #expect(again?["to"] == "\(Self.address)/ann")
        #expect(room.state == .joining)
        await online.end()
    }

    @Test("T139 a message that the room never gave to anybody is not sent: the room is asked, then its archive")
    func silent() async throws {
        let clock = ManualClock()
        let online = try await OnlineSession { $0.clock = clock }
        let room = try await online.join("bo", features: ["muc_open", "urn:xmpp:mam:2"])
        let sent = try await room.send("hi")
        await online.peer.expect("message")
        let failed = Task { await failure { try await sent.reflection(within: .seconds(3)) } }
        await clock.advanceWhenPlanned(by: .seconds(3))
        let ping = await online.answer()
        #expect(ping?.child(XMLName("ping", "urn:xmpp:ping")) != nil)
        let question = await online.expectQuestion()
        #expect(question.iq["to"] == Self.address)
        online.end(question, from: Self.address)
        let error = await failed.value
        #expect(error?.code == .notReflected && error?.isRetryable == true)

        let found = Task { try await sent.reflection(within: .seconds(3)) }
        await clock.advanceWhenPlanned(by: .seconds(3))
        await online.answer()
        let second = await online.expectQuestion()
        online.result(
            second, "s7", from: Self.address,
            inner: "<message xmlns='jabber:client' from='\(Self.address)/ann' type='groupchat' id='\(sent.id)'>"
                + "<body>hi</body></message>")
        online.end(second, from: Self.address)
        #expect(try await found.value.body == "hi")
        await online.end()
    }

    @Test("a subject is set when the room says so")
    func subject() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        async let done: Void = room.setSubject("tea at five")
        let message = try #require(await online.peer.expect("message"))
        #expect(message.child(.subject)?.text == "tea at five" && message.child(.body) == nil)
        online.says("ann", "<subject>tea at five</subject>", id: message["id"] ?? "")
        try await done
        #expect(room.subject?.text == "tea at five")
        async let failed = failure { try await room.setSubject("") }
        let second = try #require(await online.peer.expect("message"))
        online.peer.inject(
            "<message from='\(Self.address)' type='error' id='\(second["id"] ?? "")'>"
                + RoomScript.error("forbidden", "auth") + "</message>")
        #expect(await failed?.stanzaError?.condition == .forbidden)
        await online.end()
    }

    @Test("a private message goes to the occupant, marked as of a room, and comes from one")
    func privately() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo ")
        let events = room.events()
        try await room.send("psst", privatelyTo: "bo ")
        let message = try #require(await online.peer.expect("message"))
        #expect(message["to"] == "\(Self.address)/bo " && message["type"] == "chat")
        #expect(message.child(XMLName("x", "http://jabber.org/protocol/muc#user")) != nil)
        online.says("bo ", "<body>yes?</body>", type: "chat")
        for await event in events {
            guard case .privateMessage(let said) = event else { continue }
            #expect(said.body == "yes?" && said.occupant?.nickname == "bo ")
            break
        }
        let stranger = try JID("bo@example.org/x")
        #expect(
            await failure { try await room.send(.chat(to: nil, "x"), privatelyTo: stranger) }?.code == .invalidArgument)
        await online.end()
    }

    @Test("SP24 a message without type and text opens no private conversation")
    func emptyPrivate() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let events = room.events()
        online.says("bo", "<x xmlns='jabber:x:event'><composing/><id>djn</id></x>", type: "normal")
        online.says("bo", "<body>end</body>")
        for await event in events {
            if case .privateMessage = event { Issue.record("a private conversation") }
            if case .message = event { break }
        }
        await online.end()
    }

    @Test("the nickname changes when the room says so, and the call returns the one it gave")
    func nickname() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        async let changed = room.changeNickname(to: "Julia")
        let presence = await online.peer.expect("presence")
        #expect(presence?["to"] == "\(Self.address)/Julia")
        #expect(presence?.child(XMLName("x", "http://jabber.org/protocol/muc")) == nil)
        online.roomPresence(
            "ann", type: "unavailable", item: "affiliation='member' role='participant' nick='Julia-2'",
            codes: [303, 110])
        online.roomPresence("Julia-2", codes: [110, 210])
        #expect(try await changed == "Julia-2")
        #expect(room.nickname == "Julia-2" && room.me?.nickname == "Julia-2" && room.occupantCount == 2)
        async let failed = failure { try await room.changeNickname(to: "bo") }
        let second = await online.peer.expect("presence")
        online.peer.inject(
            "<presence from='\(Self.address)/bo' type='error' id='\(second?["id"] ?? "")'>\(RoomScript.error("conflict"))</presence>"
        )
        #expect(await failed?.roomRefusal == .nicknameInUse)
        #expect(room.nickname == "Julia-2" && room.state == .joined)
        await online.end()
    }

    @Test("cancelling the wait to go in goes out again")
    func cancelled() async throws {
        let online = try await OnlineSession()
        let jid = try JID(Self.address)
        let task = Task { try await online.session.rooms.join(jid, as: "ann") }
        await online.answerInformation(["muc_open"])
        await online.peer.expect("presence")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let leave = await online.peer.expect("presence")
        #expect(leave?["type"] == "unavailable")
        await online.end()
    }

    @Test("B132 T134 what a room sends that one never joined is an ordinary presence and moves nothing")
    func untracked() async throws {
        let online = try await OnlineSession()
        let room = await online.session.rooms.room(try JID(Self.address))
        let presences = online.session.presences()
        online.roomPresence("ann", item: "affiliation='owner' role='moderator'", codes: [110])
        for try await presence in presences {
            #expect(presence.from?.resource == "ann")
            break
        }
        #expect(room.state == .outside && room.occupants.isEmpty && room.nickname == nil)
        await online.end()
    }

    @Test("B118 a private word of a room that one is not in is an ordinary message, and joining works after it")
    func foreignPrivate() async throws {
        let online = try await OnlineSession()
        let waiting = await online.session.rooms.room(try JID(Self.address))
        let events = waiting.events()
        var messages = online.session.messages().makeAsyncIterator()
        online.says("eli", "<body>psst</body>", type: "chat")
        let message = try #require(try await messages.next())
        #expect(message.body == "psst" && message.from?.resource == "eli" && message.moderation == nil)
        let room = try await online.join("eli")
        #expect(room == waiting)
        for await event in events {
            if case .privateMessage = event { Issue.record("it was said before one came in") }
            if case .state(.joined) = event { break }
        }
        await online.end()
    }

    @Test("SP23 one who goes in as others do, by a presence without limits, has the whole history of the room")
    func spark() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("Romeo")
        #expect(!online.peer.writtenText.contains("<history"))
        let events = room.events()
        online.says(
            "Romeo", "<body>one</body><x xmlns='jabber:x:event'><offline/><delivered/><displayed/><composing/></x>")
        for await event in events {
            guard case .message(let message) = event else { continue }
            #expect(message.body == "one")
            break
        }
        // SP24: nothing is sent into a room for it.
        await online.peer.expectNothing()
        await online.end()
    }

    @Test("availability is told to each room, and going offline leaves all of them until one is back")
    func availability() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        try await online.session.setPresence(Presence(show: .doNotDisturb))
        let all = await online.peer.expect("presence")
        #expect(all?["to"] == nil)
        let told = await online.peer.expect("presence")
        #expect(told?["to"] == "\(Self.address)/ann" && told?.child(.show)?.text == "dnd")
        try await online.session.setPresence(nil)
        await online.peer.expect("presence")
        #expect(room.state == .interrupted(.unavailable) && room.occupants.isEmpty)
        try await online.session.setPresence(Presence())
        await online.peer.expect("presence")
        let again = await online.peer.expect("presence")
        #expect(again?["to"] == "\(Self.address)/ann")
        #expect(again?.child(XMLName("x", "http://jabber.org/protocol/muc")) != nil)
        await online.end()
    }

    @Test("a session that ends leaves its rooms, and their events end")
    func sessionEnds() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let events = room.events()
        await online.end()
        var last: RoomState?
        for await event in events { if case .state(let state) = event { last = state } }
        #expect(last == .left(.sessionEnded) && room.state == last)
    }

    @Test("T128 after a silence the room is asked whether it knows one, and gone into again if not")
    func silence() async throws {
        let clock = ManualClock()
        let online = try await OnlineSession {
            $0.clock = clock
            $0.roomSilence = .seconds(60)
            $0.livenessInterval = .seconds(3600)
        }
        let room = try await online.join("bo")
        await clock.advance(by: .seconds(61))
        online.says("bo", "<body>I am here</body>")
        await online.settle()
        await clock.advance(by: .seconds(60))
        await clock.advance(by: .seconds(60))
        let ping = await online.refuse("not-acceptable")
        #expect(ping?["to"] == "\(Self.address)/ann")
        let again = await online.peer.expect("presence")
        #expect(again?["to"] == "\(Self.address)/ann")
        online.roomPresence("ann", codes: [110])
        await online.settle()
        #expect(room.state == .joined)
        await online.end()
    }
}
