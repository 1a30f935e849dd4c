// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import XMPP
import XMPPTesting

@testable import ChatKit

@Suite("RealServer: chat core", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerChatTests {
    @Test("two people register, become contacts, see each other and chat with receipts", arguments: TestServer.all)
    func mainJob(_ server: TestServer) async throws {
        let alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        try await alice.befriend(bob)
        try await alice.sees(bob) { $0.presence.availability == .online }
        try await bob.sees(alice) { $0.presence.availability == .online }

        let first = try await alice.send("good morning & <hello> 🦊", to: bob)
        #expect(try await alice.core.wait(for: first.id, until: .delivered).state == .delivered)
        let second = try await bob.send("good evening", to: alice)
        #expect(try await bob.core.wait(for: second.id, until: .delivered).state == .delivered)
        #expect(try await alice.texts(with: bob) == ["good morning & <hello> 🦊", "good evening"])
        #expect(try await bob.texts(with: alice) == ["good morning & <hello> 🦊", "good evening"])
        await alice.core.close()
        await bob.core.close()
    }

    @Test("a message to somebody who is away arrives later, delayed, once", arguments: TestServer.all)
    func offlineMessage(_ server: TestServer) async throws {
        let alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        try await alice.befriend(bob)
        try await bob.core.disconnect(bob.jid)
        try await alice.sees(bob) { $0.presence.availability == .offline }
        let message = try await alice.send("for later", to: bob)
        #expect(try await alice.core.wait(for: message.id, until: .acknowledged).state == .acknowledged)
        try await bob.core.connect(bob.jid)
        try await bob.hears("for later", from: alice)
        #expect(try await alice.core.wait(for: message.id, until: .delivered).state == .delivered)
        let heard = try await bob.core.history(
            try await bob.core.conversation(with: alice.jid, account: bob.jid).id)
        #expect(heard.map(\.body) == ["for later"])
        #expect(heard.map(\.isDelayed) == [true])
        await alice.core.close()
        await bob.core.close()
    }

    @Test("a cut connection is resumed, and what was sent meanwhile arrives once", arguments: TestServer.all)
    func cut(_ server: TestServer) async throws {
        let alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        try await alice.befriend(bob)
        var last: ChatMessage?
        for number in 0..<30 {
            last = try await alice.send("\(number)", to: bob)
            if number % 10 == 4 { alice.connector.cut() }
            if number % 10 == 8 { bob.connector.cut() }
        }
        let final = try #require(last)
        _ = try await alice.core.wait(for: final.id, until: .delivered)
        // A server may pass what it kept for a resumed stream behind what is new.
        for number in 0..<30 { try await bob.hears("\(number)", from: alice) }
        let heard = try await bob.texts(with: alice)
        #expect(heard.compactMap { Int($0) }.sorted() == Array(0..<30), "\(heard)")
        #expect(try await alice.texts(with: bob) == (0..<30).map(String.init))
        await alice.core.close()
        await bob.core.close()
    }

    @Test(
        "after a restart the stored keys log in, and what was written while offline is sent", arguments: TestServer.all)
    func restart(_ server: TestServer) async throws {
        var alice = try await Person.register("alice", server)
        let bob = try await Person.register("bob", server)
        try await alice.befriend(bob)
        alice = try await alice.restarted()
        let message = try await alice.send("after the restart", to: bob)
        #expect(message.state == .queued)
        try await alice.core.connectAll()
        #expect(try await alice.core.wait(for: message.id, until: .delivered).state == .delivered)
        #expect(try await bob.texts(with: alice) == ["after the restart"])
        #expect(try await alice.core.contacts().map(\.name) == ["friend"])
        await alice.core.close()
        await bob.core.close()
    }

    @Test("the password is changed, then the account removed from the server", arguments: TestServer.all)
    func passwordAndRemoval(_ server: TestServer) async throws {
        var alice = try await Person.register("alice", server)
        try await alice.core.changePassword("another-secret", of: alice.jid)
        alice = try await alice.restarted()
        try await alice.core.connect(alice.jid)
        try await alice.core.cancelAccount(alice.jid)
        #expect(try await alice.core.accounts().isEmpty)
        let jid = alice.jid
        let core = alice.core
        let error = await #expect(throws: ChatError.self) {
            try await core.addAccount(jid, password: "another-secret", settings: Person.settings(server))
        }
        #expect(error?.code.rawValue == "notAuthorized")
        await alice.core.close()
    }

    @Test("a name that is taken is refused with a word about it", arguments: TestServer.all)
    func taken(_ server: TestServer) async throws {
        let alice = try await Person.register("alice", server)
        let other = try await Person.open(try TemporaryFolder(), CuttableConnector())
        let jid = alice.jid
        let error = await #expect(throws: ChatError.self) {
            try await other.registerAccount(jid, password: "x-secret", settings: Person.settings(server))
        }
        #expect(error?.code.rawValue == "nameTaken")
        await other.close()
        await alice.core.close()
    }
}
