// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

@Suite struct XMLWriterTests {
    private func text(_ value: String) throws(XMLError) -> String {
        var writer = XMLWriter()
        try writer.text(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func value(_ value: String) throws(XMLError) -> String {
        var writer = XMLWriter()
        try writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `text and values are escaped`() throws {
        #expect(try text("a<b>c&d'e\"f\tg\nh\ri") == "a&lt;b&gt;c&amp;d'e\"f\tg\nh&#13;i")
        #expect(try value("a<b>c&d'e\"f\tg\nh\ri") == "a&lt;b&gt;c&amp;d&apos;e&quot;f&#9;g&#10;h&#13;i")
        #expect(try text("") == "")
        #expect(try text("]]>") == "]]&gt;")
        var writer = XMLWriter()
        writer.raw("<a")
        try writer.attribute("b", "1'2")
        writer.raw("/>")
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "<a b='1&apos;2'/>")
        writer.removeAll()
        #expect(writer.count == 0)
    }

    @Test func `every character at every place is read back as it was written`() throws {
        let characters = [
            "&", "<", ">", "'", "\"", "\t", "\n", "\r", "é", "中", "🦊", "\u{FFFD}", "\u{EFFF}", "\u{FEFF}", "x",
        ]
        for character in characters {
            for before in 0..<18 {
                let original = String(repeating: "a", count: before) + character + "bcdefghijklm" + character
                let element = try parsed("<m a='\(try value(original))'>\(try text(original))</m>")
                #expect(element["a"] == original)
                #expect(element.text == original)
            }
        }
    }

    private static let forbidden: [Unicode.Scalar] =
        (0..<0x20).compactMap { Unicode.Scalar(UInt32($0)) }.filter { !["\t", "\n", "\r"].contains($0) } + [
            "\u{FFFE}", "\u{FFFF}",
        ]

    @Test("B18 characters that XML forbids are refused with their place and nothing is written", arguments: forbidden)
    func forbiddenCharacters(scalar: Unicode.Scalar) throws {
        for before in ["", "a", "é&<", String(repeating: "x", count: 40)] {
            let value = before + String(scalar) + "b"
            var writer = XMLWriter()
            writer.raw("<m>")
            let error = #expect(throws: XMLError.self) { try writer.text(value) }
            #expect(error?.kind == .forbiddenCharacter(offset: before.utf8.count))
            #expect(throws: XMLError.self) { try writer.value(value) }
            #expect(throws: XMLError.self) { try writer.attribute("a", value) }
            #expect(writer.bytes.elementsEqual("<m>".utf8))
            // An element can hold it, but not be sent.
            let element = Element(
                XMLName("m", ""), attributes: ["k": "v"], children: [Element(XMLName("n", ""), text: value)])
            #expect(element.children.first?.text == value)
            let refusal = #expect(throws: XMLError.self) { try writer.element(element, inheriting: "") }
            if case .forbiddenCharacter(let offset)? = refusal?.kind {
                #expect(Array(element.xml.utf8)[offset...].starts(with: String(scalar).utf8))
            } else {
                Issue.record("no offset")
            }
            #expect(writer.bytes.elementsEqual("<m>".utf8))
        }
    }

    @Test("B18 TAB, LF and CR are kept")
    func lineEndsAreKept() throws {
        let element = Element(XMLName("m", ""), attributes: ["a": "1\t2\n3\r4\r\n5"], text: "1\t2\n3\r4\r\n5")
        var writer = XMLWriter()
        try writer.element(element, inheriting: "")
        let read = try parsed(String(decoding: writer.bytes, as: UTF8.self))
        #expect(read["a"] == "1\t2\n3\r4\r\n5")
        #expect(read.text == "1\t2\n3\r4\r\n5")
    }

    @Test("B19 half a pair of UTF-16 cannot get into a text")
    func loneSurrogates() throws {
        let units = Array("hello 🦊🦊".utf16)
        let cut = String(decoding: units[..<7], as: UTF16.self)
        #expect(cut == "hello \u{FFFD}")
        #expect(try text(cut) == "hello \u{FFFD}")
        // A surrogate that is written as bytes is no text: it is replaced before it can be escaped.
        let bytes: [UInt8] = [0x68, 0xED, 0xA0, 0xBE]
        let decoded = String(decoding: bytes, as: UTF8.self)
        #expect(try parsed("<m>\(try text(decoded))</m>").text == decoded)
    }

    @Test func `a namespace that is inherited is not declared again`() throws {
        let message = XMLName("message", "jabber:client")
        let elements = [
            Element(
                message, attributes: ["to": "a@b"], children: [Element(XMLName("body", "jabber:client"), text: "x")]),
            try #require(ParsedStream(streamHeader + "<message to='a@b'><body>x</body></message>").stanzas.first),
            try parsed("<message \n xmlns = \"jabber:client\" to='a@b'><body>x</body></message>"),
            try parsed("<message to='a@b' xmlns='jabber:client'><body>x</body></message>"),
        ]
        for element in elements {
            var writer = XMLWriter()
            try writer.element(element, inheriting: "jabber:client")
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "<message to='a@b'><body>x</body></message>")
            writer.removeAll()
            try writer.element(element, inheriting: "urn:other")
            #expect(try parsed(String(decoding: writer.bytes, as: UTF8.self)) == element)
        }
    }

    @Test func `runs of text that stood apart stay what they were`() throws {
        let texts = [
            "<m xmlns:p='u' p:a='1'>a\r<![CDATA[]]>\nb</m>", "<m xmlns:p='u' p:a='1'>]<![CDATA[]]>]&gt;</m>",
            "<m xmlns:p='u' p:a='1'>]]<![CDATA[>]]></m>", "<m xmlns:p='u' p:a=\"'\"><![CDATA[a]]]]><![CDATA[>]]></m>",
        ]
        for text in texts {
            let element = try parsed(text)
            #expect(try parsed(element.xml) == element)
        }
    }

    @Test func `truncating goes back to a remembered count`() throws {
        var writer = XMLWriter()
        writer.raw("<a/>")
        let count = writer.count
        writer.raw("<b/>")
        writer.truncate(to: count)
        #expect(writer.bytes.elementsEqual("<a/>".utf8))
        writer.truncate(to: 100)
        #expect(writer.count == count)
    }
}
