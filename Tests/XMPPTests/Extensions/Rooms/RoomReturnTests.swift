// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Coming back into rooms, many rooms, and large ones", .timeLimit(.minutes(1)))
struct RoomReturnTests {
    static let room = OnlineSession.room

    /// The same peer takes the next connection.
    func loginAgain(_ online: OnlineSession, jid: String = "juliet@example.org/balcony") async {
        await online.peer.acceptTLS()
        online.peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await online.peer.acceptSCRAM()
        await online.peer.expectHeader()
        online.peer.openStream(id: "up", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>")
        await online.peer.acceptBind(jid: jid, managed: false)
    }

    @Test("after a loss the session goes in again, from the moment of the last word, and events go on")
    func again() async throws {
        let online = try await OnlineSession {
            $0.reconnect = ReconnectPolicy(minimum: .zero, maximum: .zero, stableAfter: .zero)
            $0.wallClock = { DateTime("2031-03-04T05:06:07Z") ?? DateTime(seconds: 0) }
        }
        let room = try await online.join("bo", "eli")
        let events = room.events()
        online.says("bo", "<body>hello</body>")
        await online.settle()
        online.peer.cut()
        await loginAgain(online, jid: "juliet@example.org/another")
        let presence = try #require(await online.peer.expect("presence"))
        #expect(presence["to"] == "\(Self.room)/ann")
        let history = presence.children.first { $0.localName == "x" }?.children.first
        #expect(history?["since"] == "2031-03-04T05:06:07Z" && history?["maxstanzas"] == nil)
        #expect(room.occupants.isEmpty)
        online.roomPresence("bo")
        online.roomPresence("ann", codes: [110])
        online.says("bo", "<body>again</body>")
        var states: [RoomState] = []
        for await event in events {
            if case .state(let state) = event { states.append(state) }
            if case .message(let message) = event, message.body == "again" { break }
        }
        #expect(states == [.joining, .joined, .interrupted(.connectionLost), .joining, .joined])
        #expect(Set(room.occupants.map(\.nickname)) == ["ann", "bo"])
        await online.end()
    }

    @Test("T129 whoever is banned meanwhile does not come back, and hears why")
    func bannedMeanwhile() async throws {
        let online = try await OnlineSession {
            $0.reconnect = ReconnectPolicy(minimum: .zero, maximum: .zero, stableAfter: .zero)
        }
        let room = try await online.join("bo")
        let events = room.events()
        online.peer.cut()
        await loginAgain(online)
        await online.peer.expect("presence")
        online.peer.inject(
            "<presence from='\(Self.room)/ann' type='error'>\(RoomScript.error("forbidden", "auth"))</presence>")
        var last: RoomState?
        for await event in events { if case .state(let state) = event { last = state } }
        #expect(last == .left(.refused(.banned)) && room.state == last)
        await online.peer.expectNothing()
        await online.end()
    }

    @Test(
        "T099 T128 after a resumption everybody is as they were, and the room is asked; one that forgot is entered again"
    )
    func resumed() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let (peer, session) = (fixture.peer, fixture.session)
        let jid = try JID(Self.room)
        func presence(_ nickname: String, _ more: String = "") {
            peer.inject(
                "<presence from='\(Self.room)/\(nickname)'><x xmlns='http://jabber.org/protocol/muc#user'>"
                    + "<item affiliation='none' role='participant'/>\(more)</x></presence>")
        }
        async let joined = session.rooms.join(jid, as: "ann")
        let question = await fixture.expect("iq")
        peer.inject(
            "<iq type='result' id='\(question?["id"] ?? "")' from='\(Self.room)'>"
                + "<query xmlns='http://jabber.org/protocol/disco#info'/></iq>")
        await fixture.expect("presence")
        presence("bo")
        presence("ann", "<status code='110'/>")
        let room = try await joined
        let events = room.events()
        peer.cut()
        await fixture.acceptResumption(h: 2)
        let ping = await fixture.expect("iq")
        #expect(ping?["to"] == "\(Self.room)/ann" && ping?.children.first?.namespace == "urn:xmpp:ping")
        #expect(Set(room.occupants.map(\.nickname)) == ["ann", "bo"])
        peer.inject(
            "<iq type='error' id='\(ping?["id"] ?? "")' from='\(Self.room)/ann'>\(RoomScript.error("not-acceptable"))</iq>"
        )
        #expect(await fixture.expect("presence")?["to"] == "\(Self.room)/ann")
        presence("ann", "<status code='110'/>")
        var states: [RoomState] = []
        for await event in events {
            guard case .state(let state) = event else { continue }
            states.append(state)
            if states.count == 7 { break }
        }
        #expect(
            states == [
                .joining, .joined, .interrupted(.connectionLost), .joined, .interrupted(.forgotten), .joining, .joined,
            ])
        await fixture.leave()
    }

    @Test("T137 of two hundred bookmarked rooms a few are entered at a time, and all in the end")
    func many() async throws {
        let online = try await OnlineSession()
        var bookmarks = try (0..<200).map { number in
            Bookmark(room: try JID("r\(number)@rooms.example.org"), joinsAutomatically: true, nickname: "ann")
        }
        bookmarks.append(Bookmark(room: try JID("never@rooms.example.org")))
        let rooms = try await online.session.rooms.follow(bookmarks, as: "other")
        #expect(rooms.count == 200)
        var asked: [String] = []
        var underWay: Set<String> = []
        var most = 0
        while asked.count < 200 || !underWay.isEmpty {
            guard case .element(let element)? = await online.peer.next() else { break }
            let to = element["to"] ?? ""
            if element.matches(.iq) {
                asked.append(to)
                underWay.insert(to)
                most = max(most, underWay.count)
                online.peer.inject(
                    "<iq type='result' id='\(element["id"] ?? "")' from='\(to)'>"
                        + "<query xmlns='http://jabber.org/protocol/disco#info'/></iq>")
            } else {
                let room = String(to.split(separator: "/").first ?? "")
                underWay.remove(room)
                online.roomPresence("ann", codes: [110], room: room)
            }
        }
        await online.settle()
        #expect(Set(asked).count == 200 && most <= 6)
        #expect(online.session.rooms.all.count == 200 && rooms.allSatisfy { $0.state == .joined })
        await online.end()
    }

    @Test("T136 five thousand occupants come, churn and go: nobody waits for a reader, and what waits stays small")
    func large() async throws {
        let online = try await OnlineSession()
        let jid = try JID(Self.room)
        let presences = online.session.presences()
        async let joined = online.session.rooms.join(jid, as: "ann")
        await online.answerInformation(["muc_open"])
        await online.peer.expect("presence")
        func send(_ type: String, _ role: String) { online.crowd(5000, type, role) }
        send("", "participant")
        online.roomPresence("ann", codes: [110])
        let room = try await joined
        #expect(room.occupantCount == 5001)
        let events = room.events()
        for round in 0..<4 { send("", round.isMultiple(of: 2) ? "visitor" : "moderator") }
        online.says("n1", "<body>one word</body>")
        for round in 0..<4 { send(round.isMultiple(of: 2) ? "type='unavailable'" : "", "participant") }
        send("type='unavailable'", "none")
        online.says(nil, "<body>end</body>")
        await online.settle()
        #expect(!online.peer.isReadingPaused)
        #expect(room.occupantCount == 1)
        var count = 0
        var last: [String] = []
        for await event in events {
            count += 1
            if case .message(let message) = event { last.append(message.body ?? "") }
            if last.last == "end" { break }
        }
        // Forty-five thousand presences: no more than one change for each occupant, and what is said.
        #expect(count <= 5000 + 10 && last == ["one word", "end"])
        // What a room says is the room's own business: nobody else had to look at it.
        online.peer.inject("<presence from='bo@example.org/x'/>")
        for try await presence in presences {
            #expect(presence.from?.domain == "example.org")
            break
        }
        await online.end()
    }

    @Test("a reader of events who does not follow stops the reading, and lets it go on")
    func slowReader() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let events = room.events()
        for number in 0..<300 { online.says("bo", "<body>\(number)</body>", id: "m\(number)") }
        await online.peer.waitUntil(isReadingPaused: true)
        var count = 0
        for await event in events {
            if case .message = event { count += 1 }
            if count == 300 { break }
        }
        #expect(count == 300 && !online.peer.isReadingPaused)
        await online.end()
    }

    @Test("without any reader nothing is kept, and nothing stops")
    func noReader() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        for number in 0..<400 { online.says("bo", "<body>\(number)</body>", id: "m\(number)") }
        await online.settle()
        #expect(!online.peer.isReadingPaused)
        online.says("bo", "<body>late</body>")
        let events = room.events()
        online.says("bo", "<body>later</body>")
        for await event in events {
            guard case .message(let message) = event else { continue }
            #expect(message.body == "late" || message.body == "later")
            break
        }
        await online.end()
    }
}
