// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@testable import ChatKit

@Suite("RealServer: rooms of the chat core", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(3)))
struct RealServerRoomsTests {
    /// A group of two, both in it.
    private func group(_ server: TestServer) async throws -> (alice: Person, bob: Person, room: JID) {
        let alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        let room = try await alice.core.createRoom(.group, name: "Tea", inviting: [bob.jid], account: alice.jid).peer
        for try await changes in bob.core.invitationUpdates() where !changes.rows.isEmpty { break }
        let invite = try #require(try await bob.core.invitations().first)
        #expect(invite.room == room)
        try await bob.core.joinRoom(room, account: bob.jid)
        return (alice, bob, room)
    }

    @Test(
        "a group is made, somebody invited, who comes and talks; each message is there once", arguments: TestServer.all)
    func talk(_ server: TestServer) async throws {
        let (alice, bob, room) = try await group(server)
        #expect(try await bob.core.invitations().isEmpty)
        try await alice.say("good morning", in: room)
        try await bob.hears("good morning", in: room)
        let nick = try #require(try await alice.room(room).room?.nickname)
        try await bob.say("\(nick): good evening", in: room)
        try await alice.room(room) { $0.mentions == 1 && $0.unread == 1 && $0.name == "Tea" }
        #expect(try await alice.texts(in: room) == ["good morning", "\(nick): good evening"])
        #expect(try await bob.texts(in: room) == ["good morning", "\(nick): good evening"])
        try await alice.core.changeRoom(room, RoomChange(topic: "Cups"), account: alice.jid)
        try await bob.room(room) { $0.room?.topic == "Cups" }
        let details = try await alice.core.room(room, account: alice.jid)
        #expect(details.isMembersOnly && details.members.filter { $0.role != nil }.count == 2)
        #expect(details.members.first { $0.address == bob.jid }?.affiliation == .member)
        // Another device of bob finds the room in the list.
        let phone = try await bob.device(server)
        try await phone.room(room) { $0.room?.state == .joined }
        try await alice.say("all of you", in: room)
        try await phone.hears("all of you", in: room)
        try await bob.hears("all of you", in: room)
        try await bob.core.leaveRoom(room, account: bob.jid)
        try await phone.room(room) { $0.room?.isWanted == false }
        for person in [alice, bob, phone] { await person.core.close() }
    }

    @Test(
        "T129 whoever is banned sees why and does not come back; a group that ends is told", arguments: TestServer.all)
    func ends(_ server: TestServer) async throws {
        let (alice, bob, room) = try await group(server)
        try await alice.core.changeMember(
            .account(bob.jid), of: room, to: .affiliation(.outcast), reason: "noise", account: alice.jid)
        try await bob.room(room) { $0.room?.state == .out && $0.room?.reason == .banned }
        await #expect(throws: ChatError.self) { try await bob.core.joinRoom(room, account: bob.jid) }
        // Prosody 0.12 says of a group first that it is for members.
        try await bob.room(room) { $0.room?.state == .out && [.banned, .membersOnly].contains($0.room?.reason) }
        try await alice.core.changeMember(.account(bob.jid), of: room, to: .affiliation(.member), account: alice.jid)
        try await bob.core.joinRoom(room, account: bob.jid)
        #expect(try await bob.room(room).room?.reason == nil)
        try await alice.core.destroyRoom(room, account: alice.jid)
        try await bob.room(room) { $0.room?.reason == .destroyed }
        for person in [alice, bob] { await person.core.close() }
    }

    @Test("a channel is found by its name and entered by everybody", arguments: TestServer.all)
    func channel(_ server: TestServer) async throws {
        let alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        let name = "Swift \(alice.jid.local ?? "")"
        let room = try await alice.core.createRoom(.channel, name: name, account: alice.jid).peer
        // ejabberd leaves a room out that does not answer it within a tenth of a second.
        var isListed = false
        for _ in 1...20 where !isListed {
            isListed = try await bob.core.publicRooms(account: bob.jid).contains { $0.room == room }
            if !isListed { try await Task.sleep(for: .milliseconds(100)) }
        }
        #expect(isListed)
        #expect(try await bob.core.roomAddress(name, account: bob.jid) == room)
        try await bob.core.joinRoom(room, account: bob.jid)
        try await bob.say("hello", in: room)
        let message = try #require(try await alice.hears("hello", in: room))
        if try await alice.core.runner(alice.jid).link?.roomFacts(room).canBeModerated == true {
            try await alice.core.moderate(message.id, reason: "spam")
            try await bob.room(room) { $0.lastMessage?.moderation?.reason == "spam" && $0.lastMessage?.body == "" }
        }
        for person in [alice, bob] { await person.core.close() }
    }

    @Test(
        "a room is entered again after the connection was lost, and what was written meanwhile is there once",
        arguments: TestServer.all)
    func again(_ server: TestServer) async throws {
        let (alice, bob, room) = try await group(server)
        for number in 0..<20 {
            _ = try await alice.core.send(to: room, text: "\(number)", account: alice.jid)
            if number % 7 == 3 { alice.connector.cut() }
            if number % 7 == 5 { bob.connector.cut() }
        }
        for number in 0..<20 { try await bob.hears("\(number)", in: room) }
        for number in 0..<20 { try await alice.hears("\(number)", in: room) }
        #expect(try await bob.texts(in: room).compactMap { Int($0) }.sorted() == Array(0..<20))
        #expect(try await alice.texts(in: room) == (0..<20).map(String.init))
        for person in [alice, bob] { await person.core.close() }
    }
}
