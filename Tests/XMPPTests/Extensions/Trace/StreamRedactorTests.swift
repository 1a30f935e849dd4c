// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP

private let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"

@Suite("What a stream log shows") struct StreamRedactorTests {
    private func element(_ xml: String) throws -> Element {
        var parser = XMLStreamParser(limits: .afterLogin)
        let text =
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>" + xml
        var copy = text
        copy.withUTF8 { parser.append(UnsafeRawBufferPointer($0)) }
        guard case .open = try parser.next(), case .stanza(let element) = try parser.next() else {
            throw XMPPError(.protocolViolation, "no element in \(xml)")
        }
        return element
    }

    private func shown(_ xml: String, text: Bool = false) throws -> String {
        StreamRedactor(showsText: text).text(try element(xml))
    }

    @Test(
        "T181 no proof, password, token or key is shown, whatever was asked for",
        arguments: [
            "<auth xmlns='\(sasl)' mechanism='PLAIN'>SECRET</auth>",
            "<response xmlns='\(sasl)'>SECRET</response>", "<challenge xmlns='\(sasl)'>SECRET</challenge>",
            "<success xmlns='\(sasl)'>SECRET</success>",
            "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='SCRAM-SHA-1'><initial-response>SECRET</initial-response>"
                + "<user-agent id='SECRET'><software>SECRET</software></user-agent></authenticate>",
            "<success xmlns='urn:xmpp:sasl:2'><token xmlns='urn:xmpp:fast:0' expiry='x' token='SECRET'/></success>",
            "<success xmlns='urn:xmpp:sasl:2'><additional-data>SECRET</additional-data></success>",
            "<iq type='set'><query xmlns='jabber:iq:auth'><digest>SECRET</digest><password>SECRET</password></query></iq>",
            "<iq type='set'><query xmlns='jabber:iq:register'><username>bo</username><password>SECRET</password>"
                + "<key>SECRET</key><email>SECRET</email></query></iq>",
            "<iq type='set'><query xmlns='jabber:iq:register'><x xmlns='jabber:x:data' type='submit'>"
                + "<field var='password'><value>SECRET</value></field></x></query></iq>",
            "<iq type='set'><x xmlns='jabber:x:data'><field type='text-private' var='pin'><value>SECRET</value></field></x></iq>",
            "<enabled xmlns='urn:xmpp:sm:3' id='SECRET' resume='true'/>",
            "<resume xmlns='urn:xmpp:sm:3' previd='SECRET' h='4'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='SECRET' h='4'/>",
            "<presence to='room@example.org/bo'><x xmlns='http://jabber.org/protocol/muc'><password>SECRET</password></x></presence>",
            "<iq type='result'><slot xmlns='urn:xmpp:http:upload:0'><put url='https://up.example.org/SECRET'>"
                + "<header name='Authorization'>SECRET</header></put></slot></iq>",
            "<iq type='result'><services xmlns='urn:xmpp:extdisco:2'><service host='turn.example.org' username='x'"
                + " password='SECRET'/></services></iq>",
            "<iq type='set'><enable xmlns='urn:xmpp:push:0' jid='push.example.org'><x xmlns='jabber:x:data'>"
                + "<field var='secret'><value>SECRET</value></field></x></enable></iq>",
            "<message><body>aesgcm://up.example.org/f.jpg#SECRET</body></message>",
            "<message><x xmlns='jabber:x:oob'><url>aesgcm://up.example.org/f.jpg#SECRET</url></x></message>",
            "<message><encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'><key rid='2'>SECRET</key>"
                + "<iv>SECRET</iv></header><payload>SECRET</payload></encrypted></message>",
        ])
    func secrets(xml: String) throws {
        for text in [false, true] {
            let shown = try shown(xml, text: text)
            #expect(!shown.contains("SECRET"), "\(shown)")
            #expect(shown.contains("["), "it does not say that something is left out: \(shown)")
        }
    }

    @Test(
        "T181 what people write is left out unless it was asked for",
        arguments: [
            "<message from='bo@example.org'><body>TEXT</body><subject>TEXT</subject></message>",
            "<message><result xmlns='urn:xmpp:mam:2'><forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client'>"
                + "<body>TEXT</body></message></forwarded></result></message>",
            "<message><html xmlns='http://jabber.org/protocol/xhtml-im'><p xmlns='http://www.w3.org/1999/xhtml'>TEXT</p></html></message>",
            "<message><x xmlns='jabber:x:oob'><url>https://example.org/TEXT</url></x></message>",
            "<message><odd xmlns='urn:example:odd'>TEXT</odd></message>",
            "<presence><status>TEXT</status></presence>",
            "<iq type='set'><pubsub xmlns='http://jabber.org/protocol/pubsub'><publish node='n'><item>"
                + "<title xmlns='urn:example:odd'>TEXT</title></item></publish></pubsub></iq>",
            "<message><reference xmlns='urn:xmpp:reference:0' type='data' uri='https://example.org/TEXT'/></message>",
        ])
    func texts(xml: String) throws {
        #expect(try !shown(xml).contains("TEXT"))
        #expect(try shown(xml, text: true).contains("TEXT"))
    }

    @Test(
        "what one needs to see what goes on is shown",
        arguments: [
            ("<auth xmlns='\(sasl)' mechanism='SCRAM-SHA-256'>AAAA</auth>", "mechanism='SCRAM-SHA-256'"),
            ("<mechanisms xmlns='\(sasl)'><mechanism>SCRAM-SHA-1</mechanism></mechanisms>", ">SCRAM-SHA-1<"),
            ("<failure xmlns='\(sasl)'><not-authorized/><text>no such user</text></failure>", "<not-authorized/>"),
            (
                "<iq type='result' id='7'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>a@b/c</jid></bind></iq>",
                ">a@b/c<"
            ),
            ("<a xmlns='urn:xmpp:sm:3' h='41'/>", "h='41'"),
            ("<message from='bo@example.org/phone' id='m1'><body>hello</body></message>", "[5 bytes]"),
            ("<presence><show>away</show><priority>5</priority></presence>", "<show>away</show>"),
            (
                "<iq type='error'><error type='cancel'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
                    + "</error></iq>",
                "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
            ),
        ])
    func structure(xml: String, expected: String) throws {
        let shown = try shown(xml)
        #expect(shown.contains(expected), "\(shown)")
    }

    @Test("T181 nothing from the wire forges a line or moves a cursor")
    func oneLine() throws {
        let shown = try shown(
            "<message id='a&#xA;b&#x202E;c'><body>x&#xA;> &lt;y/>&#x9B;</body></message>", text: true)
        #expect(!shown.contains("\n"))
        #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .format })
        #expect(!shown.contains("<y/>"))
    }
}
