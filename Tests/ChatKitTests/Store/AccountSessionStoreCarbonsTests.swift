// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("AccountSessionStore, carbons and typing")
struct AccountSessionStoreCarbonsTests {
    private func carbon(
        _ kind: String, outer: String = "from='ann@example.org'", inner: String, type: String = "chat"
    ) -> String {
        """
        <message \(outer) to='ann@example.org/desk' type='\(type)'><\(kind) xmlns='urn:xmpp:carbons:2'>\
        <forwarded xmlns='urn:xmpp:forward:0'>\(inner)</forwarded></\(kind)></message>
        """
    }

    private let fromBo = """
        <message xmlns='jabber:client' from='bo@example.net/p' to='ann@example.org/phone' type='chat' id='c1'>\
        <body>for the phone</body><request xmlns='urn:xmpp:receipts'/></message>
        """
    private let fromAnn = """
        <message xmlns='jabber:client' from='ann@example.org/phone' to='bo@example.net' type='chat' id='c2'>\
        <body>from the phone</body></message>
        """

    @Test("B116 a received carbon is an incoming message, which the other device answers for")
    func received() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.contact("bo@example.net", .both)
        try await fixture.receive(carbon("received", inner: fromBo))
        let message = try #require(try await fixture.messages().first)
        #expect(message.direction == .incoming)
        #expect(message.sender.description == "bo@example.net/p")
        #expect(try await fixture.outbox().isEmpty)
    }

    @Test("B117 a sent carbon is an outgoing message in the peer's conversation, and marks it as read")
    func sent() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive("<message from='bo@example.net/p' id='1'><body>hi</body></message>")
        try await fixture.receive(carbon("sent", inner: fromAnn))
        let message = try #require(try await fixture.messages().last)
        #expect(message.direction == .outgoing)
        #expect(message.state == .acknowledged)
        #expect(message.body == "from the phone")
        #expect(try await fixture.bodies(with: "ann@example.org").isEmpty)
        #expect(try await fixture.store.read { try Queries.conversations($0).map(\.unread) } == [0])
    }

    @Test("a sent carbon twice, or of a message that this device sent, is one row")
    func sentTwice() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(carbon("sent", inner: fromAnn), carbon("sent", inner: fromAnn))
        let row = try await fixture.queue("mine", own: "own-1")
        let copy = """
            <message xmlns='jabber:client' from='ann@example.org/desk' to='bo@example.net' type='chat' id='own-1'>\
            <body>mine</body></message>
            """
        try await fixture.receive(carbon("sent", inner: copy))
        #expect(try await fixture.bodies() == ["from the phone", "mine"])
        #expect(try await fixture.state(of: row) == .acknowledged)
    }

    private func fromPhone(_ id: String, _ body: String, to: String = "bo@example.net") -> String {
        """
        <message xmlns='jabber:client' from='ann@example.org/phone' to='\(to)' type='chat' id='\(id)'>\
        <body>\(body)</body></message>
        """
    }

    @Test("T113 what another device sends under an id that it gave before is another message, live and in the archive")
    func countedIDs() async throws {
        let fixture = try await StoreFixture.make()
        for body in ["one", "two", "two"] {
            fixture.time.advance(86_400_000)
            try await fixture.receive(carbon("sent", inner: fromPhone("aab", body)))
        }
        #expect(try await fixture.bodies() == ["one", "two"])
        let archive = FakeArchive()
        for (number, body) in ["one", "two", "three"].enumerated() {
            try archive.add("a\(number)", fromPhone("aab", body))
        }
        try await fixture.session.take(try await archive.page(.beginning, limit: 10))
        try await fixture.session.take(try await archive.page(.beginning, limit: 10))
        #expect(try await fixture.bodies() == ["one", "two", "three"])
    }

    @Test(
        "B117 a message to oneself from another device is here once, whichever of its two copies comes first",
        arguments: ["n1", "0123456789abcdef-note"], [true, false])
    func note(id: String, isCarbonFirst: Bool) async throws {
        let fixture = try await StoreFixture.make()
        let ann = StoreFixture.ann
        func copies(_ body: String) -> [String] {
            let both = [fromPhone(id, body, to: ann), carbon("sent", inner: fromPhone(id, body, to: ann))]
            return isCarbonFirst ? both.reversed() : both
        }
        for copy in copies("milk") { try await fixture.receive(copy) }
        #expect(try await fixture.bodies(with: ann) == ["milk"])
        #expect(try await fixture.store.read { try Queries.conversations($0).map(\.unread) } == [0])
        guard id == "n1" else { return }
        fixture.time.advance(60_000)
        for copy in copies("bread") { try await fixture.receive(copy) }
        #expect(try await fixture.bodies(with: ann) == ["milk", "bread"])
    }

    @Test(
        "T102 T103 B115 a carbon from anybody but the own bare address has no effect",
        arguments: [
            "from='mal@evil.example/x'", "from='example.org'", "from='ann@example.org/desk'",
            "from='room@rooms.example.net/ann'", "from='ann@example.org.evil.example'",
        ])
    func forged(_ outer: String) async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            carbon("received", outer: outer, inner: fromBo), carbon("sent", outer: outer, inner: fromAnn))
        #expect(try await fixture.count("message") == 0)
        #expect(try await fixture.count("conversation") == 0)
    }

    @Test("T103 a carbon of type groupchat, without a forwarded message, or with a body beside it, has no effect")
    func malformed() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            carbon("received", inner: fromBo, type: "groupchat"),
            "<message from='ann@example.org'><received xmlns='urn:xmpp:carbons:2'/><body>x</body></message>",
            """
            <message from='ann@example.org'><received xmlns='urn:xmpp:carbons:2'>\(fromBo)</received></message>
            """,
            carbon("received", inner: "<message xmlns='urn:other' from='bo@example.net'><body>x</body></message>"),
            carbon("received", inner: "<message xmlns='jabber:client' from='@'><body>x</body></message>"))
        #expect(try await fixture.count("message") == 0)
    }

    @Test("a sent carbon whose inner sender is somebody else has no effect")
    func sentByOther() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(carbon("sent", inner: fromBo))
        #expect(try await fixture.count("message") == 0)
    }

    @Test("B111 a receipt that comes as a carbon counts for the chat of its sender")
    func receiptCarbon() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await fixture.queue("hi", own: "own-1")
        try await fixture.receive(
            carbon(
                "received",
                inner: """
                    <message xmlns='jabber:client' from='bo@example.net/p' to='ann@example.org/phone' id='r'>\
                    <received xmlns='urn:xmpp:receipts' id='own-1'/></message>
                    """))
        #expect(try await fixture.state(of: row) == .delivered)
    }

    @Test("B118 a copy of a private message of a room is not shown as a conversation with the room")
    func roomPrivateMessage() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            carbon(
                "received",
                inner: """
                    <message xmlns='jabber:client' from='room@rooms.example.net/eli' type='chat' id='p'>\
                    <body>psst</body><x xmlns='http://jabber.org/protocol/muc#user'/></message>
                    """))
        #expect(try await fixture.count("message") == 0)
    }

    @Test("somebody who writes is shown, and no longer after a message, a pause, or a long silence")
    func typing() async throws {
        let fixture = try await StoreFixture.make()
        func state(_ name: String) -> String {
            """
            <message from='bo@example.net/p' type='chat'>\
            <\(name) xmlns='http://jabber.org/protocol/chatstates'/></message>
            """
        }
        try await fixture.receive(state("composing"))
        #expect(fixture.typing.states().map(\.peer.description) == ["bo@example.net"])
        try await fixture.receive(state("paused"))
        #expect(fixture.typing.states().isEmpty)
        try await fixture.receive(state("composing"))
        try await fixture.receive("<message from='bo@example.net/p' id='1'><body>done</body></message>")
        #expect(fixture.typing.states().isEmpty)
        try await fixture.receive(state("composing"))
        fixture.time.advance(TypingBook.lifetime)
        #expect(fixture.typing.forgetSilent(now: fixture.time.now))
        #expect(fixture.typing.states().isEmpty)
    }

    @Test("B108 a chat state that was held on its way tells nothing; a body in it is shown")
    func delayedTyping() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            """
            <message from='bo@example.net/p' type='chat'><composing xmlns='http://jabber.org/protocol/chatstates'/>\
            <delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/></message>
            """)
        #expect(fixture.typing.states().isEmpty)
    }
}
