// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("What a session sends", .timeLimit(.minutes(1)))
struct SessionSendingTests {
    @Test(
        "B18 T050 a character that XML forbids is refused before the wire, and the next message is whole",
        arguments: [
            "a\u{1A}b", "\u{0}", "\u{FFFE}", "\u{FFFF}", "\u{1}", "\u{8}", "\u{B}", "\u{1F}", "good until here \u{0}",
        ])
    func forbiddenCharacters(_ text: String) async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let to = try JID("bo@example.org")
        await #expect { try await fixture.session.send(.chat(to: to, text)) } throws: {
            ($0 as? XMPPError)?.code == .unsendableText
        }
        #expect(throws: XMPPError.self) { try fixture.session.post(Message(to: to, id: text, body: "x")) }
        await #expect(throws: XMPPError.self) {
            try await fixture.session.send(Presence(status: text))
        }
        await #expect(throws: XMPPError.self) {
            try await fixture.session.get(Element(XMLName("x", "urn:example:x"), text: text))
        }
        try await fixture.session.send(.chat(to: to, "after"))
        #expect(await fixture.expect("message")?.child(.body)?.text == "after")
        await fixture.peer.expect("r")
        await fixture.leave()
    }

    @Test(
        "B18 tab, line feed, carriage return and everything else arrive as they were",
        arguments: [
            "a\tb\nc\r\nd", "<&>\"'", "]]>", "🦊\u{10FFFF}\u{E000}", "\u{7F}\u{85}\u{A0}", " leading and trailing ",
        ])
    func otherCharacters(_ text: String) async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), text))
        #expect(await fixture.expect("message")?.child(.body)?.text == text)
        await fixture.leave()
    }

    @Test("B19 half of a surrogate pair never gets into a body")
    func loneSurrogates() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let text = "hello 🦊🦊"
        let cut = String(decoding: text.utf16.prefix(7), as: UTF16.self)
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), cut))
        let body = await fixture.expect("message")?.child(.body)?.text
        #expect(body == "hello \u{FFFD}")
        #expect(String(validating: fixture.peer.written, as: UTF8.self) != nil)
        #expect(text.utf16.index(text.utf16.startIndex, offsetBy: 7).samePosition(in: text.unicodeScalars) == nil)
        await fixture.leave()
    }

    @Test("the messages of each of 100 senders stay in order")
    func manySenders() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let to = try JID("bo@example.org")
        let session = fixture.session
        async let sending: Void = withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<100 {
                group.addTask {
                    for number in 0..<20 { try await session.send(.chat(to: to, "x", id: "\(sender)-\(number)")) }
                }
            }
            try await group.waitForAll()
        }
        var next = [Int](repeating: 0, count: 100)
        var count = 0
        while count < 2000, let step = await fixture.peer.next() {
            guard case .element(let element) = step, element.localName == "message", let id = element["id"] else {
                continue
            }
            count += 1
            let parts = id.split(separator: "-").compactMap { Int($0) }
            #expect(next[parts[0]] == parts[1])
            next[parts[0]] = parts[1] + 1
        }
        try await sending
        #expect(next == [Int](repeating: 20, count: 100))
        await fixture.leave()
    }

    @Test("senders wait while the network takes nothing, and lose nothing")
    func backPressure() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        await fixture.peer.blockNetwork(true)
        let to = try JID("bo@example.org")
        let session = fixture.session
        let sent = Locked(0)
        let body = String(repeating: "x", count: 10_000)
        let sender = Task {
            for number in 0..<60 {
                try await session.send(.chat(to: to, body, id: "\(number)"))
                sent.withLock { $0 += 1 }
            }
        }
        await fixture.peer.expectNothing()
        #expect(sent.withLock { $0 } < 30)
        await fixture.peer.blockNetwork(false)
        for number in 0..<60 { #expect(await fixture.message()?["id"] == "\(number)") }
        try await sender.value
        await fixture.leave()
    }

    @Test("T098 when the server acknowledges nothing, writing stops at the mark and goes on with the first count")
    func unacknowledged() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let to = try JID("bo@example.org")
        let body = String(repeating: "x", count: 1 << 20)
        let tickets = try (0..<7).map { try fixture.session.post(.chat(to: to, body, id: "\($0)")) }
        for number in 0..<4 {
            #expect(await fixture.message()?["id"] == "\(number)")
        }
        var written = 4
        while case .element(let element) = await fixture.peer.next(within: .milliseconds(200)) {
            if element.localName == "message" { written += 1 }
        }
        let more = try fixture.session.post(.chat(to: to, "more", id: "more"))
        await fixture.peer.expectNothing()
        fixture.acknowledge(written)
        try await tickets[written - 1].acknowledged()
        while let next = await fixture.message(), next["id"] != "more" {}
        try await more.written()
        await fixture.leave()
    }

    @Test("sending from inside a handler cannot deadlock", arguments: [true, false])
    func sendingInAHandler(_ waitsForAcknowledgement: Bool) async throws {
        let fixture = try SessionFixture()
        let session = fixture.session
        let incoming = session.messages()
        await session.handleMessages { message in _ = try? session.post(.chat(to: message.from, "posted")) }
        try await fixture.connect()
        let echo = Task {
            var count = 0
            for try await message in incoming {
                let ticket = try await session.send(.chat(to: message.from, "sent"))
                if waitsForAcknowledgement { try await ticket.acknowledged() }
                count += 1
                if count == 300 { break }
            }
        }
        for index in 0..<300 { fixture.peer.inject(SessionFixture.message("\(index)")) }
        var (posted, sent, handled) = (0, 0, 0)
        while posted < 300 || sent < 300, let step = await fixture.peer.next() {
            guard case .element(let element) = step else { continue }
            switch (element.localName, element.child(.body)?.text) {
            case ("message", "posted"): posted += 1
            case ("message", _): sent += 1
            default:
                handled = posted + sent
                fixture.acknowledge(handled)
            }
        }
        if waitsForAcknowledgement { fixture.acknowledge(600) }
        try await echo.value
        #expect(posted == 300 && sent == 300)
        await fixture.leave()
    }

    @Test("a reader that asks the server while its own buffer is full gets the answer")
    func requestWhileFull() async throws {
        let fixture = try SessionFixture(movesClock: true)
        let session = fixture.session
        let incoming = session.messages()
        try await fixture.connect()
        for index in 0..<300 { fixture.peer.inject(SessionFixture.message("\(index)")) }
        await fixture.peer.waitUntil(isReadingPaused: true)
        let asking = Task {
            var iterator = incoming.makeAsyncIterator()
            _ = try await session.get(Element(XMLName("query", "jabber:iq:version")), timeout: .seconds(300))
            return try await iterator.bodies(300)
        }
        let id = await fixture.expect("iq")?["id"] ?? ""
        await fixture.peer.expect("r")
        fixture.peer.inject("<a xmlns='urn:xmpp:sm:3' h='1'/><iq type='result' id='\(id)'/>")
        await fixture.clock.advanceWhenPlanned(by: .seconds(1))
        #expect(try await asking.value == (0..<300).map { "\($0)" })
        await fixture.leave()
    }

    @Test("a session that is not connected says so at once")
    func notConnected() async throws {
        let fixture = try SessionFixture()
        await #expect { try await fixture.session.send(.chat(to: nil, "x")) } throws: {
            ($0 as? XMPPError)?.code == .notConnected
        }
        await #expect { try await fixture.session.get(Element(XMLName("x", "urn:example:x"))) } throws: {
            ($0 as? XMPPError)?.code == .notConnected
        }
        #expect(fixture.peer.connections == 0)
    }

    @Test("cancelling a wait for an acknowledgement ends the wait, not the message")
    func cancelsTheWait() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        let ticket = try await fixture.session.send(.chat(to: try JID("bo@example.org"), "hi"))
        let waiting = Task { try await ticket.acknowledged() }
        await fixture.expect("message")
        await fixture.peer.expect("r")
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        fixture.acknowledge(1)
        try await ticket.acknowledged()
        await fixture.leave()
    }
}
