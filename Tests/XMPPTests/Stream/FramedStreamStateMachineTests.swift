// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("A stream as the messages of a WebSocket")
struct FramedStreamStateMachineTests {
    private typealias Machine = FramedStreamStateMachine

    private static let open =
        "<open xmlns='urn:ietf:params:xml:ns:xmpp-framing' from='example.org' id='s1' version='1.0' xml:lang='en'/>"
    private static let header =
        "<?xml version='1.0'?><stream:stream to=\"example.org\" from=\"a@example.org\" version=\"1.0\" "
        + "xmlns=\"jabber:client\" xmlns:stream=\"http://etherx.jabber.org/streams\">"

    private func send(_ machine: inout Machine, _ text: String, pieces: Int = .max) -> [String] {
        var sent: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            Array(rest.prefix(pieces)).withUnsafeBytes { bytes in
                machine.outgoing(bytes) { sent.append(String(decoding: $0, as: UTF8.self)) }
            }
            rest = rest.dropFirst(pieces)
        }
        return sent
    }

    private func receive(
        _ machine: inout Machine, _ text: String, pieces: Int = .max
    ) throws -> String {
        var received: [UInt8] = []
        let bytes = Array(text.utf8)
        var start = 0
        repeat {
            let end = pieces == .max ? bytes.count : min(bytes.count, start + pieces)
            try Array(bytes[start..<end]).withUnsafeBytes { piece in
                try machine.incoming(piece, begins: start == 0, ends: end == bytes.count) { received += $0 }
            }
            start = end
        } while start < bytes.count
        return String(decoding: received, as: UTF8.self)
    }

    /// A machine whose stream is open.
    private func opened() throws -> Machine {
        var machine = Machine()
        _ = send(&machine, Self.header)
        _ = try receive(&machine, Self.open)
        return machine
    }

    @Test(
        "the header becomes <open/>, the end <close/>, and each stanza a document of its own", arguments: [1, 7, .max])
    func sending(pieces: Int) {
        var machine = Machine()
        let text =
            Self.header + "<message to='b@example.org'><body>1 &gt; 0</body></message>\n<r xmlns=\"urn:xmpp:sm:3\"/>"
            + "<iq id=' xmlns=&apos;x' type='get'><query xmlns='jabber:iq:roster'/></iq>"
            + "<stream:error><bad-format xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>"
        #expect(
            send(&machine, text, pieces: pieces) == [
                "<open xmlns=\"urn:ietf:params:xml:ns:xmpp-framing\" to='example.org' from='a@example.org' version='1.0'/>",
                "<message xmlns=\"jabber:client\" to='b@example.org'><body>1 &gt; 0</body></message>",
                "<r xmlns=\"urn:xmpp:sm:3\"/>",
                "<iq xmlns=\"jabber:client\" id=' xmlns=&apos;x' type='get'><query xmlns='jabber:iq:roster'/></iq>",
                "<stream:error xmlns:stream=\"http://etherx.jabber.org/streams\" xmlns=\"jabber:client\">"
                    + "<bad-format xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error>",
                "<close xmlns=\"urn:ietf:params:xml:ns:xmpp-framing\"/>",
            ])
    }

    @Test("what was sent is one document each, with the namespaces it had in the stream")
    func documents() throws {
        var machine = Machine()
        let error = StreamError(.policyViolation, text: "no")
        var writer = XMLWriter()
        try writer.element(error.element, inheriting: Namespace.client)
        try writer.element(Element(.presence, children: [Element(.show, text: "away")]), inheriting: Namespace.client)
        let sent = send(&machine, Self.header + String(decoding: writer.bytes, as: UTF8.self))
        #expect(sent.count == 3)
        for (document, element) in zip(sent.dropFirst(), [error.element, Element(.presence)]) {
            var parser = XMLStreamParser(limits: .afterLogin)
            Array("<x>\(document)".utf8).withUnsafeBytes { parser.append($0) }
            _ = try parser.next()
            guard case .stanza(let read) = try parser.next() else {
                Issue.record("\(document) is no document")
                continue
            }
            #expect(read.name == element.name)
        }
    }

    @Test(
        "<open/> becomes a header, elements pass, <close/> ends the stream; again after a restart",
        arguments: [1, 5, .max])
    func receiving(pieces: Int) throws {
        var machine = Machine()
        for _ in 0..<2 {
            _ = send(&machine, Self.header)
            #expect(
                try receive(&machine, Self.open, pieces: pieces)
                    == "<stream:stream xmlns=\"jabber:client\" xmlns:stream=\"http://etherx.jabber.org/streams\" "
                    + "from='example.org' id='s1' version='1.0' xml:lang='en'>")
            for text in ["<stream:features xmlns:stream='s'/>", "<a><b>é</b></a>", "<openings/>", "<p:x xmlns:p='y'/>"]
            {
                #expect(try receive(&machine, text, pieces: pieces) == text)
            }
        }
        let close = "<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'/>"
        #expect(try receive(&machine, close, pieces: pieces) == "</stream:stream>")
        #expect(try receive(&machine, "<late/>", pieces: pieces).isEmpty)
    }

    @Test("T011 another URI in the end of a stream is what <see-other-host/> is over TCP, before any <open/> as well")
    func seeOtherURI() throws {
        let close = "<close xmlns='urn:ietf:params:xml:ns:xmpp-framing' see-other-uri='wss://b.example/x?a=1&amp;b=2'/>"
        let error =
            "<error xmlns='http://etherx.jabber.org/streams'><see-other-host "
            + "xmlns='urn:ietf:params:xml:ns:xmpp-streams'>wss://b.example/x?a=1&amp;b=2</see-other-host></error>"
        var up = try opened()
        #expect(try receive(&up, close, pieces: 7) == error + "</stream:stream>")
        var early = Machine()
        _ = send(&early, Self.header)
        let text = try receive(&early, close, pieces: 1)
        #expect(text.hasPrefix("<stream:stream ") && text.hasSuffix(error + "</stream:stream>"))
        // A stream's parser and header take it.
        var parser = XMLStreamParser(limits: .beforeLogin)
        Array(text.utf8).withUnsafeBytes { parser.append($0) }
        guard case .open(let header) = try parser.next() else { throw XMPPError(.invalidArgument, text) }
        #expect(throws: Never.self) {
            try ReceivedStreamHeader(header, domain: "example.org", carriesStanzas: true)
        }
        guard case .stanza(let element) = try parser.next() else { throw XMPPError(.invalidArgument, text) }
        #expect(StreamError(element).condition == .seeOtherHost("wss://b.example/x?a=1&b=2"))
    }

    @Test(
        "messages that are not one element end it",
        arguments: [
            "", " <a/>", "<a/> ", "<a/><b/>", "<a>", "</a>", "<a></a></a>", "text", "<?xml version='1.0'?><a/>",
            "<!DOCTYPE a><a/>", "<a><!-- --></a>", "<a/>\n", "<a b='", "<", "<stream:stream xmlns:stream='s'>",
            "<open/>", "<open xmlns='urn:ietf:params:xml:ns:xmpp-framing'/>", "<close/>", "<close xmlns='other'/>",
            "<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'/><a/>",
            "<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'>",
        ])
    func violations(text: String) throws {
        for pieces in [1, Int.max] {
            var machine = try opened()
            #expect(throws: Machine.Violation.self) { try receive(&machine, text, pieces: pieces) }
        }
    }

    @Test("nothing but <open/> begins a stream, and it comes once")
    func beginnings() throws {
        for text in ["<stream:features/>", "<message/>", "<close xmlns='x'/>"] {
            var machine = Machine()
            _ = send(&machine, Self.header)
            #expect(throws: Machine.Violation.self) { try receive(&machine, text) }
        }
        var twice = try opened()
        #expect(throws: Machine.Violation.self) { try receive(&twice, Self.open) }
        var unasked = Machine()
        #expect(throws: Machine.Violation.self) { try receive(&unasked, Self.open) }
        var large = Machine()
        _ = send(&large, Self.header)
        let value = String(repeating: "a", count: 20_000)
        #expect(throws: Machine.Violation.self) {
            try receive(&large, Self.open.replacing("s1", with: value), pieces: 1000)
        }
    }

    @Test("a closing tag that a server refused is still the end: a close before any open ends the stream, too")
    func earlyClose() throws {
        var machine = Machine()
        _ = send(&machine, Self.header)
        let close = "<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'/>"
        #expect(try receive(&machine, close) == "</stream:stream>")
    }
}
