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
        let message = try #require(parsed.stanzas.first)
        #expect(message.name == XMLName("message", "jabber:client"))
        #expect(message["to"] == "a@b")
        #expect(message["type"] == "chat")
        #expect(message.child(XMLName("body", "jabber:client"))?.text == "x & y")
        #expect(message.xml == "<message xmlns='jabber:client' to='a@b' type=\"chat\"><body>x &amp; y</body></message>")
        #expect(parsed.events[3] == .close)
    }
}
