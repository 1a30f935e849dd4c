// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: history", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerHistoryTests {
    /// Two accounts, and so many messages from one to the other that both archives have.
    func talk(_ server: TestServer, _ count: Int) async throws -> (XMPPSession, XMPPSession, JID, JID) {
        let alice = server.session(try server.account("alice"))
        let bob = server.session(try server.account("bob"))
        let heard = bob.messages()
        try await alice.connect()
        try await bob.connect()
        let (from, to) = (try #require(await alice.jid), try #require(await bob.jid))
        for number in 1...count { try await alice.send(.chat(to: to, "\(number)", id: "m\(number)")) }
        var arrived = 0
        for try await message in heard where message.body != nil {
            arrived += 1
            if arrived == count { break }
        }
        for _ in 0..<50 {
            if try await alice.archive().page(ArchiveFilter(with: to.bare)).messages.count == count { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        return (alice, bob, from, to)
    }

    func bodies(_ pages: ResultPages<ArchivePage>) async throws -> [[String]] {
        var all: [[String]] = []
        for try await page in pages { all.append(page.messages.compactMap(\.message.body)) }
        return all.filter { !$0.isEmpty }
    }

    @Test(
        "an archive is read forward, backward, from a message, from a moment, and by identifiers",
        arguments: TestServer.all)
    func archive(_ server: TestServer) async throws {
        let (alice, bob, own, peer) = try await talk(server, 12)
        let archive = alice.archive()
        let filter = ArchiveFilter(with: peer.bare)
        #expect(try await archive.features().isSupported)
        let forward = try await bodies(archive.pages(filter, from: PageRequest(limit: 5)))
        #expect(forward == [["1", "2", "3", "4", "5"], ["6", "7", "8", "9", "10"], ["11", "12"]])
        let backward = try await bodies(archive.pages(filter, from: PageRequest(.last, limit: 5)))
        #expect(backward == [["8", "9", "10", "11", "12"], ["3", "4", "5", "6", "7"], ["1", "2"]])
        let all = try await archive.page(filter).messages
        #expect(all.allSatisfy { $0.isOutgoing(for: own) && $0.stamp != nil })
        let (third, tenth) = (all[2], all[9])
        let after = try await archive.page(filter, PageRequest(.after(third.id), limit: 2))
        #expect(after.messages.compactMap(\.message.body) == ["4", "5"] && !after.isComplete)
        var between = filter
        between.afterID = third.id
        between.beforeID = tenth.id
        #expect(
            try await archive.page(between).messages.compactMap(\.message.body) == ["4", "5", "6", "7", "8", "9"])
        let flipped = try await archive.page(between, isFlipped: true)
        #expect(flipped.messages.compactMap(\.message.body) == ["9", "8", "7", "6", "5", "4"])
        #expect(flipped.info.first == all[3].id && flipped.info.last == all[8].id)
        #expect(
            try await archive.messages(ids: [tenth.id, all[0].id]).compactMap(\.message.id).sorted() == ["m1", "m10"])
        var since = filter
        since.start = all[0].stamp
        #expect(try await archive.page(since).messages.count == 12)
        since.start = nil
        since.end = DateTime(seconds: (all[0].stamp?.seconds ?? 0) - 3600)
        let earlier = try await archive.page(since)
        #expect(earlier.messages.isEmpty && earlier.isComplete)
        let metadata = try await archive.metadata()
        #expect(metadata.start?.id == all[0].id && metadata.end?.id == all[11].id)
        do {
            _ = try await archive.page(ArchiveFilter(), PageRequest(.after("no-such-message")))
        } catch let error as XMPPError {
            // Not every server tells; those that do tell it in one way.
            #expect(error.code == .archivePositionUnknown)
        }
        #expect(try await archive.queryForm()["with"] != nil)
        let received = try await bob.archive().page(ArchiveFilter(with: own.bare))
        #expect(received.messages.count == 12 && received.messages.allSatisfy { !$0.isOutgoing(for: peer) })
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("the identifier of a live message is that of the archive", arguments: TestServer.all)
    func stanzaIDs(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        let bob = server.session(try server.account("bob"))
        let heard = bob.messages()
        try await alice.connect()
        try await bob.connect()
        let peer = try #require(await bob.jid)
        var message = Message.chat(to: peer, "hello", id: "m1")
        message.originID = "m1"
        try await alice.send(message)
        var iterator = heard.makeAsyncIterator()
        let live = try #require(try await iterator.next())
        let id = try #require(live.stanzaID(by: peer.bare))
        var found: [ArchivedMessage] = []
        for _ in 0..<50 where found.isEmpty {
            found = try await bob.archive().page().messages.filter { $0.id == id }
            if found.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        }
        #expect(found.first?.message.body == "hello")
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("what the archive keeps is asked for and changed", arguments: TestServer.all)
    func preferences(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        try await alice.connect()
        _ = try await alice.archivePreferences()
        let wanted = ArchivePreferences(default: .never, always: [try JID("bo@\(server.domain)")])
        #expect(try await alice.setArchivePreferences(wanted) == wanted)
        #expect(try await alice.archivePreferences() == wanted)
        await alice.disconnect()
    }
}
