// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

/// Bytes that must end a stream, each with the kind of the error.
@Suite struct XMLRefusalTests {
    /// The error for bytes behind the stream header, the same in one piece and byte by byte.
    private func refusal(of text: String) -> XMLError.Kind? { refusal(of: Array(text.utf8)) }

    private func refusal(of bytes: [UInt8], after header: String = streamHeader) -> XMLError.Kind? {
        let whole = ParsedStream(Array(header.utf8) + bytes)
        let dribbled = ParsedStream(Array(header.utf8) + bytes, chunk: 1)
        #expect(whole == dribbled)
        return whole.error?.kind
    }

    @Test(
        "T047 a DTD is refused at the DOCTYPE token",
        arguments: [
            "<!DOCTYPE stream", "<!D", "<!DOCTYPE x [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]>",
            "<!DOCTYPE x SYSTEM 'file:///etc/passwd'>", "<!DOCTYPE x PUBLIC '-//A//B' 'http://example.org/x.dtd'>",
        ])
    func documentType(declaration: String) {
        for header in ["", "<?xml version='1.0'?>", streamHeader, streamHeader + "<message><body>"] {
            let parsed = ParsedStream(header + declaration)
            #expect(parsed.error?.kind == .restricted)
            #expect(ParsedStream(header + declaration, chunk: 1) == parsed)
            // Refused at the third byte: nothing behind it is waited for.
            #expect(ParsedStream(header + declaration.prefix(3)).error?.kind == .restricted)
        }
    }

    @Test(
        "T048 processing instructions, comments and undeclared entities are refused",
        arguments: [
            "<?php x?>", "<?", "<?xml version='1.0'?>", "<!--x-->", "<!-", "<m><!-- x", "<m><?x", "<m>&x;",
            "<m a='&x;'/>",
            "<m>&nbsp;", "<m>&AMP;", "<m>&amplifier;",
        ])
    func restrictedMarkup(bytes: String) {
        #expect(refusal(of: bytes) == .restricted)
    }

    @Test(
        "T049 references to characters that XML does not have are not well-formed",
        arguments: [
            "&#0;", "&#xD800;", "&#xDFFF;", "&#xFFFE;", "&#xFFFF;", "&#x110000;", "&#99999999999999999999;", "&#8;",
            "&#x1F;",
            "&#;", "&#x;", "&#xG;", "&#a;", "&#65", "&#X41;", "&# 65;",
        ])
    func referencesToNothing(reference: String) {
        #expect(refusal(of: "<m>\(reference)</m>") == .notWellFormed)
        #expect(refusal(of: "<m a='\(reference)'/>") == .notWellFormed)
    }

