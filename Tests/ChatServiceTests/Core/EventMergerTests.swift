// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Testing

@testable import ChatService

@Suite struct EventMergerTests {
    private func lasting(_ number: Int) -> ChatEvent {
        ChatEvent(.message(FakeChatClient.incoming(number)), cursor: "\(number)")
    }

    private func typing(_ isTyping: Bool) -> ChatEvent.Kind {
        .typing(account: "ana@example.org", address: "bo@example.org", isTyping: isTyping)
    }

    @Test func `lasting events keep their order`() async throws {
        let merger = EventMerger()
        for number in 0..<EventMerger.capacity { #expect(await merger.put(lasting(number))) }
        for number in 0..<EventMerger.capacity { #expect(try await merger.next().cursor == "\(number)") }
    }

    @Test func `their source waits for a slow reader, and loses nothing`() async throws {
        let merger = EventMerger()
        let count = EventMerger.capacity * 4
        let source = Task {
            for number in 0..<count where await !merger.put(lasting(number)) { return false }
            return true
        }
        for number in 0..<count { #expect(try await merger.next().cursor == "\(number)") }
        #expect(await source.value)
    }

    @Test func `of passing events only the newest of each subject waits`() async throws {
        let merger = EventMerger()
        merger.post("a", typing(true))
        merger.post("b", .gap)
        merger.post("a", typing(false))
        #expect(try await merger.next().kind == typing(false))
        #expect(try await merger.next().kind == .gap)
        merger.post("a", typing(true))
        #expect(try await merger.next().kind == typing(true))
    }

    @Test func `many subjects that come again stay in their places`() async throws {
        let merger = EventMerger()
        for round in 0..<3 {
            for number in 0..<100 {
                merger.post("\(number)", .contactRemoved(account: "\(round)", address: "\(number)"))
            }
        }
        for number in 0..<100 {
            #expect(try await merger.next().kind == .contactRemoved(account: "2", address: "\(number)"))
        }
    }

    @Test func `the end comes after what waits`() async throws {
        let merger = EventMerger()
        #expect(await merger.put(lasting(1)))
        merger.end(ChatAPIError(.leaving, "closed"))
        #expect(try await merger.next().cursor == "1")
        let error = await #expect(throws: ChatAPIError.self) { try await merger.next() }
        #expect(error?.code == .leaving)
        #expect(await !merger.put(lasting(2)))
    }

    @Test func `a reader that is cancelled ends it, and its source`() async throws {
        let merger = EventMerger()
        let reader = Task { try await merger.next() }
        reader.cancel()
        let error = await #expect(throws: ChatAPIError.self) { try await reader.value }
        #expect(error?.code == .cancelled)
        for number in 0...EventMerger.capacity where await !merger.put(lasting(number)) { return }
        Issue.record("the source was not told")
    }
}
