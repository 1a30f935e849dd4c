// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing
import XMPP
import XMPPTesting

@testable import ChatKit

@Suite("RealServer: archives of the chat core", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(3)))
struct RealServerArchiveTests {
    @Test(
        "B137 what came while a device was away arrives through three cuts, once and in order; a new device finds all of it",
        arguments: TestServer.all)
    func cuts(_ server: TestServer) async throws {
        let alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        try await alice.befriend(bob)
        _ = try await alice.send("first", to: bob)
        try await bob.hears("first", from: alice)
        try await bob.core.disconnect(bob.jid)
        let count = 250
        for number in 0..<count { _ = try await alice.send("\(number)", to: bob) }
        let last = try await alice.send("last", to: bob)
        _ = try await alice.core.wait(for: last.id, until: .acknowledged)
        let cutter = Task {
            for _ in 0..<3 {
                try await Task.sleep(for: .milliseconds(60))
                bob.connector.cut()
            }
        }
        try await bob.core.connectAll()
        try await bob.hears("last", from: alice)
        try await cutter.value
        let runner = try bob.core.runner(bob.jid)
        while await runner.needsCatchUp { try await Task.sleep(for: .milliseconds(20)) }
        let expected = ["first"] + (0..<count).map(String.init) + ["last"]
        #expect(try await bob.texts(with: alice) == expected)

        // On a new device everything lies in a gap, and the way back fills it.
        let phone = try await bob.device(server)
        let phoneRunner = try phone.core.runner(bob.jid)
        while await phoneRunner.needsCatchUp { try await Task.sleep(for: .milliseconds(20)) }
        let conversation = try await phone.core.conversation(with: alice.jid, account: bob.jid).id
        var page = try await phone.core.loadTimeline(conversation, limit: 200)
        var texts = page.messages.map(\.body)
        while let first = page.messages.first {
            page = try await phone.core.loadTimeline(conversation, at: .before(first.id), limit: 200)
            texts = page.messages.map(\.body) + texts
        }
        #expect(texts == expected)
        // Read long ago, apart from what the server kept for a device that is away and hands to whichever comes.
        let handedOver: Int? = try await phone.core.store.read {
            try $0.value("SELECT count(*) FROM event WHERE kind = 'message'")
        }
        #expect(try await phone.core.conversation(conversation).unread <= handedOver ?? 0)
        for person in [alice, bob, phone] { await person.core.close() }
    }

    @Test(
        "what was said in a room before and while somebody was away comes from its archive", arguments: TestServer.all)
    func room(_ server: TestServer) async throws {
        let alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        let room = try await alice.core.createRoom(.group, name: "Tea", inviting: [bob.jid], account: alice.jid).peer
        for number in 0..<70 { try await alice.say("\(number)", in: room) }
        try await bob.core.joinRoom(room, account: bob.jid)
        guard try await alice.core.runner(alice.jid).link?.roomFacts(room).hasArchive == true else {
            Issue.record("the room has no archive")
            return
        }
        try await bob.hears("69", in: room)
        let conversation = try await bob.room(room).id
        let page = try await bob.core.loadTimeline(conversation, limit: 200)
        #expect(page.messages.map(\.body) == (0..<70).map(String.init) && page.gaps.isEmpty)
        #expect(try await bob.room(room).unread == 0)
        try await bob.core.disconnect(bob.jid)
        for number in 70..<80 { try await alice.say("\(number)", in: room) }
        try await bob.core.connectAll()
        try await bob.hears("79", in: room)
        #expect(try await bob.texts(in: room) == (0..<80).map(String.init))
        #expect(try await bob.room(room).unread == 10)
        for person in [alice, bob] { await person.core.close() }
    }

    @Test(
        "two devices of one account that read and write at once end with equal timelines, counts and read positions",
        arguments: TestServer.all)
    func twoDevices(_ server: TestServer) async throws {
        let alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        try await alice.befriend(bob)
        let phone = try await alice.device(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (name, person, peer) in [("a", alice, bob), ("p", phone, bob), ("b", bob, alice)] {
                group.addTask {
                    for number in 0..<20 {
                        _ = try await person.send("\(name)\(number)", to: peer)
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
            }
            for person in [alice, phone] {
                group.addTask {
                    for _ in 0..<10 {
                        let conversation = try await person.core.conversation(with: bob.jid, account: alice.jid).id
                        try await person.core.markRead(conversation)
                        try await Task.sleep(for: .milliseconds(11))
                    }
                }
            }
            try await group.waitForAll()
        }
        for person in [alice, phone] {
            for name in ["a", "p", "b"] {
                for number in 0..<20 { try await person.hears("\(name)\(number)", from: bob) }
            }
        }
        // Some of it is read on one, and one more message is not read by anybody.
        try await phone.core.markRead(try await phone.core.conversation(with: bob.jid, account: alice.jid).id)
        _ = try await bob.send("unread", to: alice)
        for person in [alice, phone] {
            try await person.hears("unread", from: bob)
            try await person.core.disconnect(alice.jid)
        }
        // Each goes through the archive once more.
        for person in [alice, phone] {
            try await person.core.connect(alice.jid)
            let runner = try person.core.runner(alice.jid)
            while await runner.needsCatchUp { try await Task.sleep(for: .milliseconds(20)) }
        }
        struct View: Equatable {
            var texts: [String]
            var unread: Int
            var read: String?
        }
        func view(_ person: Person) async throws -> View {
            let conversation = try await person.core.conversation(with: bob.jid, account: alice.jid)
            let messages = try await person.core.history(conversation.id, limit: 500)
            // Messages of one's own are not read: the last one of the other side counts.
            let place = messages.first { $0.id == conversation.readThrough }?.position ?? 0
            let read = messages.last { $0.direction == .incoming && $0.position <= place }
            return View(texts: messages.map(\.body), unread: conversation.unread, read: read?.body)
        }
        var views = (try await view(alice), try await view(phone))
        let end = ContinuousClock.now + .seconds(10)
        while views.0 != views.1 || views.0.unread != 1, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(50))
            views = (try await view(alice), try await view(phone))
        }
        #expect(views.0 == views.1)
        #expect(views.0.texts.count == 61 && views.0.unread == 1 && views.0.read != nil)
        for person in [alice, bob, phone] { await person.core.close() }
    }
}
