// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

/// Everything that a parser says about some bytes.
struct ParsedStream: Equatable {
    var events: [XMLStreamEvent] = []
    var error: XMLError?

    /// Feeds the bytes in chunks of this size.
    init(_ bytes: [UInt8], chunk: Int = .max, limits: XMLLimits = .afterLogin) {
        var parser = XMLStreamParser(limits: limits)
        var start = 0
        while start < bytes.count, error == nil {
            let end = chunk < bytes.count - start ? start + chunk : bytes.count
            bytes[start..<end].withUnsafeBytes { parser.append($0) }
            start = end
            read(&parser)
        }
    }

    init(_ text: String, chunk: Int = .max, limits: XMLLimits = .afterLogin) {
        self.init(Array(text.utf8), chunk: chunk, limits: limits)
    }

    private mutating func read(_ parser: inout XMLStreamParser) {
        do throws(XMLError) {
            while true {
                let event = try parser.next()
                if event == .needsMoreBytes { return }
                events.append(event)
            }
        } catch {
            self.error = error
        }
    }

    var stanzas: [Element] {
        events.compactMap { if case .stanza(let element) = $0 { element } else { nil } }
    }
}

extension XMLStreamParser {
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// The local name of the next event, which must be a stanza.
    mutating func stanzaName() throws -> String {
        guard case .stanza(let element) = try next() else { return "no stanza" }
        return element.localName
    }

    mutating func readAll(_ text: String) throws(XMLError) {
        append(text)
        while try next() != .needsMoreBytes {}
    }
}

/// A parser that has delivered the stream header.
func openedParser() throws(XMLError) -> XMLStreamParser {
    var parser = XMLStreamParser(limits: .afterLogin)
    parser.append(streamHeader)
    _ = try parser.next()
    return parser
}

let streamHeader =
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='s1'>"

