// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

/// The first stanza of a stream without a namespace.
func parsed(_ xml: String) throws -> Element {
    try #require(ParsedStream("<r>" + xml).stanzas.first)
}

@Suite struct ElementTests {
    private let body = XMLName("body", "jabber:client")

    @Test func `attributes are found by name and namespace`() throws {
        let element = try parsed(
            "<m id='1' identity='2' xmlns:p='urn:p' p:id='3' xml:lang='de' i = 'x' from='a&amp;b' empty=''/>")
        #expect(element["id"] == "1")
        #expect(element["identity"] == "2")
        #expect(element["i"] == "x")
        #expect(element["ident"] == nil)
        #expect(element["lang"] == nil)
        #expect(element["xmlns"] == nil)
        #expect(element[""] == nil)
        #expect(element["empty"] == "")
        #expect(element.attribute("id", namespace: "urn:p") == "3")
        #expect(element.attribute("id", namespace: "urn:q") == nil)
        #expect(element.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace") == "de")
        #expect(element.attributes.map(\.name.local) == ["id", "identity", "id", "lang", "i", "from", "empty"])
        #expect(element.attributes.map(\.value) == ["1", "2", "3", "de", "x", "a&b", ""])
        #expect(element.attributes.map(\.name.namespace)[2] == "urn:p")
        #expect(!element.attributes.isEmpty)
    }

    @Test func `bytes of attributes are decoded and compared without text`() throws {
        let element = try parsed("<m type='chat' from='a&amp;b' n=''/>")
        #expect(element.withAttribute("from") { Array($0) } == Array("a&b".utf8))
        #expect(element.withAttribute("to") { _ in true } == nil)
        #expect(element.withAttribute("n") { $0.count } == 0)
        #expect(element.attributeEquals("type", "chat"))
        #expect(!element.attributeEquals("type", "cha"))
        #expect(!element.attributeEquals("type", "chats"))
        #expect(element.attributeEquals("from", "a&b"))
        #expect(element.attributeEquals("n", ""))
        #expect(!element.attributeEquals("to", ""))
    }

    @Test func `children and text are the element's own`() throws {
        let element = try parsed("<m>a<b>B</b>c<![CDATA[<d>]]><b>E</b>&lt;<x xmlns='u'>Y<b/></x></m>")
        let name = XMLName("b", "")
        #expect(element.text == "ac<d><")
        #expect(element.children.map(\.localName) == ["b", "b", "x"])
        #expect(element.child(name)?.text == "B")
        #expect(element.children(name).map(\.text) == ["B", "E"])
        #expect(element.child(XMLName("x", ""))?.text == nil)
        #expect(element.child(XMLName("x", "u"))?.text == "Y")
        #expect(element.child(XMLName("x", "u"))?.children.first?.name == XMLName("b", "u"))
        #expect(element.children.first?.children.isEmpty == true)
        #expect(element.withText { Array($0) } == Array("ac<d><".utf8))
        let parts = element.content.map { part in
            switch part {
            case .text(let text): text
            case .element(let child): child.localName
            }
        }
        #expect(parts == ["a", "b", "c", "<d>", "b", "<", "x"])
    }

    @Test func `text of an element with attributes only is empty`() throws {
        #expect(try parsed("<m a='1'/>").text == "")
        #expect(try parsed("<m a='1'></m>").text == "")
        #expect(try parsed("<m a='1'>x</m>").text == "x")
        #expect(try parsed("<m a='1'>&#120;</m>").text == "x")
    }

    @Test func `a namespace that the stream declared is known inside a stanza that outlives the parser`() throws {
        let stanzas = ParsedStream("<r xmlns='urn:unknown' xmlns:p='urn:other'><m><p:a p:b='1'/></m><n/>").stanzas
        try #require(stanzas.count == 2)
        #expect(stanzas[0].name == XMLName("m", "urn:unknown"))
        let child = try #require(stanzas[0].children.first)
        #expect(child.name == XMLName("a", "urn:other"))
        #expect(child.matches(XMLName("a", "urn:other")))
        #expect(child.attribute("b", namespace: "urn:other") == "1")
        #expect(stanzas[1].namespace == "urn:unknown")
        #expect(stanzas[0].xml == "<m xmlns='urn:unknown'><a xmlns='urn:other' xmlns:ns0='urn:other' ns0:b='1'/></m>")
        #expect(try parsed(stanzas[0].xml) == stanzas[0])
    }

