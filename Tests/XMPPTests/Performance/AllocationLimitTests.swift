// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing
import XMPP
import XMPPTesting

/// Heap allocations of this process, counted by `Tests/Allocations/counter.c` when that is preloaded.
///
/// Only counts that hold for every run are compared: what a batch of messages costs more than a smaller batch.
enum AllocationCounter {
    private typealias Function = @convention(c) () -> UInt

    private static let function: Function? = {
        guard let symbol = dlsym(nil, "apus_allocation_count") else { return nil }
        return unsafeBitCast(symbol, to: Function.self)
    }()

    static var isLoaded: Bool { function != nil }
    static var count: Int { Int(function?() ?? 0) }
}

/// Run on the release build only, where the optimizer has removed what it can.
@Suite("Heap allocations per message", .enabled(if: AllocationCounter.isLoaded), .timeLimit(.minutes(1)), .serialized)
struct AllocationLimitTests {
    static let small = 1000
    static let large = 5000

    @Test("a received message costs at most 6 allocations, read with body, sender and id")
    func received() async throws {
        let fixture = try SessionFixture()
        let messages = fixture.session.messages()
        try await fixture.connect()
        let warm = try await receive(Self.small, fixture, messages)
        let small = try await receive(Self.small, fixture, messages)
        let large = try await receive(Self.large, fixture, messages)
        #expect(warm > 0)
        let each = Double(large - small) / Double(Self.large - Self.small)
        print("allocations per received message: \(each)")
        #expect(each <= 6)
        await fixture.leave()
    }

    @Test("a sent message costs at most 2 allocations, with receipt request and chat state")
    func sent() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        fixture.peer.goDeaf()
        _ = try await send(Self.small, fixture)
        let small = try await send(Self.small, fixture)
        let large = try await send(Self.large, fixture)
        let each = Double(large - small) / Double(Self.large - Self.small)
        print("allocations per sent message: \(each)")
        #expect(each <= 2)
        await fixture.leave()
    }

    @Test("a room of 5,000 is entered in a second, churns and empties in five, with 24 MiB more than before")
    @concurrent func room() async throws {
        let online = try await OnlineSession()
        let jid = try JID(OnlineSession.room)
        let clock = ContinuousClock()
        let before = residentBytes
        async let joining = online.session.rooms.join(jid, as: "ann")
        await online.answerInformation(["muc_open"])
        await online.peer.expect("presence")
        let start = clock.now
        online.crowd(5000, "", "participant")
        online.roomPresence("ann", codes: [110])
        let room = try await joining
        let joined = clock.now
        #expect(room.occupantCount == 5001)
        var most = residentBytes
        let events = room.events()
        for round in 0..<8 { online.crowd(5000, "", round.isMultiple(of: 2) ? "visitor" : "moderator") }
        await online.settle()
        most = max(most, residentBytes)
        let churned = clock.now
        online.crowd(5000, "type='unavailable'", "none")
        await online.settle()
        let left = clock.now
        #expect(room.occupantCount == 1)
        withExtendedLifetime(events) {}
        let memory = Double(max(most, residentBytes) - before) / 1_048_576
        print(
            "allocations per room of 5000: entered in \(joined - start), 40000 changes in \(churned - joined),",
            "empty in \(left - churned), \(memory) MiB")
        #expect(joined - start < .seconds(1) && left - joined < .seconds(5) && memory < 24)
        await online.end()
    }

    /// The memory that the process has.
    private var residentBytes: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4096
    }

    /// Allocations from the first byte to the last message that the reader has.
    @concurrent private func receive(
        _ count: Int, _ fixture: SessionFixture, _ messages: Subscription<Message>
    ) async throws -> Int {
        let (from, id, body) = (
            "romeo@example.net/orchard", "0123456789abcdef", "Wilt thou be gone? It is not yet near day."
        )
        let one =
            "<message from='\(from)' to='juliet@example.org/balcony' type='chat' id='\(id)'>"
            + "<body>\(body)</body><active xmlns='http://jabber.org/protocol/chatstates'/>"
            + "<request xmlns='urn:xmpp:receipts'/></message>"
        let bytes = Array(String(repeating: one, count: count).utf8)
        let before = AllocationCounter.count
        fixture.peer.inject(bytes)
        var got = 0
        var size = 0
        for try await message in messages {
            size += (message.body?.utf8.count ?? 0) + (message.id?.utf8.count ?? 0)
            size += message.from?.description.utf8.count ?? 0
            got += 1
            if got == count { break }
        }
        #expect(size == count * (from.utf8.count + id.utf8.count + body.utf8.count))
        return AllocationCounter.count - before
    }

    /// Allocations from building the first message to writing the last.
    @concurrent private func send(_ count: Int, _ fixture: SessionFixture) async throws -> Int {
        let to = try JID("romeo@example.net/orchard")
        let payloads = [
            Element(XMLName("request", "urn:xmpp:receipts")),
            Element(XMLName("active", "http://jabber.org/protocol/chatstates")),
        ]
        let before = AllocationCounter.count
        var last: SendTicket?
        for _ in 0..<count {
            let message = Message(
                to: to, kind: .chat, id: "0123456789abcdef", body: "It was the nightingale, and not the lark.",
                payloads: payloads)
            last = try await fixture.session.send(message)
        }
        try await last?.written()
        return AllocationCounter.count - before
    }
}
