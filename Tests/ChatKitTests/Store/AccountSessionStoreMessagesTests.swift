// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("AccountSessionStore+Messages")
struct AccountSessionStoreMessagesTests {
    private func unread(_ fixture: StoreFixture) async throws -> [Int] {
        try await fixture.store.read { try Queries.conversations($0).map(\.unread) }
    }

    private func acknowledged(_ fixture: StoreFixture, own: String, to peer: String = "bo@example.net") async throws
        -> Int64
    {
        let row = try await fixture.queue("hi", own: own, to: peer)
        try await fixture.store.write { _ = try $0.advance(message: row, to: MessageState.Stored.acknowledged) }
        return row
    }

    // MARK: Incoming

    @Test("an incoming message is a row with its sender, unread, at the end of its conversation")
    func incoming() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            """
            <message from='bo@example.net/p' to='ann@example.org' type='chat' id='m1' xml:lang='en'>
            <subject>s</subject><body>hi &amp; hello</body><thread>t</thread></message>
            """)
        let message = try #require(try await fixture.messages().first)
        #expect(message.body == "hi & hello")
        #expect(message.subject == "s")
        #expect(message.direction == .incoming)
        #expect(message.state == .received)
        #expect(message.sender.description == "bo@example.net/p")
        #expect(message.originID == "m1")
        #expect(message.protection == .none)
        #expect(!message.isDelayed)
        #expect(try await unread(fixture) == [1])
    }

    @Test("T175 quotes and SQL in an address, a body and an id stay text")
    func injection() async throws {
        let fixture = try await StoreFixture.make()
        let text = "'); DROP TABLE message; --"
        try await fixture.receive(
            "<message from=\"bo@example.net/';DROP TABLE contact;--\" id=\"'\"><body>\(text)</body></message>")
        let message = try #require(try await fixture.messages().first)
        #expect(message.body == text)
        #expect(message.sender.resource == "';DROP TABLE contact;--")
        #expect(try await fixture.count("message") == 1)
    }

    @Test("B109 a chat state alone makes no conversation and no row")
    func stateOnly() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            """
            <message from='bo@example.net/p' type='chat'><gone xmlns='http://jabber.org/protocol/chatstates'/></message>
            """)
        #expect(try await fixture.count("conversation") == 0)
        #expect(try await fixture.count("event") == 0)
    }

    @Test("a message of a room that was not joined has no effect")
    func groupchat() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            "<message from='room@rooms.example.net/bo' type='groupchat' id='1'><body>hi</body></message>")
        #expect(try await fixture.count("message") == 0)
    }

    @Test("T105 a forwarded message outside any protocol is never shown as its inner author's")
    func bareForward() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            """
            <message from='mal@example.net/x' type='chat' id='1'><forwarded xmlns='urn:xmpp:forward:0'>
            <message xmlns='jabber:client' from='bo@example.net/p' to='ann@example.org'><body>fake</body></message>
            </forwarded></message>
            """)
        #expect(try await fixture.count("message") == 0)
    }

    @Test("B102 the precise delay stamp wins in both orders, and the message is no news", arguments: [false, true])
    func delay(_ legacyFirst: Bool) async throws {
        let fixture = try await StoreFixture.make()
        let stamps = [
            "<delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07.25Z'/>",
            "<x xmlns='jabber:x:delay' stamp='20310304T05:06:07'/>",
        ]
        let text = (legacyFirst ? stamps.reversed() : stamps).joined()
        try await fixture.receive("<message from='bo@example.net/p' id='1'><body>late</body>\(text)</message>")
        let message = try #require(try await fixture.messages().first)
        #expect(message.sent == Date(timeIntervalSince1970: 1_930_367_167.25))
        #expect(message.isDelayed)
    }

    @Test("B105 a stamp in the future changes the shown time, never the order")
    func futureStamp() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            """
            <message from='bo@example.net/p' id='1'><body>first</body>
            <delay xmlns='urn:xmpp:delay' stamp='2099-01-01T00:00:00Z'/></message>
            """,
            "<message from='bo@example.net/p' id='2'><body>second</body></message>")
        #expect(try await fixture.bodies() == ["first", "second"])
    }

    // MARK: Repetition

    @Test("B113 T113 an id that is used twice hides nothing")
    func reusedID() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.receive(
            "<message from='bo@example.net/p' id='k7'><body>one</body></message>",
            "<message from='bo@example.net/p' id='k7'><body>two</body></message>",
            "<message from='bo@example.net/p' id='k7'><body>two</body></message>")
        #expect(try await fixture.bodies() == ["one", "two", "two"])
    }

    @Test("a copy that was held on its way and is the same as one before is shown once")
    func delayedCopy() async throws {
        let fixture = try await StoreFixture.make()
        let delay = "<delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/>"
        try await fixture.receive(
            "<message from='bo@example.net/p' id='k7'><body>one</body></message>",
            "<message from='bo@example.net/q' id='k7'><body>one</body>\(delay)</message>",
            "<message from='bo@example.net/q' id='k7'><body>other</body>\(delay)</message>")
        #expect(try await fixture.bodies() == ["one", "other"])
    }

    @Test("a sender's retry with the same long id and text is shown once; from somebody else it is a message")
    func longID() async throws {
        let fixture = try await StoreFixture.make()
        let id = "0b7c5c3e-9a7c-4a53-8a55-2f4e8c1f3b11"
        try await fixture.receive(
            "<message from='bo@example.net/p' id='\(id)'><body>one</body></message>",
            "<message from='bo@example.net/p' id='\(id)'><body>one</body></message>",
            "<message from='eve@example.net/p' id='\(id)'><body>one</body></message>")
        #expect(try await fixture.bodies() == ["one"])
        #expect(try await fixture.bodies(with: "eve@example.net") == ["one"])
    }

    @Test("a sender's retry that the archive holds twice is shown once")
    func archivedTwice() async throws {
        let fixture = try await StoreFixture.make()
        let account = fixture.account
        try await fixture.store.write { try $0.setTrustsStanzaIDs(true, account: account) }
        func copy(_ archive: String, _ id: String) -> String {
            """
            <message from='bo@example.net/p' id='\(id)'><body>one</body>\
            <stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='\(archive)'/></message>
            """
        }
        let long = "0b7c5c3e-9a7c-4a53-8a55-2f4e8c1f3b11"
        try await fixture.receive(copy("a1", long), copy("a2", long), copy("a3", "7"), copy("a4", "7"))
        #expect(try await fixture.messages().map(\.archiveID) == ["a1", "a3", "a4"])
    }

    @Test("T097 a copy with the same archive id is stored once, where the server vouches for such ids")
    func archiveID() async throws {
        let fixture = try await StoreFixture.make()
        let account = fixture.account
        try await fixture.store.write { try $0.setTrustsStanzaIDs(true, account: account) }
        let id = "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a1'/>"
        try await fixture.receive(
            "<message from='bo@example.net/p' id='1'><body>one</body>\(id)</message>",
            "<message from='bo@example.net/p' id='1'><body>one</body>\(id)</message>",
            "<message from='bo@example.net/p' id='1'><body>one</body></message>")
        #expect(try await fixture.messages().map(\.archiveID) == ["a1", nil])
    }

    @Test("an archive id of anybody else, a double one, or on a server that does not vouch, is none")
    func foreignArchiveID() async throws {
        let fixture = try await StoreFixture.make()
        let own = "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a1'/>"
        let other = "<stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a2'/>"
        let foreign = "<stanza-id xmlns='urn:xmpp:sid:0' by='bo@example.net' id='a1'/>"
        try await fixture.receive("<message from='bo@example.net/p' id='1'><body>1</body>\(own)</message>")
        let account = fixture.account
        try await fixture.store.write { try $0.setTrustsStanzaIDs(true, account: account) }
        try await fixture.receive(
            "<message from='bo@example.net/p' id='2'><body>2</body>\(foreign)</message>",
            "<message from='bo@example.net/p' id='3'><body>3</body>\(own)\(other)</message>")
        #expect(try await fixture.messages().map(\.archiveID) == [nil, nil, nil])
    }

    @Test("T114 our own id in somebody's message neither merges into our row nor hides theirs")
    func stolenID() async throws {
        let fixture = try await StoreFixture.make()
        let own = "0b7c5c3e-9a7c-4a53-8a55-2f4e8c1f3b11"
        let row = try await acknowledged(fixture, own: own)
        try await fixture.receive(
            """
            <message from='bo@example.net/p' id='\(own)'><body>mine now</body>
            <origin-id xmlns='urn:xmpp:sid:0' id='\(own)'/></message>
            """)
        #expect(try await fixture.bodies() == ["hi", "mine now"])
        #expect(try await fixture.state(of: row) == .acknowledged)
    }

    // MARK: Receipts

    private func receipt(_ id: String, from: String, type: String = "chat") -> String {
        "<message from='\(from)' type='\(type)' id='r'><received xmlns='urn:xmpp:receipts' id='\(id)'/></message>"
    }

    @Test("a receipt marks the message as delivered, whatever type it has", arguments: ["chat", "normal", "headline"])
    func receipt(_ type: String) async throws {
        let fixture = try await StoreFixture.make()
        let row = try await acknowledged(fixture, own: "own-1")
        try await fixture.receive(receipt("own-1", from: "bo@example.net/p", type: type))
        #expect(try await fixture.state(of: row) == .delivered)
        #expect(try await fixture.bodies() == ["hi"])
    }

    @Test("T078 a receipt from another chat, or from an own device, counts for nothing")
    func forgedReceipt() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await acknowledged(fixture, own: "own-1")
        try await fixture.receive(
            receipt("own-1", from: "mal@example.net/x"), receipt("own-1", from: "ann@example.org/other"),
            receipt("own-1", from: "example.net"), receipt("own-1", from: "bo@example.net.evil/p"),
            receipt("own-1", from: "bo@example.net/p", type: "error"))
        #expect(try await fixture.state(of: row) == .acknowledged)
    }

    @Test("a receipt that is overtaken by the acknowledgement stays a delivery")
    func receiptBeforeAcknowledgement() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await fixture.queue("hi", own: "own-1")
        let state = SessionState(streamID: "s1", sentOnStream: 1)
        try await fixture.session.commit(SessionCommit(sent: [StoreFixture.sent(1, "own-1")], state: state))
        try await fixture.receive(receipt("own-1", from: "bo@example.net/p"), state: state)
        try await fixture.session.commit(SessionCommit(acknowledgedThrough: 1, state: state))
        #expect(try await fixture.state(of: row) == .delivered)
    }

    @Test("B110 a receipt that we owe has an id of its own, the type of the message, and no request")
    func ownReceipt() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.contact("bo@example.net", .from)
        try await fixture.receive(
            """
            <message from='bo@example.net/p' type='chat' id='r51'><body>hi</body><request xmlns='urn:xmpp:receipts'/>
            </message>
            """)
        let row = try #require(try await fixture.outbox().first)
        let receipt = try #require(Message(stored: row.payload))
        #expect(receipt.to?.description == "bo@example.net/p")
        #expect(receipt.kind == .chat)
        #expect(receipt.id != "r51" && receipt.id == row.stanzaID)
        #expect(receipt.receiptID == "r51")
        #expect(!receipt.requestsReceipt)
        #expect(fixture.followUps.withLock { $0 } == [.sendOutbox])
    }

    @Test("T080 a stranger gets no receipt; somebody we wrote to does")
    func noReceiptForStrangers() async throws {
        let fixture = try await StoreFixture.make()
        let request = "<request xmlns='urn:xmpp:receipts'/>"
        try await fixture.contact("eve@example.net", .to)
        try await fixture.receive(
            "<message from='mal@example.net/x' id='1'><body>hi</body>\(request)</message>",
            "<message from='eve@example.net/x' id='1'><body>hi</body>\(request)</message>")
        #expect(try await fixture.outbox().isEmpty)
        _ = try await acknowledged(fixture, own: "own-1", to: "mal@example.net")
        let before = try await fixture.outbox().count
        try await fixture.receive("<message from='mal@example.net/x' id='2'><body>hi</body>\(request)</message>")
        #expect(try await fixture.outbox().count == before + 1)
    }

    @Test("a message that came before is not confirmed twice")
    func repeatedRequest() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.contact("bo@example.net", .both)
        let message = """
            <message from='bo@example.net/p' id='0b7c5c3e-9a7c-4a53-8a55'><body>hi</body>\
            <request xmlns='urn:xmpp:receipts'/></message>
            """
        try await fixture.receive(message, message)
        #expect(try await fixture.outbox().count == 1)
    }

    // MARK: Errors

    @Test("B100 a bounced message fails with its condition and never becomes a text of the other side")
    func bounce() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await acknowledged(fixture, own: "m3")
        try await fixture.receive(
            """
            <message from='bo@example.net' type='error' id='m3'><body>hi</body><error type='cancel'>
            <remote-server-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>
            """)
        #expect(
            try await fixture.state(of: row)
                == .failed(MessageFailure(.init(rawValue: "remote-server-not-found"))))
        #expect(try await fixture.bodies() == ["hi"])
        #expect(try await unread(fixture) == [0])
    }

    @Test("an error from somebody else than the addressee fails nothing")
    func forgedBounce() async throws {
        let fixture = try await StoreFixture.make()
        let row = try await acknowledged(fixture, own: "m3")
        try await fixture.receive(
            """
            <message from='mal@example.net' type='error' id='m3'><error type='cancel'>
            <item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>
            """)
        #expect(try await fixture.state(of: row) == .acknowledged)
    }

    @Test("B112 a receipt wins over an error in both orders", arguments: [false, true])
    func errorAndReceipt(_ errorFirst: Bool) async throws {
        let fixture = try await StoreFixture.make()
        let row = try await acknowledged(fixture, own: "m4")
        let error = """
            <message from='bo@example.net/p' type='error' id='m4'><error type='wait'>
            <recipient-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>
            """
        let good = receipt("m4", from: "bo@example.net/p")
        try await fixture.receive(errorFirst ? error : good)
        try await fixture.receive(errorFirst ? good : error)
        #expect(try await fixture.state(of: row) == .delivered)
    }
}
