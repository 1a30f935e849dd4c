// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("What is wrong with values for a form (XEP-0004, XEP-0122)")
struct DataFormProblemsTests {
    typealias Field = DataForm.Field

    @Test("values have to fit the kind of their field")
    func kinds() {
        #expect(Field("a", kind: .line, isRequired: true).problem(in: [""]) == .missing)
        #expect(Field("a", kind: .line).problem(in: []) == nil)
        #expect(Field("a", kind: .line).problem(in: ["x", "y"]) == .severalValues)
        #expect(Field("a", kind: .lines).problem(in: ["x", "y"]) == nil)
        #expect(Field("a", kind: .boolean).problem(in: ["yes"]) == .malformed("yes"))
        #expect(Field("a", kind: .boolean).problem(in: ["true"]) == nil)
        #expect(Field("a", kind: .address).problem(in: ["@"]) == .malformed("@"))
        #expect(Field("a", kind: .addresses).problem(in: ["bo@example.org", "example.org"]) == nil)
        let list = Field("a", kind: .choice, options: [.init(value: "x"), .init(value: "y")])
        #expect(list.problem(in: ["x"]) == nil && list.problem(in: ["z"]) == .notAnOption("z"))
        #expect(Field(nil, kind: .fixed, isRequired: true).problem(in: []) == nil)
        #expect(Field("a", kind: .hidden, isRequired: true).problem(in: []) == nil)
    }

    @Test(
        "values have to be of their data type",
        arguments: [
            ("xs:integer", "-5", "5.5"), ("xs:byte", "127", "128"), ("xs:unsignedByte", "255", "-1"),
            ("xs:positiveInteger", "1", "0"), ("xs:long", "9223372036854775807", "9223372036854775808"),
            ("xs:decimal", "1.5", "one"), ("xs:double", "1e3", "inf"), ("xs:boolean", "1", "2"),
            ("xs:dateTime", "2031-03-04T05:06:07-07:00", "2031-13-04T05:06:07Z"),
            ("xs:date", "2031-03-04", "2031-02-30"),
            ("xs:time", "05:06:07", "25:00:00"),
        ])
    func dataTypes(_ type: String, _ good: String, _ bad: String) {
        let field = Field("a", validation: .init(dataType: type))
        #expect(field.problem(in: [good]) == nil)
        #expect(field.problem(in: [bad]) == .malformed(bad))
    }

    @Test("a data type that is not known is a text")
    func unknownType() { #expect(Field("a", validation: .init(dataType: "x:odd")).problem(in: ["anything"]) == nil) }

    @Test("values have to lie in their range")
    func ranges() {
        let number = Field("a", validation: .init(dataType: "xs:int", method: .range("1", "10")))
        #expect(number.problem(in: ["1"]) == nil && number.problem(in: ["10"]) == nil)
        #expect(number.problem(in: ["0"]) == .outOfRange("0") && number.problem(in: ["11"]) == .outOfRange("11"))
        let day = Field(
            "a", validation: .init(dataType: "xs:dateTime", method: .range("2031-03-04T00:00:00+02:00", nil)))
        #expect(day.problem(in: ["2031-03-03T22:00:00Z"]) == nil)
        #expect(day.problem(in: ["2031-03-03T21:59:59Z"]) == .outOfRange("2031-03-03T21:59:59Z"))
    }

    @Test("an open list takes values of its own, and a list counts them")
    func lists() {
        let open = Field("a", kind: .choice, options: [.init(value: "x")], validation: .init(method: .open))
        #expect(open.problem(in: ["z"]) == nil)
        let counted = Field(
            "a", kind: .choices, options: ["x", "y", "z"].map { .init(value: $0) },
            validation: .init(minimumCount: 2, maximumCount: 2))
        #expect(counted.problem(in: ["x"]) == .wrongCount(1) && counted.problem(in: ["x", "y"]) == nil)
        #expect(counted.problem(in: ["x", "y", "z"]) == .wrongCount(3))
    }

    @Test("a pattern of a stranger is never run")
    func pattern() {
        let field = Field("a", validation: .init(method: .pattern("(a+)+$")))
        #expect(field.problem(in: [String(repeating: "a", count: 64) + "!"]) == nil)
    }

    @Test("a form tells the problems of all fields")
    func form() {
        let form = DataForm(
            .form, fields: [Field("a", isRequired: true), Field("b", kind: .boolean), Field(nil, kind: .fixed)])
        #expect(form.problems(in: ["b": ["x"]]) == ["a": .missing, "b": .malformed("x")])
        #expect(form.problems(in: ["a": ["x"], "b": ["0"]]).isEmpty)
    }

    @Test("rules are written and read, one that is not known as the basic one")
    func roundTrips() throws {
        for method in [
            DataForm.Validation.Method.basic, .open, .range("1", nil), .range(nil, "2"), .range(nil, nil),
            .pattern("[0-9]{3}"),
        ] {
            try roundTrip(DataForm.Validation(dataType: "xs:int", method: method, minimumCount: 1, maximumCount: 3))
        }
        let odd = "<validate xmlns='http://jabber.org/protocol/xdata-validate'><odd/></validate>"
        #expect(DataForm.Validation(try received(odd)) == DataForm.Validation())
    }
}
