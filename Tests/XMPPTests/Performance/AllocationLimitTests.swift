// SPDX-License-Identifier: Apache-2.0
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
