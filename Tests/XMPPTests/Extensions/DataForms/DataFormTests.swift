// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Data forms (XEP-0004)")
struct DataFormTests {
    static let sample = """
        <x xmlns='jabber:x:data' type='form'><title>Sign up</title><instructions>One</instructions>
        <instructions>Two</instructions>
        <field var='FORM_TYPE' type='hidden'><value>jabber:iq:register</value></field>
        <field type='fixed'><value>Read this</value></field>
        <field var='username' type='text-single' label='Username'><required/></field>
        <field var='password' type='text-private'><required/><desc>Long</desc></field>
        <field var='color' type='list-single'><option label='Red'><value>r</value></option><option><value>b</value></option>
        <value>b</value></field><field var='odd' type='text-sparkling'/><field type='text-single'/>
        <field var='username'><value>second</value></field></x>
        """

    @Test("are written and read")
    func roundTrips() throws {
        let field = DataForm.Field(
            "ocr", kind: .line, label: "Text", explanation: "as you see it", isRequired: true, values: ["a", "b"],
            options: [.init(label: "A", value: "a"), .init(value: "b")], media: ["https://example.org/a.png"])
        try roundTrip(field)
        try roundTrip(DataForm(.form, title: "T", instructions: ["one", "two"], fields: [field]))
        try roundTrip(DataForm(.submit))
    }

    @Test("a form is read with all it says, and the first of two fields with one name counts")
    func reads() throws {
        let form = try #require(DataForm(try received(Self.sample)))
        #expect(form.kind == .form && form.title == "Sign up" && form.instructions == ["One", "Two"])
        #expect(form.formType == "jabber:iq:register")
        #expect(form.fields.map(\.name) == ["FORM_TYPE", nil, "username", "password", "color", "odd"])
        #expect(form["username"]?.isRequired == true && form["username"]?.values == [])
        #expect(form["password"]?.kind == .secret && form["password"]?.explanation == "Long")
        #expect(form["color"]?.options == [.init(label: "Red", value: "r"), .init(value: "b")])
        #expect(form["odd"]?.kind == .line)
    }

    @Test(
        "what is no form is refused",
        arguments: [
            "<x xmlns='jabber:x:data'/>", "<x xmlns='jabber:x:data' type='magic'/>",
            "<x xmlns='jabber:x:oob' type='form'/>",
            "<y xmlns='jabber:x:data' type='form'/>",
        ])
    func refusal(_ xml: String) throws { #expect(DataForm(try received(xml)) == nil) }

    @Test("a filled form echoes hidden fields, keeps defaults, leaves out texts, and adds what it lacks")
    func filled() throws {
        let form = try #require(DataForm(try received(Self.sample)))
        let filled = form.filled(with: ["username": ["ann"], "FORM_TYPE": ["forged"], "zip": ["1"]])
        #expect(filled.kind == .submit)
        #expect(filled.fields.map(\.name) == ["FORM_TYPE", "username", "password", "color", "odd", "zip"])
        #expect(filled.formType == "jabber:iq:register")
        #expect(filled["username"]?.values == ["ann"] && filled["color"]?.values == ["b"])
        #expect(form.missing(in: ["username": ["ann"]]).map(\.name) == ["password"])
        #expect(form.missing(in: ["username": [""], "password": ["x"]]).map(\.name) == ["username"])
    }
}
