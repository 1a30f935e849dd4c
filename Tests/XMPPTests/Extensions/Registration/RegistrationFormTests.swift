// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Registration forms (XEP-0077 §3.1, §4)")
struct RegistrationFormTests {
    func form(_ content: String) throws -> RegistrationForm {
        try #require(
            RegistrationForm(
                try receivedIQ("<iq type='result' id='1'><query xmlns='jabber:iq:register'>\(content)</query></iq>")))
    }

    static let captcha = """
        <instructions>plain</instructions><username/><password/>
        <x xmlns='jabber:x:data' type='form'><instructions>Answer</instructions>
        <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:captcha</value></field>
        <field var='from' type='hidden'><value>example.org</value></field>
        <field var='challenge' type='hidden'><value>F3A6292C</value></field>
        <field var='sid' type='hidden'><value>reg1</value></field>
        <field var='ocr' label='Enter the text you see'><required/><media xmlns='urn:xmpp:media-element'>
        <uri type='image/jpeg'>cid:sha1+f240@bob.xmpp.org</uri>MORE</media></field></x>
        """

    @Test("fixed fields are asked for by names people know, and go back all, those without value empty")
    func plain() throws {
        let form = try form("<instructions> Choose </instructions><username/><password/><email/><key>k1</key>")
        #expect(!form.usesDataForm && !form.isRegistered && !form.isEmpty && !form.hasCaptcha)
        #expect(form.instructions == ["Choose"])
        #expect(form.fields.map(\.title) == ["User name", "Password", "Email"])
        #expect(form.fields.map(\.isRequired) == [true, true, false])
        let payload = try form.payload(["username": ["bill"], "password": ["Calliope"], "bogus": ["x"], "zip": ["1"]])
        #expect(payload.children.map(\.text) == ["bill", "Calliope", "", "1", "k1"])
        #expect(payload.children.map(\.localName) == ["username", "password", "email", "zip", "key"])
    }

    @Test("B52 OF15 the data form wins over the fixed fields, and both never go back")
    func formWins() throws {
        let form = try form(Self.captcha.replacing("MORE", with: "<uri>https://example.org/ocr?F3A6292C</uri>"))
        #expect(form.usesDataForm && form.hasCaptcha && form.unsupportedFields.isEmpty)
        #expect(form.fields.map(\.name) == ["ocr"])
        let payload = try form.payload(["username": ["ann"], "password": ["x"], "ocr": ["kitten"]])
        #expect(payload.children.map(\.localName) == ["x"])
        let submitted = try #require(payload.children.first.flatMap { DataForm($0) })
        #expect(submitted.kind == .submit && submitted.formType == "urn:xmpp:captcha")
        #expect(submitted["challenge"]?.values == ["F3A6292C"] && submitted["sid"]?.values == ["reg1"])
        #expect(submitted["from"]?.values == ["example.org"] && submitted["ocr"]?.values == ["kitten"])
        #expect(submitted["username"]?.values == ["ann"] && submitted["password"]?.values == ["x"])
    }

    @Test("B52 a required picture without an address on the web is named as what cannot be asked")
    func unsupported() throws {
        let form = try form(Self.captcha.replacing("MORE", with: ""))
        #expect(form.unsupportedFields == ["Enter the text you see"])
        #expect(form.fields.first?.media == ["cid:sha1+f240@bob.xmpp.org"])
        let puzzle = try self.form(
            "<x xmlns='jabber:x:data' type='form'><field var='SHA-256' label='93C7A'><required/></field></x>")
        #expect(puzzle.unsupportedFields == ["93C7A"])
    }

    @Test("B52 the page that a server offers beside its picture makes the picture askable")
    func fallback() throws {
        let xml = Self.captcha.replacing("MORE", with: "").replacing(
            "</x>",
            with:
                "<field var='captcha-fallback-url' type='text-single'><value>http://example.org:5280/c/1/image</value></field></x>"
        )
        let form = try form(xml)
        #expect(form.unsupportedFields.isEmpty)
        #expect(form.fields.map(\.name) == ["ocr"])
        #expect(form.fields.first?.media.last == "http://example.org:5280/c/1/image")
    }

    @Test("a required field without value is named, and nothing is sent")
    func missing() throws {
        let form = try form(
            "<x xmlns='jabber:x:data' type='form'><field var='username' label='Username'><required/></field>"
                + "<field var='email' label='Email address'><required/></field></x>")
        do throws(XMPPError) {
            _ = try form.payload(["username": ["ann"]])
            Issue.record("a form with a gap was taken")
        } catch {
            #expect(error.code == .detailsNotAcceptable)
            #expect(error.description.contains("Email address"))
        }
    }

    @Test("a redirection names the page and asks for nothing")
    func elsewhere() throws {
        let form = try form(
            "<instructions>Visit us</instructions><x xmlns='jabber:x:oob'><url>https://example.org/join</url></x>")
        #expect(form.isEmpty && form.elsewhere == "https://example.org/join" && form.instructions == ["Visit us"])
    }

    @Test("OF15 what is registered already comes with its values")
    func registered() throws {
        let form = try form("<registered/><username>juliet</username><password/><email>j@example.net</email>")
        #expect(form.isRegistered)
        #expect(form.fields.map(\.values) == [["juliet"], [], ["j@example.net"]])
    }

    @Test("another payload, an error and a request are no forms")
    func refusal() throws {
        for xml in [
            "<iq type='result' id='1'><query xmlns='jabber:iq:other'/></iq>", "<iq type='result' id='1'/>",
            "<iq type='get' id='1'><query xmlns='jabber:iq:register'/></iq>",
        ] { #expect(RegistrationForm(try receivedIQ(xml)) == nil) }
    }
}
