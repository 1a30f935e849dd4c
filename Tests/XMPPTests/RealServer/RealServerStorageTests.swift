// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP
import XMPPTesting

@Suite("RealServer: what servers keep and do", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerStorageTests {
    /// The bookmarks of before, as an old program stores them.
    private static func stored(_ rooms: [String]) throws -> Element {
        let list = rooms.map { "<conference jid='\($0)' name='\($0)' autojoin='true'/>" }.joined()
        return try received(
            "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'>\(list)</storage></query>")
    }

    /// What such a program finds.
    private func rooms(_ session: XMPPSession) async throws -> Set<String> {
        let reply = try await session.get(try Self.stored([]))
        let storage = reply.payload?.children.first { $0.localName == "storage" }
        return Set(storage?.children.compactMap { $0["jid"] } ?? [])
    }

    @Test("bookmarks of an old program and ours are the same, whoever joins them", arguments: TestServer.all)
    func oldBookmarks(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        try await alice.connect()
        let (old, new) = ("attic@rooms.\(server.domain)", "tearoom@rooms.\(server.domain)")
        _ = try await alice.set(try Self.stored([old]))
        #expect(try await alice.fetchBookmarks().map(\.room.description) == [old])
        try await alice.setBookmark(Bookmark(room: try JID(new), name: "Tea", joinsAutomatically: true))
        #expect(try await rooms(alice) == [old, new])
        try await alice.removeBookmark(of: try JID(old))
        #expect(try await rooms(alice) == [new])
        #expect(try await alice.fetchBookmarks().map(\.room.description) == [new])
        await alice.disconnect()
    }

    @Test("a command of the server is found and run", arguments: TestServer.all)
    func commands(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        try await alice.connect()
        let domain = try JID(server.domain)
        let listed = try await alice.commands(of: domain).compactMap(\.node)
        // Prosody tells how long it runs, ejabberd answers a ping.
        let node = try #require(["uptime", "ping"].first { listed.contains($0) || $0 == "ping" })
        let step = try await alice.runCommand(node, at: domain)
        #expect(step.status == .completed && step.notes.isEmpty == false)
        await #expect(throws: XMPPError.self) { try await alice.runCommand("no-such-command", at: domain) }
        await alice.disconnect()
    }

    @Test("a request that was approved beforehand is granted at once", arguments: TestServer.all)
    func preApproval(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        let bob = server.session(try server.account("bob"))
        let seen = bob.presences()
        try await alice.connect()
        try await bob.connect()
        let (own, peer) = (try #require(await alice.jid), try #require(await bob.jid))
        guard await alice.streamFeatures.offersPreApproval else {
            #expect(server.kind == "ejabberd")
            #expect(await failureCode { try await alice.approveSubscription(of: peer) } == .notSupported)
            await alice.disconnect()
            return await bob.disconnect()
        }
        try await alice.approveSubscription(of: peer)
        try await bob.requestSubscription(to: own, known: nil)
        for try await presence in seen where presence.from?.isSameBare(as: own) == true {
            if presence.kind == .subscribed || presence.kind == .available { break }
        }
        await alice.disconnect()
        await bob.disconnect()
    }
}
