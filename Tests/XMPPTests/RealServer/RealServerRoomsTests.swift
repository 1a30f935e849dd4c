// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: rooms", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerRoomsTests {
    /// Two people, and an address of a room that does not exist.
    func people(
        _ server: TestServer, change: (inout SessionConfiguration) -> Void = { _ in }
    ) async throws -> (ann: XMPPSession, bo: XMPPSession, room: JID) {
        var configuration = SessionConfiguration()
        configuration.modules.append(RoomsModule())
        change(&configuration)
        let ann = server.session(try server.account("ann"), configuration)
        let bo = server.session(try server.account("bo"))
        try await ann.connect()
        try await bo.connect()
        let service = try #require(try await ann.rooms.services().first)
        return (ann, bo, try JID(local: "r" + SystemRandomness().token().lowercased(), domain: service.domain))
    }

    /// Waits for the first event that `read` makes something of.
    func first<Found>(_ events: RoomEvents, _ read: (RoomEvent) -> Found?) async -> Found? {
        for await event in events { if let found = read(event) { return found } }
        return nil
    }

    func end(_ sessions: XMPPSession...) async {
        for session in sessions { await session.disconnect() }
    }

    @Test("two people talk: made, set up, joined, said, reflected, renamed, subject, left", arguments: TestServer.all)
    func talk(_ server: TestServer) async throws {
        let (ann, bo, address) = try await people(server)
        var wanted = RoomConfiguration.channel(name: "Tea & cake")
        wanted.isModerated = false
        wanted.participantsSetSubject = true
        let room = try await ann.rooms.create(address, as: "Ann", wanted)
        #expect(room.me?.affiliation == .owner && room.me?.role == .moderator)
        #expect(room.information?.name == "Tea & cake" && room.information?.isPersistent == true)
        #expect(room.information?.isModerated == false)
        let settings = try await room.configuration()
        #expect(settings.name == "Tea & cake" && settings.isPersistent == true && settings.isModerated == false)

        let heard = room.events()
        let theirs = try await bo.rooms.join(address, as: "Bo")
        let theirEvents = theirs.events()
        #expect(Set(theirs.occupants.map(\.nickname)) == ["Ann", "Bo"])
        #expect(await first(heard) { if case .joined(let who) = $0 { who.nickname } else { nil } } == "Bo")
        let sent = try await room.send("hi & hello")
        let echo = try await sent.reflection()
        #expect(echo.isOwn && echo.body == "hi & hello" && echo.stanzaID?.isEmpty == false)
        let said = await first(theirEvents) { if case .message(let message) = $0 { message } else { nil } }
        #expect(said?.body == "hi & hello" && said?.nickname == "Ann" && said?.origin == .live)
        #expect(said?.stanzaID == echo.stanzaID)

        #expect(try await theirs.changeNickname(to: "Bob") == "Bob")
        let renamed = await first(heard) {
            if case .renamed(let old, let who) = $0 { "\(old) \(who.nickname)" } else { nil }
        }
        #expect(renamed == "Bo Bob")
        try await room.setSubject("cake")
        #expect(
            await first(theirEvents) { if case .subject(let new) = $0, !new.text.isEmpty { new.text } else { nil } }
                == "cake")
        #expect(try await room.check() == .joined)
        let taken = await failed { try await theirs.changeNickname(to: "Ann") }
        #expect(taken?.roomRefusal == .nicknameInUse && theirs.nickname == "Bob")

        await theirs.leave("good night")
        let left = await first(heard) {
            if case .left(let who, .left(let text)) = $0 { "\(who.nickname) \(text ?? "")" } else { nil }
        }
        #expect(left == "Bob good night")
        await room.leave()
        #expect(room.state == .left(.left))
        await end(ann, bo)
    }

    func failed(_ work: () async throws -> Void) async -> XMPPError? {
        do {
            try await work()
            return nil
        } catch { return error as? XMPPError }
    }

    @Test("private words, kicked, banned, lists, destroyed with another place to go", arguments: TestServer.all)
    func power(_ server: TestServer) async throws {
        let (ann, bo, address) = try await people(server)
        let room = try await ann.rooms.create(address, as: "Ann", .group())
        let boJID = try #require(await bo.jid)
        #expect(await failed { _ = try await bo.rooms.join(address, as: "Bo") }?.roomRefusal == .membersOnly)
        try await room.setAffiliation(.member, of: boJID, reason: "a friend")
        #expect(try await room.accounts(.member).map(\.address) == [boJID.bare])
        let arrivals = room.events()
        let theirs = try await bo.rooms.join(address, as: "Bo")
        #expect(theirs.me?.affiliation == .member)
        // One may be inside before the other hears of it.
        let arrived = await first(arrivals) { if case .joined(let who) = $0 { who } else { nil } }
        #expect(arrived?.realAddress == boJID && room.occupant("Bo")?.realAddress == boJID)

        let heard = theirs.events()
        try await room.send("psst", privatelyTo: "Bo")
        let secret = await first(heard) { if case .privateMessage(let message) = $0 { message } else { nil } }
        #expect(secret?.body == "psst" && secret?.nickname == "Ann")

        try await room.kick("Bo", reason: "enough")
        let exit = await first(heard) { if case .state(.left(let exit)) = $0 { exit } else { nil } }
        guard case .kicked(let removal) = exit else {
            Issue.record("\(String(describing: exit))")
            return
        }
        #expect(removal.reason == "enough" && theirs.state == .left(.kicked(removal)))
        #expect(await failed { try await theirs.send("x") }?.code == .notInRoom)

        let again = try await bo.rooms.join(address, as: "Bo")
        let banned = again.events()
        try await room.ban(boJID, reason: "really")
        let ban = await first(banned) {
            if case .state(.left(.banned(let removal))) = $0 { removal.reason } else { nil }
        }
        #expect(ban == "really")
        let barred = await failed { _ = try await bo.rooms.join(address, as: "Bo") }?.roomRefusal
        // Prosody says first that one is no member.
        #expect(barred == (server.kind == "prosody" ? .membersOnly : .banned))
        #expect(try await room.accounts(.outcast).map(\.address) == [boJID.bare])
        try await room.setAffiliation(.member, of: boJID)

        let last = try await bo.rooms.join(address, as: "Bo")
        let events = last.events()
        let other = try JID(local: "other", domain: address.domain)
        try await room.destroy(reason: "too small", alternative: other)
        let end = await first(events) { if case .state(.left(.destroyed(let how))) = $0 { how } else { nil } }
        #expect(end?.alternative == other && end?.reason == "too small")
        await self.end(ann, bo)
    }

    @Test("invited by way of the room and from person to person, declined, and gone in", arguments: TestServer.all)
    func invitations(_ server: TestServer) async throws {
        let (ann, bo, address) = try await people(server)
        let room = try await ann.rooms.create(address, as: "Ann", .group())
        let boJID = try #require(await bo.jid)
        let annJID = try #require(await ann.jid)
        let events = room.events()
        var invitations = bo.rooms.invitations().makeAsyncIterator()
        try await room.invite(boJID, reason: "tea?")
        let mediated = try #require(try await invitations.next())
        #expect(mediated.room == address && mediated.isMediated && mediated.reason == "tea?")
        #expect(mediated.inviter?.isSameBare(as: annJID) == true || mediated.inviter?.isSameBare(as: address) == true)
        try await bo.rooms.decline(mediated, reason: "later")
        let decline = await first(events) { if case .declined(let decline) = $0 { decline } else { nil } }
        #expect(decline?.reason == "later" && decline?.by?.isSameBare(as: boJID) == true)

        try await room.setAffiliation(.member, of: boJID)
        try await room.invite(boJID, reason: "please", .direct)
        let direct = try #require(try await invitations.next())
        #expect(direct.room == address && !direct.isMediated && direct.inviter == annJID.bare)
        let theirs = try await bo.rooms.accept(direct, as: "Bo")
        #expect(theirs.state == .joined)
        await end(ann, bo)
    }

    @Test(
        "a moderator takes a message away, and a room has an archive, where the server can", arguments: TestServer.all)
    func moderation(_ server: TestServer) async throws {
        let (ann, bo, address) = try await people(server)
        var wanted = RoomConfiguration.channel()
        wanted.isModerated = false
        wanted.keepsArchive = true
        let room = try await ann.rooms.create(address, as: "Ann", wanted)
        let theirs = try await bo.rooms.join(address, as: "Bo")
        let events = room.events()
        try await theirs.send("buy my tea").reflection()
        let spam = await first(events) { if case .message(let message) = $0 { message } else { nil } }
        let id = try #require(spam?.stanzaID)
        let information = try #require(room.information)
        if information.namesAccounts {
            #expect(spam?.occupantID != nil && spam?.occupantID == room.occupant("Bo")?.occupantID)
        }
        // Before it is taken away: some keep nothing in its place.
        if information.hasArchive {
            var ids: [String] = []
            for _ in 0..<30 {
                ids = try await room.archive.page().messages.map(\.id)
                if !ids.isEmpty { break }
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(ids.contains(id))
        }
        if information.canBeModerated {
            try await room.moderate(id, reason: "spam")
            let gone = await first(events) { if case .moderated(let moderation) = $0 { moderation } else { nil } }
            #expect(gone?.stanzaID == id && gone?.reason == "spam")
        } else if !information.canBeModerated {
            #expect(await failed { try await room.moderate(id) }?.code == .notSupported)
        }
        #expect(information.hasArchive || server.kind != "prosody")
        await end(ann, bo)
    }

    @Test("a visitor asks for a voice and is given one", arguments: TestServer.all)
    func voice(_ server: TestServer) async throws {
        let (ann, bo, address) = try await people(server)
        var wanted = RoomConfiguration.channel()
        wanted.isModerated = true
        let room = try await ann.rooms.create(address, as: "Ann", wanted)
        let theirs = try await bo.rooms.join(address, as: "Bo")
        if theirs.me?.role != .visitor { try await room.setRole(.visitor, of: "Bo") }
        let heard = theirs.events()
        let events = room.events()
        if theirs.me?.role != .visitor {
            _ = await first(heard) { if case .changed(let who) = $0, who.role == .visitor { who } else { nil } }
        }
        let refusal = await failed { try await theirs.send("x").reflection(within: .seconds(5)) }
        #expect(refusal?.stanzaError?.condition == .forbidden)
        try await theirs.requestVoice()
        let request = await first(events) { if case .voiceRequested(let request) = $0 { request } else { nil } }
        #expect(request?.nickname == "Bo" && request?.role == .participant)
        try await room.answer(try #require(request), isGranted: true)
        _ = await first(heard) { if case .changed(let who) = $0, who.role == .participant { who } else { nil } }
        #expect(theirs.me?.role == .participant)
        #expect(try await theirs.send("thank you").reflection().body == "thank you")
        await end(ann, bo)
    }

    @Test("after a cut without resumption the session goes in again, and sees who is there", arguments: TestServer.all)
    func rejoin(_ server: TestServer) async throws {
        let connector = CuttableConnector()
        let (ann, bo, address) = try await people(server) {
            $0.connector = connector
            $0.usesStreamManagement = false
            $0.reconnect.minimum = .milliseconds(100)
        }
        var wanted = RoomConfiguration.channel()
        wanted.isModerated = false
        let theirs = try await bo.rooms.create(address, as: "Bo", wanted)
        let room = try await ann.rooms.join(address, as: "Ann")
        let events = room.events()
        connector.cut()
        let lost = await first(events) { if case .state(.interrupted(let why)) = $0 { why } else { nil } }
        #expect(lost == .connectionLost)
        _ = await first(events) { if case .state(.joined) = $0 { true } else { nil } }
        #expect(Set(room.occupants.map(\.nickname)) == ["Ann", "Bo"])
        try await theirs.send("welcome back").reflection()
        let said = await first(events) { if case .message(let message) = $0 { message.body } else { nil } }
        #expect(said == "welcome back")
        await end(ann, bo)
    }

    @Test("the rooms of a service are found", arguments: TestServer.all)
    func browse(_ server: TestServer) async throws {
        let (ann, bo, address) = try await people(server)
        _ = try await ann.rooms.create(address, as: "Ann", .channel(name: "Tea"))
        var found: [JID] = []
        for try await page in ann.rooms.list(at: try JID(address.domain)) { found += page.map(\.jid) }
        #expect(found.contains(address))
        let information = try await bo.rooms.information(of: address)
        #expect(information.name == "Tea" && !information.isHidden)
        let hidden = try JID(local: address.local.map { $0 + "x" }, domain: address.domain)
        #expect(await failed { _ = try await bo.rooms.information(of: hidden) }?.stanzaError != nil)
        await end(ann, bo)
    }
}
