// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

@Suite struct ElementBuilderTests {
    private let message = XMLName("message", "jabber:client")

    @Test func `an element is built from its parts`() throws {
        let element = Element(
            message, attributes: ["to": "a@b", "id": nil, "from": "x'y\"<&>\t\n\r"],
            children: [
                Element(XMLName("body", "jabber:client"), text: "1 < 2 & 3 > 2\r]]>"),
                Element(XMLName("request", "urn:xmpp:receipts")), Element(XMLName("plain", "")),
            ])
        #expect(
            element.xml == "<message xmlns='jabber:client' to='a@b' from='x&apos;y&quot;&lt;&amp;&gt;&#9;&#10;&#13;'>"
                + "<body>1 &lt; 2 &amp; 3 &gt; 2&#13;]]&gt;</body><request xmlns='urn:xmpp:receipts'/><plain xmlns=''/></message>"
        )
        #expect(element["from"] == "x'y\"<&>\t\n\r")
        #expect(element["id"] == nil)
        #expect(element.children.first?.text == "1 < 2 & 3 > 2\r]]>")
        #expect(element.child(XMLName("request", "urn:xmpp:receipts")) != nil)
        #expect(element.child(XMLName("plain", "")) != nil)
        #expect(try parsed(element.xml) == element)
        #expect(element.description == element.xml)
    }

    @Test func `a builder opens and closes elements`() {
        let element = Element(message) {
            $0.attribute("xml:lang", "de")
            $0.attribute("a", namespace: "urn:a", "1")
            $0.open(XMLName("x", "urn:x"))
            $0.attribute("b", "2")
            $0.child(XMLName("y", "urn:x"), text: "t")
            $0.open(message)
            $0.close()
            $0.close()
            $0.text("end")
        }
        #expect(
            element.xml == "<message xmlns='jabber:client' xml:lang='de' xmlns:ns0='urn:a' ns0:a='1'>"
                + "<x xmlns='urn:x' b='2'><y>t</y><message xmlns='jabber:client'/></x>end</message>")
        #expect(element.language == "de")
        #expect(element.attribute("a", namespace: "urn:a") == "1")
        #expect(element.text == "end")
    }

    @Test(
        "a received element survives being put into another one",
        arguments: [
            "<m/>", "<m a='1'>x<n xmlns='u'><o/></n></m>", "<p:m xmlns:p='u' p:a='1'><n/></p:m>",
            "<m xmlns='u'><n/></m>",
            "<m xml:lang='de'>x</m>", "<m><n xmlns='urn:a'><o xmlns='urn:b'/><q/></n></m>", "<m>&lt;<![CDATA[&]]></m>",
            "<xml:m/>", "<m xmlns='u'><n xmlns=''><o xmlns='v'><p/></o></n></m>",
        ])
    func copiesReceivedElements(xml: String) throws {
        for header in ["<r>", "<r xmlns='urn:unknown'>", streamHeader] {
            let element = try #require(ParsedStream(header + xml).stanzas.first)
            for outer in ["", "urn:unknown", "jabber:client", "u"] {
                let wrapped = Element(XMLName("w", outer)) {
                    $0.attribute("k", "v")
                    $0.child(element)
                    $0.child(element)
                }
                #expect(wrapped.children.map { $0 } == [element, element])
                #expect(try parsed(wrapped.xml) == wrapped)
                // And once more: what was copied can be copied, and so can its children.
                let again = Element(XMLName("v", "urn:v"), children: [wrapped] + Array(element.children))
                #expect(again.children.first == wrapped)
                #expect(Array(again.children.dropFirst()) == Array(element.children))
                #expect(try parsed(again.xml) == again)
            }
        }
    }

    @Test func `a tree 100 000 deep can be walked, printed, compared, copied and released`() throws {
        let depth = 100_000
        let name = XMLName("a", "urn:deep")
        func deep() -> Element {
            Element(name) { builder in
                for _ in 1..<depth {
                    builder.open(name)
                    builder.attribute("x", "1")
                }
                builder.text("bottom")
            }
        }
        let element = deep()
        var current = element
        var count = 1
        while let child = current.children.first {
            current = child
            count += 1
        }
        #expect(count == depth)
        #expect(current.text == "bottom")
        #expect(current.language == nil)
        #expect(element.xml.utf8.count == element.byteCount)
        #expect(element == deep())
        // The same with other quotes, so that both trees are walked.
        var limits = XMLLimits.afterLogin
        limits.depth = depth
        let other = try #require(
            ParsedStream(
                "<r><a xmlns='urn:deep'>" + String(repeating: "<a x=\"1\">", count: depth - 1) + "bottom"
                    + String(repeating: "</a>", count: depth), limits: limits
            ).stanzas.first)
        #expect(element == other)
        #expect(element.hashValue == other.hashValue)
        let wrapped = Element(XMLName("w", "urn:w"), children: [element])
        #expect(wrapped.children.first == element)
        #expect(wrapped.xml.hasSuffix("</a></w>"))
        var prefixed = XMLWriter()
        let rewritten = Element(XMLName("w", "urn:w")) {
            $0.attribute("p", namespace: "urn:p", "1")
            $0.child(element)
        }
        try prefixed.element(rewritten, inheriting: "urn:w")
        #expect(prefixed.count > element.byteCount)
    }

    @Test func `a tree that is built from inside out is the same`() {
        var element = Element(XMLName("a", "urn:deep"), text: "bottom")
        for level in 0..<300 {
            element = Element(XMLName("a", level % 3 == 0 ? "urn:other" : "urn:deep"), children: [element])
        }
        var current = element
        var count = 0
        while let child = current.children.first {
            current = child
            count += 1
        }
        #expect(count == 300)
        #expect(current.name == XMLName("a", "urn:deep"))
    }

    @Test(
        "an element with what is no name is never written",
        arguments: ["a b", "", "1", "a:b", "a'", "<", "é é", "xmlns:x"])
    func invalidNames(name: String) {
        let elements = [
            Element(XMLName(name, "urn:a")), Element(message, attributes: [name: "1"]),
            Element(message, children: [Element(message) { $0.attribute(name, namespace: "urn:a", "1") }]),
        ]
        for element in elements {
            var writer = XMLWriter()
            writer.raw("before")
            #expect(throws: XMLError.self) { try writer.element(element, inheriting: "jabber:client") }
            #expect(writer.bytes.elementsEqual("before".utf8))
        }
    }

    @Test func `an attribute that is set twice is never written`() {
        let twice = [
            Element(message, attributes: ["a": "1", "a": "2"]),
            Element(message) {
                $0.attribute("a", namespace: "urn:a", "1")
                $0.attribute("a", namespace: "urn:a", "2")
            },
            Element(message) {
                $0.attribute("xml:lang", "1")
                $0.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace", "2")
            },
            Element(message, attributes: ["xmlns": "urn:b"]),
        ]
        for element in twice {
            var writer = XMLWriter()
            #expect(throws: XMLError.self) { try writer.element(element, inheriting: "") }
        }
        var writer = XMLWriter()
        #expect(throws: Never.self) {
            try writer.element(Element(message, attributes: ["a": "1", "ab": "2", "b": "3"]), inheriting: "")
        }
    }
}
