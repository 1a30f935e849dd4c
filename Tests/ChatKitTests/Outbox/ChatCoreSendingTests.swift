// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Sending", .timeLimit(.minutes(1)))
struct ChatCoreSendingTests {
    private func sent(_ fixture: CoreFixture, _ link: FakeLink, count: Int) async throws {
        while link.messages.count < count { await Task.yield() }
    }

    @Test("a message goes from queued over written and acknowledged to delivered")
    func lifeCycle() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        let receipt = try await fixture.core.send(to: bo, text: "hi <&>", account: ann)
        #expect(receipt.message.state == .queued)
        #expect(!receipt.isRepeated)
        var updates = fixture.core.messageUpdates(receipt.message.id).makeAsyncIterator()
        #expect(try await updates.next()?.rows.map(\.state) == [.queued])

        try await sent(fixture, link, count: 1)
        let message = try #require(link.messages.first)
        #expect(message.body == "hi <&>")
        #expect(message.to == bo)
        #expect(message.kind == .chat)
        #expect(message.id == message.originID && message.id == receipt.message.originID)
        #expect(message.requestsReceipt)

        try await link.write()
        #expect(try await updates.next()?.rows.map(\.state) == [.written])
        try await link.acknowledge()
        #expect(try await updates.next()?.rows.map(\.state) == [.acknowledged])
        try await link.receive(
            """
            <message from='bo@example.net/p' id='r'><received xmlns='urn:xmpp:receipts' id='\(message.id ?? "")'/>
            </message>
            """)
        #expect(try await updates.next()?.rows.map(\.state) == [.delivered])
        let done = try await fixture.core.wait(for: receipt.message.id, until: .acknowledged)
        #expect(done.state == .delivered)
    }

    @Test("T172 C15 a call that is repeated with its key sends once, also after a restart")
    func idempotency() async throws {
        let folder = try TemporaryFolder()
        let (ann, bo) = (try JID("ann@example.org"), try JID("bo@example.net"))
        let first: ChatMessage
        do {
            let fixture = try await CoreFixture.make(folder: folder)
            try await fixture.core.addAccount(ann, password: "x")
            first = try await fixture.core.send(to: bo, text: "once", account: ann, idempotencyKey: "k1").message
            let other = try await fixture.core.send(
                to: try JID("eve@example.net"), text: "other chat", account: ann, idempotencyKey: "k1")
            #expect(!other.isRepeated)
            await fixture.core.close()
        }
        let again = try await CoreFixture.make(folder: folder)
        let repeated = try await again.core.send(to: bo, text: "once", account: ann, idempotencyKey: "k1")
        #expect(repeated.isRepeated)
        #expect(repeated.message.id == first.id)
        #expect(try await again.core.history(first.conversation).map(\.body) == ["once"])
    }

    @Test("ten calls at once with one key make one message")
    func concurrentIdempotency() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        let ids = try await withThrowingTaskGroup(of: ChatMessage.ID.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await fixture.core.send(to: bo, text: "hi", account: ann, idempotencyKey: "k").message.id
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test("what cannot be sent is refused before anything is queued")
    func refusals() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        func refusal(_ text: String) async -> ChatError.Code? {
            await #expect(throws: ChatError.self) {
                try await fixture.core.send(to: bo, text: text, account: ann)
            }?.code
        }
        #expect(await refusal("") == .emptyMessage)
        #expect(await refusal(String(repeating: "x", count: ChatCore.maximumBodyBytes + 1)) == .messageTooLong)
        for text in ["a\u{1A}b", "\u{0}", "\u{FFFE}"] { #expect(await refusal(text) == .unsendableText) }
        #expect(try await fixture.core.conversations().isEmpty)
        try await fixture.core.send(
            to: bo, text: String(repeating: "x", count: ChatCore.maximumBodyBytes), account: ann)
        try await fixture.core.send(to: bo, text: "tab\tand\nline", account: ann)
    }

    @Test("messages written while offline are sent in order when the account is online, each once")
    func offline() async throws {
        let folder = try TemporaryFolder()
        let (ann, bo) = (try JID("ann@example.org"), try JID("bo@example.net"))
        let time = ManualTime()
        do {
            var settings = AccountSettings()
            settings.allowsPlain = true
            let fixture = try await CoreFixture.make(folder: folder, time: time)
            try await fixture.core.addAccount(ann, password: "x", settings: settings)
            try await fixture.core.disconnect(ann)
            for number in 0..<250 { try await fixture.core.send(to: bo, text: "\(number)", account: ann) }
            await fixture.core.close()
        }
        let fixture = try await CoreFixture.make(folder: folder, time: time)
        try await fixture.core.connect(ann)
        try await sent(fixture, fixture.link, count: 250)
        #expect(fixture.link.messages.compactMap(\.body) == (0..<250).map(String.init))
        fixture.link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        fixture.link.emit(.online(try JID("ann@example.org/fake"), isResumed: true))
        try await fixture.core.send(to: bo, text: "last", account: ann)
        try await sent(fixture, fixture.link, count: 251)
        #expect(fixture.link.messages.last?.body == "last")
        #expect(fixture.link.messages.count == 251)
    }

    @Test("what a session took and never wrote goes to the next session, under the same id")
    func nextSession() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await fixture.core.send(to: try JID("bo@example.net"), text: "hi", account: ann)
        try await sent(fixture, link, count: 1)
        try await fixture.core.disconnect(ann)
        try await fixture.core.connect(ann)
        let second = fixture.link
        #expect(second !== link)
        try await sent(fixture, second, count: 1)
        #expect(second.messages.first?.id == link.messages.first?.id)
    }

    @Test("T101 a message that waited for a day needs confirmation instead of going out, and is sent under its id")
    func expired() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await fixture.core.disconnect(ann)
        let bo = try JID("bo@example.net")
        let old = try await fixture.core.send(to: bo, text: "old", account: ann).message
        fixture.time.advance(AccountSessionStore.maximumAge + 1)
        let young = try await fixture.core.send(to: bo, text: "young", account: ann).message
        try await fixture.core.connect(ann)
        let second = fixture.link
        try await sent(fixture, second, count: 1)
        #expect(second.messages.map(\.body) == ["young"])
        try await fixture.until { try await fixture.core.message(old.id).state == .needsConfirmation }
        #expect(try await fixture.core.waitingMessages(of: ann).first?.id == old.id)

        let early = await #expect(throws: ChatError.self) { try await fixture.core.retry(young.id) }
        #expect(early?.code == .notFailed)
        try await fixture.core.retry(old.id)
        try await sent(fixture, second, count: 2)
        #expect(second.messages.last?.body == "old")
        #expect(second.messages.last?.id == old.originID)
        #expect(link.messages.isEmpty)
    }

    @Test("T101 a message that needs confirmation can be dropped, and nothing of it goes out")
    func discarded() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        try await fixture.core.disconnect(ann)
        let old = try await fixture.core.send(to: try JID("bo@example.net"), text: "old", account: ann).message
        let early = await #expect(throws: ChatError.self) { try await fixture.core.discard(old.id) }
        #expect(early?.code == .notWaiting)
        fixture.time.advance(AccountSessionStore.maximumAge + 1)
        try await fixture.core.connect(ann)
        #expect(try await fixture.core.wait(for: old.id, until: .written).state == .needsConfirmation)
        try await fixture.core.discard(old.id)
        #expect(try await fixture.core.message(old.id).state == .failed(MessageFailure(.discarded)))
        #expect(try await fixture.core.waitingMessages().isEmpty)
        try await fixture.core.send(to: try JID("bo@example.net"), text: "young", account: ann)
        try await sent(fixture, fixture.link, count: 1)
        #expect(fixture.link.messages.map(\.body) == ["young"])
    }

    @Test("waiting for a message ends when it fails")
    func waitFails() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let message = try await fixture.core.send(to: try JID("bo@example.net"), text: "hi", account: ann).message
        try await sent(fixture, link, count: 1)
        try await link.write()
        async let waited = fixture.core.wait(for: message.id, until: .delivered)
        try await link.receive(
            """
            <message from='bo@example.net' type='error' id='\(message.originID ?? "")'><error type='cancel'>
            <service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>
            """)
        #expect(try await waited.state == .failed(MessageFailure(.init(rawValue: "service-unavailable"))))
    }

    @Test("a wait that is cancelled ends and leaves no reader behind")
    func waitCancelled() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        let message = try await fixture.core.send(to: try JID("bo@example.net"), text: "hi", account: ann).message
        let before = fixture.core.store.hub.count
        let waiting = Task { try await fixture.core.wait(for: message.id, until: .displayed) }
        while fixture.core.store.hub.count == before { await Task.yield() }
        waiting.cancel()
        let result = await waiting.result
        #expect(throws: ChatError.self) { try result.get() }
        #expect(fixture.core.store.hub.count == before)
        await #expect(throws: ChatError.self) {
            try await fixture.core.wait(for: .init(rawValue: 9999), until: .written)
        }
    }
}