    private static let notUTF8: [(name: String, bytes: [UInt8])] = [
        ("overlong slash", [0xC0, 0xAF]), ("overlong NUL", [0xC0, 0x80]),
        ("overlong, three bytes", [0xE0, 0x80, 0xAF]),
        ("overlong, four bytes", [0xF0, 0x80, 0x80, 0xAF]), ("high surrogate", [0xED, 0xA0, 0x80]),
        ("low surrogate", [0xED, 0xBF, 0xBF]), ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]),
        ("six bytes", [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]), ("lone continuation", [0x80]),
        ("beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]), ("cut character", [0xE2, 0x82, 0x20]), ("FE", [0xFE]),
        ("FF", [0xFF]), ("Latin-1", [0xE9, 0x20]), ("U+FFFE", [0xEF, 0xBF, 0xBE]), ("U+FFFF", [0xEF, 0xBF, 0xBF]),
        ("NUL", [0]), ("control", [0x1F]),
    ]

    @Test("T050 bytes that are not UTF-8 are refused in a name, a value, a text and CDATA", arguments: notUTF8)
    func invalidUTF8(name: String, bytes: [UInt8]) {
        let places: [(before: String, after: String)] = [
            ("<m", "/>"), ("<m b", "=''/>"), ("<m b='", "'/>"), ("<m>", "</m>"), ("<m><![CDATA[", "]]></m>"),
            ("</", ">"),
        ]
        for place in places {
            let kind = refusal(of: Array(place.before.utf8) + bytes + Array(place.after.utf8))
            #expect(kind == .notWellFormed, "\(name) behind \(place.before)")
        }
    }

    @Test("T050 a character cut at a chunk edge is no error", arguments: 1...8)
    func charactersCutAtEdges(chunk: Int) throws {
        let text = "<é ü='ж中🦊'>\u{7FF}\u{800}\u{FFFD}\u{10000}\u{10FFFF}\u{D7FF}\u{E000}</é>"
        let parsed = ParsedStream("<r>" + text, chunk: chunk)
        #expect(parsed.error == nil)
        let element = try #require(parsed.stanzas.first)
        #expect(element["ü"] == "ж中🦊")
        #expect(element.text == "\u{7FF}\u{800}\u{FFFD}\u{10000}\u{10FFFF}\u{D7FF}\u{E000}")
    }

    @Test("T051 only UTF-8 is accepted")
    func onlyUTF8() {
        let utf16 = Array("<a/>".utf16)
        let big = utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let little = utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(refusal(of: [0xFE, 0xFF] + big, after: "") == .unsupportedEncoding)
        #expect(refusal(of: [0xFF, 0xFE] + little, after: "") == .unsupportedEncoding)
        #expect(refusal(of: big, after: "") == .unsupportedEncoding)
        #expect(refusal(of: little, after: "") == .unsupportedEncoding)
        // RFC 6120 §11.6: U+FEFF is a character, never a byte-order mark, and no character may stand there.
        #expect(refusal(of: [0xEF, 0xBB, 0xBF], after: "") == .notWellFormed)
        for name in ["utf-16", "UTF-16LE", "iso-8859-1", "us-ascii", "utf8", "UTF-32"] {
            let declaration = "<?xml version='1.0' encoding='\(name)'?>"
            #expect(refusal(of: Array(declaration.utf8), after: "") == .unsupportedEncoding)
        }
        // Half a pair of UTF-16, written as three bytes (CESU-8).
        #expect(refusal(of: Array("<m>".utf8) + [0xED, 0xA0, 0xBE, 0xED, 0xB6, 0x8A]) == .notWellFormed)
    }

    @Test(
        "T051 an XML declaration may name version 1 and UTF-8",
        arguments: [
            "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding='UTF-8' ?>",
            "<?xml  version = '1.0'\nencoding=\"utf-8\"?>",
            "<?xml version='1.0' standalone='yes'?>", "<?xml version='1.0' encoding='utf-8' standalone='no'?>",
        ])
    func declarations(declaration: String) {
        for chunk in [1, 7, 1000] {
            #expect(ParsedStream(declaration + " \n<a>", chunk: chunk).events.count == 1)
        }
    }

    @Test(
        "T051 a wrong XML declaration is refused",
        arguments: [
            "<?xml?>", "<?xml ?>", "<?xml version='2.0'?>", "<?xml version='1.'?>", "<?xml encoding='utf-8'?>",
            "<?xml version='1.0'encoding='utf-8'?>", "<?xml version='1.0' encoding='utf-8' version='1.0'?>",
            "<?xml version=1.0?>", "<?xml version='1.0\"?>", "<?xml version='1.0' standalone='maybe'?>",
            "<?xml version='1.0'>",
            "<?xml version='1.0' <a>", "<?XML version='1.0'?>", "<?xmlx?>", " <?xml version='1.0'?>",
            "<?xml version='1.0'?><?xml version='1.0'?>",
        ])
    func wrongDeclarations(declaration: String) {
        let parsed = ParsedStream(declaration + "<a>")
        #expect(parsed.error != nil)
        #expect(parsed.events.isEmpty)
    }

    @Test(
        "B16 a comment, a processing instruction and an entity are refused and nothing is expanded",
        arguments: ["<!-- c -->", "<?pi?>", "<!DOCTYPE x [<!ENTITY a 'aaaa'>]>", "<m>&a;</m>", "<m b='&a;'/>"])
    func restrictedXML(bytes: String) {
        let parsed = ParsedStream(streamHeader + bytes)
        #expect(parsed.error?.kind == .restricted)
        #expect(parsed.stanzas.isEmpty)
    }

    @Test("B16 the predefined and the numeric references stay legal")
    func legalReferences() throws {
        let parsed = ParsedStream("<r><m a='&amp;&#x26;'>&lt;&gt;&amp;&quot;&apos;&#38;&#x26;&#0038;</m>")
        let element = try #require(parsed.stanzas.first)
        #expect(element.text == "<>&\"'&&&")
        #expect(element["a"] == "&&")
    }

    @Test(
        "B17 a bare ampersand is not well-formed and ends the stream",
        arguments: ["tea & cake", "a && b", "a &", "&;", "&#", "a&b", "&amp", "& amp;", "&1;"])
    func bareAmpersand(text: String) {
        let parsed = ParsedStream(streamHeader + "<message><body>\(text)</body></message><presence/>")
        #expect(parsed.error?.kind == .notWellFormed)
        #expect(parsed.stanzas.isEmpty)
    }

    @Test(
        "other bytes that are not well-formed are refused",
        arguments: [
            "text", "]]>", "<![CDATA[ ]]>", "&#32;", "<m>]]></m>", "<m></n>", "<m></mm>", "<mm></m>", "</m>",
            "</stream>",
            "</stream:streams>", "</x:stream>", "<m a='<'/>", "<m a=b/>", "<m a/>", "<m a=''b=''/>", "<m a='' a=''/>",
            "<m/ >", "< m/>", "<1/>", "<-m/>", "<.m/>", "<m></m", "</m>", "<m></ m>", "<m =''/>", "<m a='\u{1}'/>",
            "<m>\u{8}</m>",
            "<m\u{B7}/><\u{B7}m/>", "<\u{300}/>", "<m><![cdata[x]]></m>", "<m><![CDATA [x]]></m>", "<m><!x></m>", "<>",
            "<m \"a\"/>",
        ])
    func notWellFormed(bytes: String) {
        // What is only cut short becomes wrong by the next tag.
        #expect(refusal(of: bytes + "<") == .notWellFormed)
    }

    @Test(
        "names and prefixes that are not well-formed as to namespaces are refused",
        arguments: [
            "<p:m/>", "<m p:a=''/>", "<m xmlns:p=''/>", "<m xmlns:xml='u'/>", "<m xmlns:xmlns='u'/>", "<xmlns:m/>",
            "<m xmlns:xmlns='http://www.w3.org/2000/xmlns/'/>", "<m xmlns='http://www.w3.org/2000/xmlns/'/>",
            "<m xmlns='http://www.w3.org/XML/1998/namespace'/>", "<m xmlns:p='http://www.w3.org/2000/xmlns/'/>",
            "<m xmlns:p='http://www.w3.org/XML/1998/namespace'/>", "<m><a xmlns:p='u'/><p:b/></m>",
            "<m xmlns:p='&#117;' q:a=''/>",
        ])
    func badNamespaces(bytes: String) {
        #expect(refusal(of: bytes) == .badNamespace)
    }

    @Test(
        "names with colons where none can be, and repeated expanded names, are refused",
        arguments: [
            "<:m/>", "<m:/>", "<a:b:c xmlns:a='u'/>", "<m :a=''/>", "<m a:=''/>", "<m xmlns:='u'/>",
            "<m xmlns:a:b='u'/>",
            "<m xmlns:p='u' xmlns:q='u' p:a='' q:a=''/>", "<m xmlns:p='u' p:a='' p:a=''/>", "<m xmlns='u' xmlns='v'/>",
            "<m xmlns:p='u' xmlns:p='u'/>", "<m xmlns:p='u' xmlns:q='&#117;' p:a='' q:a=''/>",
            "<m xml:lang='' xml:lang=''/>",
            "<m xmlns:abcdefghi='u' abcdefghi:abcdefghi='' abcdefghi:abcdefghi=''/>",
        ])
    func repeatedNames(bytes: String) {
        #expect(refusal(of: bytes) == .notWellFormed)
    }
}
