// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

/// What the server sends to a client that nobody looks at; prints the figures for docs/PERFORMANCE.md.
@Suite("RealServer: client state", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerClientStateTests {
    private static let node = "urn:example:words"
    private static let rounds = 30

    private struct Step: NodePayload {
        static let name = XMLName("step", "urn:example:words")
        var text: String
        init(_ text: String) { self.text = text }
        init?(_ element: Element) {
            guard element.matches(Self.name) else { return nil }
            text = element.text
        }
        var element: Element { Element(Self.name, text: text) }
    }

    /// A phone, another device of the same account that keeps it busy, and somebody who types.
    private struct People {
        var phone: XMPPSession
        var desk: XMPPSession
        var bob: XMPPSession
        var phoneJID: JID
        var heard: Subscription<Message>.Iterator

        init(_ server: TestServer) async throws {
            var configuration = SessionConfiguration()
            configuration.modules += [PubSubModule(nodes: [RealServerClientStateTests.node]), CapabilitiesModule()]
            let alice = try server.account("alice")
            phone = server.session(alice, configuration)
            desk = server.session(alice)
            bob = server.session(try server.account("bob"))
            heard = phone.messages().makeAsyncIterator()
            let events = phone.nodeEvents()
            for session in [phone, desk, bob] { try await session.connect() }
            phoneJID = try #require(await phone.jid)
            // Until the server knows that the phone wants to hear of the node.
            let service = desk.pubSub()
            let publishing = Task {
                while !Task.isCancelled {
                    try await service.publish(Step("begin"), id: "begin", to: RealServerClientStateTests.node)
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
            for try await event in events where event.node == RealServerClientStateTests.node { break }
            publishing.cancel()
        }

        /// Presence, chat states and node events, `rounds` of each; returns when the server has handled them.
        func keepBusy() async throws {
            let service = desk.pubSub()
            for round in 1...RealServerClientStateTests.rounds {
                try await desk.setPresence(Presence(status: "walking, step \(round)"))
                try await bob.send(.chatState(round.isMultiple(of: 2) ? .paused : .composing, to: phoneJID))
                try await service.publish(Step("word \(round)"), id: "w", to: RealServerClientStateTests.node)
            }
            _ = try await bob.ping(bob.jid?.bare)
            _ = try await desk.ping(desk.jid?.bare)
            try await Task.sleep(for: .milliseconds(700))
        }

        /// A message that matters, with whatever the server kept back before it.
        mutating func urgent(_ text: String) async throws {
            try await bob.send(.chat(to: phoneJID, text))
            while let message = try await heard.next(), message.body != text {}
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    @Test(
        "presence, typing and node events wait while nobody looks, and what matters does not", arguments: TestServer.all
    )
    func traffic(_ server: TestServer) async throws {
        var people = try await People(server)
        try await people.urgent("both are here")
        var figures: [(during: UInt64, after: UInt64)] = []
        for isActive in [true, false] {
            await people.phone.setActive(isActive)
            let start = await people.phone.receivedBytes
            try await people.keepBusy()
            let middle = await people.phone.receivedBytes
            try await people.urgent("active: \(isActive)")
            figures.append((middle - start, await people.phone.receivedBytes - start))
        }
        await people.phone.setActive(true)
        let (active, inactive) = (figures[0], figures[1])
        print(
            "client state on \(server): \(Self.rounds) presences, chat states and node events:",
            "active \(active.during) bytes, inactive \(inactive.during);",
            "with the message after them \(active.after) and \(inactive.after)")
        #expect(active.during > 0)
        #expect(inactive.during * 10 < active.during)
        try await people.desk.pubSub().deleteNode(Self.node)
        for session in [people.phone, people.desk, people.bob] { await session.disconnect() }
    }
}
