// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

/// What stands beside the core of rooms: hats, reserved nicknames, pictures, many people.
@Suite("RealServer: more of rooms", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerRoomFeaturesTests {
    private let rooms = RealServerRoomsTests()

    @Test("a hat is put on, by a command where there is one, seen, and taken off", arguments: TestServer.all)
    func hats(_ server: TestServer) async throws {
        let (ann, bo, address) = try await rooms.people(server)
        let hat = Hat(uri: "urn:example:speaker", title: "Speaker & guide")
        var wanted = RoomConfiguration.channel()
        wanted.isModerated = false
        let room = try await ann.rooms.create(address, as: "Ann", wanted)
        let boJID = try #require(await bo.jid?.bare)
        try await room.setAffiliation(.member, of: boJID)
        let events = room.events()
        if server.kind == "prosody" {
            #expect(await rooms.failed { try await room.putHat(hat, on: boJID) }?.code == .notSupported)
            try server.putOn(hat, boJID, in: address)
        }
        let theirs = try await bo.rooms.join(address, as: "Bo")
        if server.kind == "ejabberd" { try await room.putHat(hat, on: boJID) }
        let seen = await rooms.first(events) { event -> [Hat]? in
            switch event {
            case .joined(let who), .changed(let who): who.nickname == "Bo" && !who.hats.isEmpty ? who.hats : nil
            default: nil
            }
        }
        #expect(seen == [hat] && room.occupant("Bo")?.hats == [hat])
        if server.kind == "ejabberd" {
            try await room.takeHat(hat, from: boJID)
            _ = await rooms.first(events) {
                if case .changed(let who) = $0, who.nickname == "Bo", who.hats.isEmpty { true } else { nil }
            }
        }
        await theirs.leave()
        await rooms.end(ann, bo)
    }

    @Test("a nickname is reserved with a room, and nobody else gets it", arguments: TestServer.all)
    func nickname(_ server: TestServer) async throws {
        let (ann, bo, address) = try await rooms.people(server)
        var wanted = RoomConfiguration.channel()
        wanted.isModerated = false
        let room = try await ann.rooms.create(address, as: "Ann", wanted)
        let boJID = try #require(await bo.jid)
        guard try #require(room.information).canBeRegisteredWith else {
            #expect(server.kind == "ejabberd")
            #expect(await rooms.failed { try await room.register(nickname: "Bo") }?.stanzaError != nil)
            return await rooms.end(ann, bo)
        }
        // Whoever is nothing to the room may not register with it there.
        try await room.setAffiliation(.member, of: boJID)
        let theirs = await bo.rooms.room(address)
        #expect(try await !theirs.registrationForm().isRegistered)
        try await theirs.register(nickname: "Bo")
        #expect(try await theirs.registrationForm().isRegistered)
        if server.kind == "prosody" { #expect(try await bo.rooms.reservedNickname(in: address) == "Bo") }
        let conflict = await rooms.failed { try await room.changeNickname(to: "Bo") }
        #expect(conflict?.roomRefusal == .nicknameInUse)
        try await theirs.join(as: "Bo")
        #expect(theirs.nickname == "Bo")
        await theirs.leave()
        try await theirs.unregister()
        if server.kind == "prosody" { #expect(try await bo.rooms.reservedNickname(in: address) == nil) }
        await rooms.end(ann, bo)
    }

    @Test("a room has a picture, which others find and fetch without being in it", arguments: TestServer.all)
    func picture(_ server: TestServer) async throws {
        let (ann, bo, address) = try await rooms.people(server)
        let room = try await ann.rooms.create(address, as: "Ann", .channel())
        let picture = try Picture(SamplePictures.pixel)
        let other = await bo.rooms.room(address)
        try await room.setAvatar(picture)
        #expect(try await other.fetchAvatar() == picture)
        if server.kind == "prosody" || server.isNewer {
            #expect(try await bo.rooms.information(of: address).avatar == picture.hash)
        }
        try await room.setAvatar(nil)
        #expect(try await other.fetchAvatar() == nil)
        await rooms.end(ann, bo)
    }
}

extension TestServer {
    /// Prosody keeps hats beside affiliations, and has no command for them: its keeper puts them on.
    fileprivate func putOn(_ hat: Hat, _ account: JID, in room: JID) throws {
        try command(
            "ctl",
            [
                "shell",
                """
                > prosody.hosts["\(room.domain)"].modules.muc.get_room_from_jid("\(room)"):set_affiliation_data(\
                "\(account)", "hats", { ["\(hat.uri)"] = { title = "\(hat.title)", active = true } })
                """,
            ])
    }
}