    @Test func `the language is that of the nearest element around`() throws {
        let element = try parsed(
            "<m><a/><b xml:lang='de'><c/><d xml:lang=''/><e xml:lang='fr'><f><g/></f></e><h/></b><i/></m>")
        let b = try #require(element.children(XMLName("b", "")).first)
        let languages = b.children.map(\.language)
        #expect(languages == ["de", "", "fr", "de"])
        #expect(b.children.first?.language == "de")
        #expect(b.child(XMLName("e", ""))?.children.first?.children.first?.language == "fr")
        #expect(element.language == nil)
        #expect(element.children.map(\.language) == [nil, "de", nil])
        #expect(try parsed("<m xml:lang='x'><n lang='y'/></m>").children.first?.language == "x")
    }

    @Test func `the size is that of the bytes received`() throws {
        let element = try parsed("<m><b>é</b></m>")
        #expect(element.byteCount == 16)
        #expect(element.children.first?.byteCount == 9)
    }

    @Test func `known names are numbers and unknown ones are compared by their bytes`() throws {
        #expect(body.id != XMLName.unknownID)
        let unknown = XMLName("bodx", "jabber:client")
        #expect(unknown.id == XMLName.unknownID)
        let element = try #require(ParsedStream(streamHeader + "<message><body/><bodx/><bod/></message>").stanzas.first)
        #expect(element.children.map { $0.matches(body) } == [true, false, false])
        #expect(element.children.map { $0.matches(unknown) } == [false, true, false])
        #expect(element.children.map(\.name) == [body, unknown, XMLName("bod", "jabber:client")])
    }
}

@Suite struct ElementEqualityTests {
    @Test(
        "ways of writing make no difference",
        arguments: [
            ("<m a='1' b='2'/>", "<m b=\"2\" a='&#49;'></m>"), ("<m>&lt;x</m>", "<m><![CDATA[<]]>x</m>"),
            ("<m xmlns='u'><n/></m>", "<p:m xmlns:p='u'><q:n xmlns:q='u'/></p:m>"), ("<m>a\r\nb</m>", "<m>a\nb</m>"),
            ("<m xmlns:p='u' p:a='1'/>", "<m xmlns:q='u' q:a='1'/>"), ("<m><![CDATA[]]></m>", "<m/>"),
        ])
    func equal(left: String, right: String) throws {
        let left = try parsed(left)
        let right = try parsed(right)
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(
        "what means something else is not equal",
        arguments: [
            ("<m/>", "<n/>"), ("<m a='1'/>", "<m a='2'/>"), ("<m a='1'/>", "<m/>"), ("<m>a</m>", "<m>b</m>"),
            ("<m>a</m>", "<m/>"), ("<m/>", "<m xmlns='u'/>"), ("<m><a/><b/></m>", "<m><b/><a/></m>"),
            ("<m><a/></m>", "<m><a/><a/></m>"), ("<m><a><b/></a></m>", "<m><a/><b/></m>"),
            ("<m>x<a/></m>", "<m><a/>x</m>"),
            ("<m xmlns:p='u' p:a='1'/>", "<m a='1'/>"), ("<m> </m>", "<m/>"), ("<m><a>x</a></m>", "<m><a/>x</m>"),
            ("<m a='1' b='2'/>", "<m a='2' b='1'/>"),
        ])
    func notEqual(left: String, right: String) throws {
        #expect(try parsed(left) != parsed(right))
        #expect(try parsed(right) != parsed(left))
    }

    @Test func `a child equals the same element standing alone`() throws {
        let stanza = try #require(ParsedStream(streamHeader + "<m><x><y/></x></m>").stanzas.first)
        let child = try #require(stanza.children.first)
        #expect(child == Element(XMLName("x", "jabber:client"), children: [Element(XMLName("y", "jabber:client"))]))
        #expect(Set([child, child, stanza]).count == 2)
    }
}
