// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("What a session receives", .timeLimit(.minutes(1)))
struct SessionReceivingTests {
    @Test(
        "T056 at the first level only the right namespace makes a stanza",
        arguments: [
            "<message xmlns='jabber:server' from='bo@example.org/p'><body>no</body></message>",
            "<iq xmlns='urn:example:evil' type='get' id='1' from='bo@example.org/p'><ping xmlns='urn:xmpp:ping'/></iq>",
            "<x:message xmlns:x='urn:example:evil' from='bo@example.org/p'><body>no</body></x:message>",
            "<message xmlns='' from='bo@example.org/p'><body>no</body></message>",
            "<stream:message from='bo@example.org/p'><body>no</body></stream:message>",
            "<MESSAGE from='bo@example.org/p'><body>no</body></MESSAGE>", "<x xmlns='urn:example:odd'/>",
            "<stream:features><sm xmlns='urn:xmpp:sm:3'/></stream:features>",
            "<error xmlns='jabber:client'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></error>",
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
            "<r xmlns='urn:xmpp:sm:2'/>", "<a xmlns='urn:xmpp:sm:2' h='77'/>",
        ])
    func foreignNamespaces(_ text: String) async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(text + SessionFixture.message("yes"))
        #expect(try await messages.next()?.body == "yes")
        #expect(await fixture.count() == "1")
        #expect(await fixture.session.droppedStanzas == 1)
        await fixture.leave()
    }

    @Test(
        "T056 B11 a prefix does not matter, and what is nested in a payload is no stanza",
        arguments: [
            "<c:message xmlns:c='jabber:client' from='romeo@example.net/orchard' type='chat' id='m'><c:body>yes</c:body></c:message>",
            "<message from='romeo@example.net/orchard' type='chat'><body>yes</body><x xmlns='urn:example:odd'>"
                + "<message xmlns='jabber:client' from='juliet@example.org'><body>no</body></message></x></message>",
        ])
    func prefixes(_ text: String) async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(text + SessionFixture.message("after"))
        #expect(try await messages.bodies(2) == ["yes", "after"])
        #expect(await fixture.count() == "2")
        await fixture.leave()
    }

    @Test("T054 a stream inside a message is a child like any other")
    func nestedStream() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(
            "<message from='mal@example.net/x'><body>one</body><stream:stream id='evil' version='1.0'><stream:error>"
                + "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error><message from='juliet@example.org'>"
                + "<body>no</body></message></stream:stream></message>" + SessionFixture.message("two"))
        #expect(try await messages.bodies(2) == ["one", "two"])
        #expect(await fixture.count() == "2")
        await fixture.leave()
    }

    @Test("B14 several stanzas of one read come in order, the last when it is complete")
    func severalPerRead() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        var presences = fixture.session.presences().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(
            SessionFixture.message("one") + "<presence from='bo@example.org/p'/><iq type='get' id='v' from='bo@exam")
        #expect(try await messages.next()?.body == "one")
        #expect(try await presences.next()?.from?.description == "bo@example.org/p")
        fixture.peer.inject("ple.org/p'><ping xmlns='urn:xmpp:ping'/></iq>")
        #expect(await fixture.expect("iq")?["id"] == "v")
        await fixture.leave()
    }

    @Test("B13 T065 a stanza cut in two anywhere is one stanza")
    func everyCut() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        let bytes = Array("<message from='bo@example.org/p' id='k1'><body>é&amp;🦊</body></message>".utf8)
        #expect(bytes.count == 75)
        for cut in 1..<bytes.count {
            fixture.peer.inject(Array(bytes[..<cut]))
            fixture.peer.inject(Array(bytes[cut...]))
            #expect(try await messages.next()?.body == "é&🦊")
        }
        #expect(await fixture.count() == "74")
        await fixture.leave()
    }

    @Test("B15 T063 white space between stanzas is nothing but a sign of life")
    func whiteSpace() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(" \n" + SessionFixture.message("one") + "\r\n\n\t" + SessionFixture.message("two") + " ")
        let much = [UInt8](repeating: 0x20, count: 1 << 20)
        for _ in 0..<20 { fixture.peer.inject(much) }
        fixture.peer.inject(SessionFixture.message("three"))
        #expect(try await messages.bodies(3) == ["one", "two", "three"])
        #expect(await fixture.count() == "3")
        #expect(await fixture.session.droppedStanzas == 0)
        await fixture.leave()
    }

    @Test("T063 T005 white space during the login does not lengthen it")
    func whiteSpaceInLogin() async throws {
        let fixture = try SessionFixture(movesClock: true)
        async let outcome: Void = fixture.session.connect()
        await fixture.peer.expectHeader()
        fixture.peer.openStream(ScriptedPeer.tlsFeature)
        await fixture.peer.expect("starttls")
        for _ in 0..<29 {
            fixture.peer.inject(" \n")
            await fixture.clock.advance(by: .seconds(1))
        }
        await fixture.clock.advance(by: .seconds(1))
        await fixture.peer.expectEnd()
        do {
            try await outcome
            Issue.record("the login did not end")
        } catch { #expect((error as? XMPPError)?.code == .timedOut) }
    }

    @Test("T064 T059 a stanza without end is cut off at the limit", arguments: [true, false])
    func withoutEnd(_ isOnline: Bool) async throws {
        let fixture = try SessionFixture { $0.reconnect = .never }
        if isOnline {
            try await fixture.connect()
            fixture.peer.inject("<message from='mal@example.net/x'><body>")
        } else {
            Task { try? await fixture.session.connect() }
            await fixture.peer.expectHeader()
            fixture.peer.inject(Wire.header + "<stream:features><x>")
        }
        let chunk = [UInt8](repeating: 0x61, count: 1 << 16)
        let limit = isOnline ? 10 << 20 : 64 << 10
        for _ in 0...(limit / chunk.count) { fixture.peer.inject(chunk) }
        let error = await fixture.peer.expectEnd()
        #expect(error?.children.contains { $0.localName == "policy-violation" } == true)
        await fixture.session.disconnect()
    }

    @Test("T063 the full size is allowed as soon as the login was accepted")
    func largeEarlyStanza() async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        async let connecting: Void = fixture.session.connect()
        await fixture.peer.acceptLogin(resumes: true)
        let bind = await fixture.expect("iq")
        fixture.peer.inject(
            "<iq type='result' id='\(bind?["id"] ?? "")'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                + "<jid>juliet@example.org/balcony</jid></bind></iq>")
        fixture.peer.inject(SessionFixture.message(String(repeating: "x", count: 200_000)))
        await fixture.peer.expect("enable")
        fixture.peer.inject("<enabled xmlns='urn:xmpp:sm:3' id='sm-1' resume='true'/>")
        try await connecting
        #expect(try await messages.next()?.body?.utf8.count == 200_000)
        #expect(await fixture.count() == "0")
        await fixture.leave()
    }

    @Test(
        "T079 T083 a stanza with an address that is none is dropped and counts",
        arguments: [
            "<message from='a@b@c/d@e'><body>x</body></message>", "<presence from=''/>",
            "<presence from='@example.org'/>",
            "<message from='bo@example.org/'><body>x</body></message>", "<message to='a\"b' from='bo@example.org'/>",
            "<iq type='get' id='1' from='example..org/'><ping xmlns='urn:xmpp:ping'/></iq>",
            "<presence from='bo@example.org/p' type='bogus'/>",
        ])
    func invalidAddresses(_ text: String) async throws {
        let fixture = try SessionFixture()
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        // The first one of the list has an address that reads one way only: `a` at a domain that is none.
        fixture.peer.inject(text + SessionFixture.message("after"))
        #expect(try await messages.next()?.body == "after")
        #expect(await fixture.count() == "2")
        #expect(await fixture.session.droppedStanzas == 1)
        await fixture.leave()
    }

    @Test("T079 B76 odd values inside a stanza leave the stanza standing")
    func oddValues() async throws {
        let fixture = try SessionFixture()
        var presences = fixture.session.presences().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(
            "<presence from='tearoom@rooms.example.org/🦊'><priority>4000</priority><show>sleeping</show></presence>"
                + "<presence from='bo@example.org/p'><priority>+1 </priority></presence>")
        let first = try await presences.next()
        #expect(first?.from?.resource == "🦊")
        #expect(first?.priority == 0 && first?.show == nil)
        #expect(try await presences.next()?.from?.description == "bo@example.org/p")
        await fixture.leave()
    }

    @Test(
        "T062 what follows <proceed/> belongs to TLS, whatever it is",
        arguments: [
            "\u{16}\u{3}\u{3}", "<stream:features/>", "</stream:stream>", "<message><body>", "&#0;<!-- -->", "",
        ])
    func afterProceed(_ rest: String) async throws {
        let fixture = try SessionFixture()
        async let connecting: Void = fixture.session.connect()
        await fixture.peer.expectHeader()
        fixture.peer.openStream(ScriptedPeer.tlsFeature)
        await fixture.peer.expect("starttls")
        fixture.peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>" + rest)
        await fixture.peer.expectHeader()
        #expect(fixture.peer.handedToTLS == [Array(rest.utf8)])
        fixture.peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await fixture.peer.acceptSCRAM()
        await fixture.peer.expectHeader()
        fixture.peer.openStream(ScriptedPeer.bindFeatures)
        await fixture.peer.acceptBind()
        try await connecting
        await fixture.leave()
    }

    @Test("T062 the end of the stream in the middle of a read ends it, and what follows is nothing")
    func endInARead() async throws {
        let fixture = try SessionFixture { $0.reconnect = .never }
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(
            SessionFixture.message("one") + "</stream:stream>" + SessionFixture.message("two") + "<!-- -->")
        #expect(try await messages.next()?.body == "one")
        await fixture.peer.expectEnd()
        await #expect(throws: XMPPError.self) { try await messages.next() }
        #expect(fixture.peer.writtenText.hasSuffix("</stream:stream>"))
        #expect(!fixture.peer.writtenText.contains("stream:error"))
    }

    @Test("T062 a session that is left from inside its own handler lets go of the stream in the middle of a read")
    func leaveInAHandler() async throws {
        let fixture = try SessionFixture()
        let session = fixture.session
        let count = Locked(0)
        await session.handleMessages { [weak session] _ in
            count.withLock { $0 += 1 }
            Task { await session?.disconnect() }
        }
        try await fixture.connect()
        fixture.peer.inject(SessionFixture.message("one") + SessionFixture.message("two"))
        await fixture.peer.expectEnd()
        #expect(count.withLock { $0 } == 2)
        await session.disconnect()
        #expect(await session.isOnline == false)
    }

    @Test(
        "T047 T048 T049 T050 B16 B17 XML that may not be ends the stream with its condition",
        arguments: [
            ("<message><body>tea & cake</body></message>", "not-well-formed"), ("<!-- x -->", "restricted-xml"),
            ("<?x y?>", "restricted-xml"), ("<!DOCTYPE x [<!ENTITY a \"aaaa\">]>", "restricted-xml"),
            ("<message><body>&a;</body></message>", "restricted-xml"),
            ("<message><body>&#0;</body></message>", "not-well-formed"),
            ("<message><body>&#xFFFF;</body></message>", "not-well-formed"),
            ("<message a='1' a='2'/>", "not-well-formed"),
            ("<message></presence>", "not-well-formed"), ("<x:message/>", "not-well-formed"),
            ("<message a='<'/>", "not-well-formed"), ("text", "not-well-formed"),
        ])
    func brokenXML(_ text: String, _ condition: String) async throws {
        let fixture = try SessionFixture { $0.reconnect = .never }
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(SessionFixture.message("before") + text + SessionFixture.message("after"))
        #expect(try await messages.next()?.body == "before")
        let error = await fixture.peer.expectEnd()
        let conditions = error?.children.map(\.localName) ?? []
        #expect(conditions.first == condition || (text == "text" && conditions.first != nil), "\(conditions)")
        await #expect { try await messages.next() } throws: { ($0 as? XMPPError)?.code == .protocolViolation }
    }

    @Test(
        "T050 T051 bytes that are no UTF-8 end the stream",
        arguments: [
            [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0x80], [0xFF, 0xFE], [0xE9],
        ] as [[UInt8]])
    func invalidUTF8(_ bytes: [UInt8]) async throws {
        let fixture = try SessionFixture { $0.reconnect = .never }
        var messages = fixture.session.messages().makeAsyncIterator()
        try await fixture.connect()
        fixture.peer.inject(Array("<message><body>".utf8) + bytes + Array("</body></message>".utf8))
        #expect(await fixture.peer.expectEnd() != nil)
        await #expect(throws: XMPPError.self) { try await messages.next() }
    }

    @Test("T091 B15 nothing but stanzas is counted")
    func countsStanzasOnly() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        #expect(await fixture.count() == "0")
        fixture.peer.inject(" <r xmlns='urn:xmpp:sm:3'/><a xmlns='urn:xmpp:sm:3' h='0'/><x xmlns='urn:example:odd'/>")
        await fixture.expect("a")
        fixture.peer.inject(
            SessionFixture.message("one") + "<presence from='bo@example.org/p'/><iq type='result' id='none'/>")
        #expect(await fixture.count() == "3")
        await fixture.leave()
    }

    @Test("T098 a flood of <r/> in one read is answered once")
    func manyRequests() async throws {
        let fixture = try SessionFixture()
        try await fixture.connect()
        for _ in 0..<10 { fixture.peer.inject(String(repeating: "<r xmlns='urn:xmpp:sm:3'/>", count: 2000)) }
        for _ in 0..<10 { #expect(await fixture.expect("a")?["h"] == "0") }
        #expect(await fixture.count() == "0")
        await fixture.leave()
    }
}
