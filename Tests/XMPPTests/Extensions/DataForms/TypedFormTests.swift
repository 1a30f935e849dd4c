// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

private struct Order: TypedForm {
    static let formType = "urn:example:order"
    var pizza: String
    var isUrgent: Bool

    init(pizza: String, isUrgent: Bool) {
        self.pizza = pizza
        self.isUrgent = isUrgent
    }

    init?(_ form: DataForm) {
        guard let pizza = form["pizza"]?.text else { return nil }
        self.init(pizza: pizza, isUrgent: form["urgent"]?.flag ?? false)
    }

    var fields: [DataForm.Field] { [.init("pizza", text: pizza), .init("urgent", flag: isUrgent)] }
}

@Suite("Forms as values of their own")
struct TypedFormTests {
    @Test("a value is written with its type and read again")
    func roundTrips() throws {
        let order = Order(pizza: "Funghi", isUrgent: true)
        let form = try #require(DataForm(try received(order.form().element.xml)))
        #expect(form.kind == .submit && form.formType == "urn:example:order")
        #expect(form.typed(Order.self) == order)
    }

    @Test("T081 a form for something else, or with a type that is not hidden, is not read")
    func refusal() {
        let fields = Order(pizza: "Funghi", isUrgent: false).fields
        let other = DataForm(.form, fields: [.init("FORM_TYPE", kind: .hidden, values: ["urn:example:x"])] + fields)
        #expect(other.typed(Order.self) == nil)
        let spoofed = DataForm(.form, fields: [.init("FORM_TYPE", text: "urn:example:order")] + fields)
        #expect(spoofed.typed(Order.self) == nil)
        #expect(Order(pizza: "x", isUrgent: false).form().filled(with: [:]).typed(Order.self) != nil)
        #expect(DataForm(.submit, fields: [.init("FORM_TYPE", text: "urn:example:order")]).typed(Order.self) == nil)
    }

    @Test("fields are read as what they are")
    func access() throws {
        #expect(DataForm.Field("a", number: 7).number == 7 && DataForm.Field("a", text: "x").number == nil)
        #expect(DataForm.Field("a", lines: "one\n\ntwo").values == ["one", "", "two"])
        #expect(DataForm.Field("a", lines: "one\n\ntwo").text == "one\n\ntwo")
        #expect(DataForm.Field("a", text: "2031-03-04T05:06:07Z").moment?.description == "2031-03-04T05:06:07Z")
        let addresses = DataForm.Field("a", values: ["bo@example.org", "@", "BO@example.org", " example.org "])
        #expect(addresses.addresses.map(\.description) == ["bo@example.org", "example.org"])
        #expect(try DataForm.Field("a", addresses: [JID("bo@example.org")]).values == ["bo@example.org"])
        #expect(DataForm.Field("a").text == nil && DataForm.Field("a", text: "2").flag == nil)
    }

    @Test("results of several rows are written and read")
    func rows() throws {
        let columns = [DataForm.Field("name", label: "Name"), DataForm.Field("jid", kind: .address)]
        let items = [[DataForm.Field("name", text: "Bo"), DataForm.Field("jid", text: "bo@example.org")], []]
        try roundTrip(DataForm(.result, title: "Found", columns: columns, items: items))
    }

    @Test("T081 a form with more fields, options or rows than anybody fills in is refused whole")
    func caps() throws {
        func form(_ content: String) throws -> DataForm? {
            DataForm(try received("<x xmlns='jabber:x:data' type='form'>\(content)</x>"))
        }
        func fields(_ count: Int) -> String { (0..<count).map { "<field var='f\($0)'/>" }.joined() }
        #expect(try form(fields(1000))?.fields.count == 1000)
        #expect(try form(fields(1001)) == nil)
        #expect(try form("<field/>" + String(repeating: "<field var='a'/>", count: 1001)) == nil)
        let options = String(repeating: "<option><value>x</value></option>", count: 1001)
        #expect(try form("<field var='a' type='list-single'>\(options)</field>") == nil)
        #expect(try form("<item>\(fields(1001))</item>") == nil)
        #expect(try form(String(repeating: "<item/>", count: 10_001)) == nil)
        #expect(try form("<reported>\(fields(1001))</reported>") == nil)
    }
}