@Suite struct XMLStreamParserTests {
    @Test func `a stream gives its header, its stanzas and its end`() throws {
        let parsed = ParsedStream(
            streamHeader
                + "<message to='a@b' type=\"chat\"><body>x &amp; y</body></message> <presence/></stream:stream>")
        #expect(parsed.error == nil)
        try #require(parsed.events.count == 4)
        guard case .open(let header) = parsed.events[0] else { return #expect(Bool(false), "no header") }
        #expect(header.name == XMLName("stream", "http://etherx.jabber.org/streams"))
        #expect(header["id"] == "s1")
        #expect(header.children.isEmpty)
        let message = try #require(parsed.stanzas.first)
        #expect(message.name == XMLName("message", "jabber:client"))
        #expect(message["to"] == "a@b")
        #expect(message["type"] == "chat")
        #expect(message.child(XMLName("body", "jabber:client"))?.text == "x & y")
        #expect(message.xml == "<message xmlns='jabber:client' to='a@b' type=\"chat\"><body>x &amp; y</body></message>")
        #expect(parsed.events[3] == .close)
    }

    @Test("B11 names are matched by namespace and local name under any prefix")
    func matchesNamesUnderAnyPrefix() throws {
        let parsed = ParsedStream(
            "<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='jabber:client' xmlns:c='jabber:client'>"
                + "<iq type='get' id='v1'><q:query xmlns:q='jabber:iq:version'/></iq><c:iq/></s:stream>")
        #expect(parsed.error == nil)
        try #require(parsed.stanzas.count == 2)
        let iq = XMLName("iq", "jabber:client")
        #expect(parsed.stanzas.allSatisfy { $0.matches(iq) })
        #expect(parsed.stanzas[0].child(XMLName("query", "jabber:iq:version")) != nil)
        #expect(parsed.events.last == .close)
    }

    @Test("B13 a stanza cut at any byte is whole, and is there with its last byte")
    func anyCutGivesTheSameStanza() throws {
        let stanza = Array("<message from='bo@example.org/p' id='k1'><body>é&amp;🦊</body></message>".utf8)
        for cut in 1..<stanza.count {
            var parser = try openedParser()
            stanza[..<cut].withUnsafeBytes { parser.append($0) }
            #expect(try parser.next() == .needsMoreBytes, "cut at \(cut)")
            stanza[cut...].withUnsafeBytes { parser.append($0) }
            guard case .stanza(let message) = try parser.next() else {
                return #expect(Bool(false), "no stanza when cut at \(cut)")
            }
            #expect(message.child(XMLName("body", "jabber:client"))?.text == "é&🦊")
        }
    }

    @Test("B14 all stanzas of one read come in order, and one that is cut when it is complete")
    func severalStanzasInOneRead() throws {
        var parser = try openedParser()
        parser.append("<message/><presence/><iq type='g")
        #expect(try parser.stanzaName() == "message")
        #expect(try parser.stanzaName() == "presence")
        #expect(try parser.next() == .needsMoreBytes)
        parser.append("et'/>")
        #expect(try parser.stanzaName() == "iq")
    }

    @Test("B15 white space between stanzas is nothing", arguments: [" ", "\n", "\r\n\n", "\t \r"])
    func whiteSpaceBetweenStanzas(space: String) {
        let parsed = ParsedStream(
            streamHeader + space + "<iq/>" + space + "<presence/>" + space + "</stream:stream>" + space)
        #expect(parsed.error == nil)
        #expect(parsed.stanzas.map(\.localName) == ["iq", "presence"])
    }

    @Test("B21 a stream error is a stanza like any other, and the end of the stream follows it")
    func streamErrorThenClose() throws {
        let parsed = ParsedStream(
            streamHeader + "<stream:error><system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
                + "<text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>bye</text></stream:error></stream:stream>")
        let error = try #require(parsed.stanzas.first)
        #expect(error.name == XMLName("error", "http://etherx.jabber.org/streams"))
        #expect(error.child(XMLName("system-shutdown", "urn:ietf:params:xml:ns:xmpp-streams")) != nil)
        #expect(error.child(XMLName("text", "urn:ietf:params:xml:ns:xmpp-streams"))?.text == "bye")
        #expect(parsed.events.last == .close)
    }

    @Test("T053 only the depth decides where a stanza ends")
    func depthAloneDecidesTheEnd() throws {
        let inner =
            "<body a='/>&lt;iq/>' b='\"&gt;'>&lt;/message&gt;<![CDATA[</body></message><iq type='set'/>]]></body>"
        let parsed = ParsedStream(streamHeader + "<message>" + inner + "</message><presence/>")
        #expect(parsed.error == nil)
        try #require(parsed.stanzas.map(\.localName) == ["message", "presence"])
        let body = try #require(parsed.stanzas[0].children.first)
        #expect(body["a"] == "/><iq/>")
        #expect(body.text == "</message></body></message><iq type='set'/>")
        // Written again and read again it is still one stanza with the same content.
        #expect(ParsedStream("<r>" + parsed.stanzas[0].xml + "<a/>").stanzas.first == parsed.stanzas[0])
    }

    @Test("T053 an end tag that is not its start tag's is refused at every depth")
    func endTagsBelongToStartTags() {
        for stanza in ["<message></presence>", "<message><body></message></body>", "<message><a><b></c></a></message>"]
        {
            #expect(ParsedStream(streamHeader + stanza).error?.kind == .notWellFormed, "\(stanza)")
        }
    }

    @Test("T054 a stream element inside a stanza is an ordinary child")
    func nestedStreamElementIsAChild() throws {
        let parsed = ParsedStream(
            streamHeader + "<message><stream:stream id='evil'><iq/></stream:stream><body>x</body></message><presence/>")
        #expect(parsed.error == nil)
        try #require(parsed.stanzas.count == 2)
        let nested = try #require(parsed.stanzas[0].children.first)
        #expect(nested.matches(XMLName("stream", "http://etherx.jabber.org/streams")))
        #expect(nested.children.first?.localName == "iq")
        #expect(parsed.stanzas[1].matches(XMLName("presence", "jabber:client")))
    }

    @Test("T056 a known local name in another namespace is another name")
    func otherNamespacesAreOtherNames() throws {
        let parsed = ParsedStream(
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' xmlns:s='jabber:server'"
                + " xmlns:c='jabber:client'><s:message/><iq xmlns='evil'/><c:message/><x><message/></x></stream:stream>"
        )
        #expect(parsed.error == nil)
        let message = XMLName("message", "jabber:client")
        #expect(parsed.stanzas.map { $0.matches(message) } == [false, false, true, false])
        #expect(parsed.stanzas[0].name == XMLName("message", "jabber:server"))
        #expect(parsed.stanzas[1].name == XMLName("iq", "evil"))
        #expect(parsed.stanzas[1].matches(XMLName("iq", "evil")))
        #expect(!parsed.stanzas[1].matches(XMLName("iq", "jabber:client")))
    }

    @Test(
        "T060 no byte of a token that comes in small pieces is looked at twice",
        arguments: [
            "<m>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "<m a='bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
            "<m a                                                                                                   ",
            "<m a=                                                                                                  ",
            "<m                                                                                                     ",
            "<m></m                                                                                                 ",
            "<m><![CDATA[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
            "<m>ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé&amp;&amp;&amp;&amp;&amp;&amp;&amp;&amp;&amp;]]]]",
        ])
    func scansEachByteOnce(token: String) throws {
        var parser = try openedParser()
        for byte in token.utf8 {
            withUnsafeBytes(of: byte) { parser.append($0) }
            #expect(try parser.next() == .needsMoreBytes)
            // At most the bytes of one reference, end tag or character are looked at again.
            #expect(parser.filled - parser.cursor < 10)
        }
    }

    @Test("T062 the parser can be reset and released between any two events")
    func resetBetweenEvents() throws {
        var parser = try openedParser()
        parser.append("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/><injected/>")
        #expect(try parser.stanzaName() == "proceed")
        parser.reset()
        #expect(parser.bufferedBytes == 0)
        #expect(try parser.next() == .needsMoreBytes)
        // The old stream is forgotten: its prefixes, its end tag, its namespace.
        parser.append("<stream:stream xmlns:stream='http://etherx.jabber.org/streams'><iq/>")
        guard case .open = try parser.next() else { return #expect(Bool(false), "no header") }
        guard case .stanza(let iq) = try parser.next() else { return #expect(Bool(false), "no stanza") }
        #expect(iq.name == XMLName("iq", ""))
        parser.append("</stream:stream>")
        #expect(try parser.next() == .close)
        parser.reset()
        parser.append(streamHeader + "<message>")
        guard case .open = try parser.next() else { return #expect(Bool(false), "no header") }
        #expect(try parser.next() == .needsMoreBytes)
        parser.reset()
        #expect(throws: XMLError.self) { try parser.readAll("</message>") }
    }

    @Test("T062 bytes behind a stanza can be taken out, for TLS")
    func bytesBehindAStanzaCanBeTaken() throws {
        var parser = try openedParser()
        parser.append("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>\u{16}\u{3}\u{1}")
        #expect(try parser.stanzaName() == "proceed")
        #expect(parser.takeBufferedBytes() == [0x16, 3, 1])
        #expect(parser.bufferedBytes == 0)
    }

    @Test("T063 white space between stanzas takes no memory")
    func whiteSpaceTakesNoMemory() throws {
        var parser = try openedParser()
        parser.limits.stanzaBytes = 100
        let space = [UInt8](repeating: 0x20, count: 4096)
        for _ in 0..<1000 {
            space.withUnsafeBytes { parser.append($0) }
            #expect(try parser.next() == .needsMoreBytes)
            #expect(parser.bufferedBytes == 0)
            #expect(parser.capacity <= XMLStreamParser.smallBuffer)
        }
        parser.append("<iq/>")
        #expect(try parser.stanzaName() == "iq")
    }

    @Test("T063 the same before the stream header")
    func whiteSpaceBeforeTheHeaderTakesNoMemory() throws {
        var parser = XMLStreamParser(limits: XMLLimits(stanzaBytes: 100))
        let space = [UInt8](repeating: 0x0A, count: 4096)
        for _ in 0..<100 {
            space.withUnsafeBytes { parser.append($0) }
            #expect(try parser.next() == .needsMoreBytes)
            #expect(parser.bufferedBytes == 0)
        }
        #expect(parser.capacity <= 3 * 4096)
    }

    @Test func `memory of a large stanza is given back when nothing is buffered`() throws {
        var parser = try openedParser()
        parser.append("<m>" + String(repeating: "<a/>", count: 20_000) + "</m>")
        #expect(try parser.stanzaName() == "m")
        #expect(try parser.next() == .needsMoreBytes)
        #expect(parser.capacity <= XMLStreamParser.smallBuffer)
        #expect(parser.recordCapacity <= XMLStreamParser.smallRecords)
    }

    @Test func `an error is thrown again for ever`() throws {
        var parser = try openedParser()
        parser.append("<m></n>")
        let first = #expect(throws: XMLError.self) { try parser.readAll("") }
        let second = #expect(throws: XMLError.self) { try parser.readAll("<iq/>") }
        #expect(first == second)
        parser.reset()
        parser.append("<a>")
        guard case .open = try parser.next() else { return #expect(Bool(false), "no header") }
    }

    @Test func `an empty root opens and closes the stream`() {
        let parsed = ParsedStream("<a/> ")
        #expect(parsed.events.count == 2)
        #expect(parsed.events.last == .close)
        #expect(parsed.error == nil)
        #expect(ParsedStream("<a/><b/>").error?.kind == .notWellFormed)
    }

    @Test func `references, CDATA and line ends are resolved`() throws {
        let parsed = ParsedStream(
            "<r><m a='1\r\n2\t3&#10;4\n5\r6&#x9;'>l1\r\nl2\rl3&#13;<![CDATA[<&amp;>\r\n]]>&#x1F98A;&#65;&lt;&apos;</m>")
        let element = try #require(parsed.stanzas.first)
        #expect(element["a"] == "1 2 3\n4 5 6\t")
        #expect(element.text == "l1\nl2\nl3\r<&amp;>\n🦊A<'")
    }
}
