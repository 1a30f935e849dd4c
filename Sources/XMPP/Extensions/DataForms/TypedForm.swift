// SPDX-License-Identifier: Apache-2.0

/// A form whose fields are known beforehand, as a value of its own (XEP-0068).
///
/// ```swift
/// struct Order: TypedForm {
///     static let formType = "urn:example:order"
///     var pizza: String
///     var isUrgent: Bool
///
///     init?(_ form: DataForm) {
///         guard let pizza = form["pizza"]?.text else { return nil }
///         self.pizza = pizza
///         isUrgent = form["urgent"]?.flag ?? false
///     }
///
///     var fields: [DataForm.Field] { [.init("pizza", text: pizza), .init("urgent", flag: isUrgent)] }
/// }
/// ```
public protocol TypedForm: Sendable, Hashable {
    /// The value of `FORM_TYPE` that such forms carry.
    static var formType: String { get }
    /// Reads the fields; nil when what is needed is not there. That the type fits is known already.
    init?(_ form: DataForm)
    /// The fields as they are sent, without `FORM_TYPE`.
    var fields: [DataForm.Field] { get }
}

extension TypedForm {
    /// The form with its hidden type in front (XEP-0068 §4).
    public func form(_ kind: DataForm.Kind = .submit) -> DataForm {
        DataForm(
            kind, fields: [DataForm.Field("FORM_TYPE", kind: .hidden, values: [Self.formType])] + fields)
    }
}

extension DataForm {
    /// The form as a value of that type; nil when it is for something else or lacks what is needed.
    public func typed<Form: TypedForm>(_ type: Form.Type = Form.self) -> Form? {
        formType == Form.formType ? Form(self) : nil
    }

    /// What was filled in beside the fields of these names.
    func values(besides known: [String]) -> [String: [String]] {
        var values: [String: [String]] = [:]
        for field in fields where field.kind != .fixed {
            guard let name = field.name, name != "FORM_TYPE", !known.contains(name) else { continue }
            values[name] = field.values
        }
        return values
    }

    /// XEP-0004 §3.3: yes or no in either spelling.
    static func flag(_ text: String) -> Bool? {
        switch text {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }
}

extension DataForm.Field {
    /// Makes a field with one text.
    public init(_ name: String, text: String) { self.init(name, values: [text]) }
    /// Makes a field with a number.
    public init(_ name: String, number: Int) { self.init(name, values: [String(number)]) }
    /// Makes a field with yes or no.
    public init(_ name: String, flag: Bool) { self.init(name, kind: .boolean, values: [flag ? "1" : "0"]) }
    /// Makes a field with a text of several lines (XEP-0004 §3.3).
    public init(_ name: String, lines text: String) {
        self.init(
            name, kind: .lines,
            values: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
    /// Makes a field with addresses.
    public init(_ name: String, addresses: [JID]) {
        self.init(name, kind: .addresses, values: addresses.map(\.description))
    }

    /// The value as text, lines joined; nil when there is none.
    public var text: String? { values.isEmpty ? nil : values.joined(separator: "\n") }
    /// The value as a whole number; nil when it is none.
    public var number: Int? { values.first.flatMap { Int($0.trimmingXMLSpace) } }
    /// The value as yes or no; nil when it is neither.
    public var flag: Bool? { values.first.flatMap { DataForm.flag($0.trimmingXMLSpace) } }
    /// The value as a moment (XEP-0082); nil when it is none.
    public var moment: DateTime? { values.first.flatMap { DateTime($0.trimmingXMLSpace) } }
    /// The values that are addresses, none twice (XEP-0004 §3.3).
    public var addresses: [JID] {
        var known: Set<JID> = []
        return values.compactMap { try? JID($0.trimmingXMLSpace) }.filter { known.insert($0).inserted }
    }
}
