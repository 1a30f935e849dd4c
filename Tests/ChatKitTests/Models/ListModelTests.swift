// SPDX-License-Identifier: Apache-2.0
import Observation
import Testing
import XMPP

@testable import ChatKit

@Suite("ListModel", .timeLimit(.minutes(1)))
@MainActor
struct ListModelTests {
    /// Waits until something that observed values say holds.
    private func until(_ holds: @escaping @MainActor () -> Bool) async {
        while !holds() {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = holds()
                } onChange: {
                    continuation.resume()
                }
            }
            // The change is made when this is told; it is there a moment later.
            await Task.yield()
        }
    }

    private struct Weak {
        weak var value: ListModel<Conversation>?
    }

    @Test("a list follows what happens, and ends with the model")
    func list() async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        let before = fixture.core.store.hub.count
        var model: ListModel? = ListModel(fixture.core.conversationUpdates())
        let known = Weak(value: model)
        await until { known.value?.isLoaded == true }
        #expect(model?.rows.isEmpty == true)
        try await link.receive("<message from='bo@example.net/p' id='1'><body>one</body></message>")
        await until { known.value?.rows.count == 1 }
        #expect(model?.rows.first?.lastMessage?.body == "one")
        #expect(model?.lastChanges?.inserted.count == 1)
        model = nil
        #expect(known.value == nil)
        while fixture.core.store.hub.count > before { await Task.yield() }
    }

    @Test("a timeline follows its end and grows upwards, each message once")
    func timeline() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        for number in 1...30 {
            try await link.receive("<message from='bo@example.net/p' id='m\(number)'><body>\(number)</body></message>")
        }
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        let model = TimelineModel(id, of: fixture.core, limit: 10)
        await until { model.isLoaded }
        #expect(model.messages.map(\.body) == (21...30).map(String.init))
        #expect(model.hasOlder)
        try await model.loadOlder(15)
        #expect(model.messages.map(\.body) == (6...30).map(String.init))
        try await link.receive("<message from='bo@example.net/p' id='m31'><body>31</body></message>")
        await until { model.messages.last?.body == "31" }
        #expect(model.messages.first?.body == "6")
        try await model.loadOlder(15)
        #expect(model.messages.map(\.body) == (1...31).map(String.init))
        #expect(!model.hasOlder)
    }
}
