// SPDX-License-Identifier: Apache-2.0

/// A form to fill in, or one that was (XEP-0004).
public struct DataForm: Sendable, Hashable {
    /// What the form is for (XEP-0004 §3.1).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// To be filled in.
        case form
        /// Filled in.
        case submit
        /// Not to be filled in after all.
        case cancel
        /// Data that somebody asked for.
        case result
    }

    /// What the form is for.
    public var kind: Kind
    /// A heading, nil without.
    public var title: String?
    /// Paragraphs that explain it.
    public var instructions: [String]
    /// The fields, in order; no two have the same name.
    public var fields: [Field]
    /// What the columns of ``items`` are, as in the results of a search (XEP-0004 §3.4).
    public var columns: [Field]
    /// Results of several rows; each has the fields that ``columns`` announce (XEP-0004 §3.4).
    public var items: [[Field]]

    /// Makes a form.
    public init(
        _ kind: Kind, title: String? = nil, instructions: [String] = [], fields: [Field] = [], columns: [Field] = [],
        items: [[Field]] = []
    ) {
        self.kind = kind
        self.title = title
        self.instructions = instructions
        self.fields = fields
        self.columns = columns
        self.items = items
    }

    /// The field of that name.
    public subscript(name: String) -> Field? { fields.first { $0.name == name } }

    /// What kind of data the form carries: the value of its hidden field `FORM_TYPE` (XEP-0068 §4).
    public var formType: String? {
        guard let field = self["FORM_TYPE"], kind == .submit || field.kind == .hidden else { return nil }
        return field.values.first
    }
}

extension DataForm {
    /// One field of a form (XEP-0004 §3.2).
    public struct Field: Sendable, Hashable {
        /// What goes into a field (XEP-0004 §3.3).
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// Yes or no: `1`, `true`, `0` or `false`.
            case boolean
            /// A text of the form, nothing to fill in.
            case fixed
            /// Not shown, and sent back as it is.
            case hidden
            /// Several addresses.
            case addresses = "jid-multi"
            /// One address.
            case address = "jid-single"
            /// Several of the options.
            case choices = "list-multi"
            /// One of the options.
            case choice = "list-single"
            /// Several lines.
            case lines = "text-multi"
            /// One line that is not shown while it is typed.
            case secret = "text-private"
            /// One line; also what an unknown or missing type is read as.
            case line = "text-single"
        }

        /// One of the values that a list permits.
        public struct Option: Sendable, Hashable {
            /// What to show, nil for the value itself.
            public let label: String?
            /// The value.
            public let value: String

            /// Makes an option.
            public init(label: String? = nil, value: String) {
                self.label = label
                self.value = value
            }
        }

        /// The name; nil only for texts of the form.
        public var name: String?
        /// What goes into it.
        public var kind: Kind
        /// What to show in front of it.
        public var label: String?
        /// What explains it.
        public var explanation: String?
        /// Whether the form is no use without it.
        public var isRequired: Bool
        /// The values in it.
        public var values: [String]
        /// What a list permits.
        public var options: [Option]
        /// Addresses of pictures or sounds that belong to the question, as of a CAPTCHA (XEP-0221 §2).
        public var media: [String]
        /// What values have to look like beyond their kind, nil without (XEP-0122).
        public var validation: Validation?

        /// Makes a field.
        public init(
            _ name: String?, kind: Kind = .line, label: String? = nil, explanation: String? = nil,
            isRequired: Bool = false, values: [String] = [], options: [Option] = [], media: [String] = [],
            validation: Validation? = nil
        ) {
            self.name = name
            self.kind = kind
            self.label = label
            self.explanation = explanation
            self.isRequired = isRequired
            self.values = values
            self.options = options
            self.media = media
            self.validation = validation
        }

        /// What to call the field in front of a person.
        public var title: String { label.flatMap { $0.isEmpty ? nil : $0 } ?? name ?? "" }
    }
}

extension DataForm {
    /// The form filled in (XEP-0004 §3.2): every named field with the given values, or else with those it came with.
    ///
    /// Hidden fields go back as they came, `FORM_TYPE` among them; texts of the form do not. Values for names that the
    /// form lacks are added at the end.
    public func filled(with values: [String: [String]]) -> DataForm {
        var rest = values
        var filled: [Field] = []
        for field in fields {
            guard let name = field.name, field.kind != .fixed else { continue }
            let given = rest.removeValue(forKey: name)
            let own = field.kind == .hidden ? nil : given
            filled.append(Field(name, kind: field.kind, values: own ?? field.values))
        }
        for name in rest.keys.sorted() { filled.append(Field(name, values: rest[name] ?? [])) }
        return DataForm(.submit, fields: filled)
    }

    /// The required fields that would be empty after ``filled(with:)``.
    public func missing(in values: [String: [String]]) -> [Field] {
        fields.filter { field in
            guard field.isRequired, let name = field.name, field.kind != .hidden, field.kind != .fixed else {
                return false
            }
            return (values[name] ?? field.values).allSatisfy { $0.isEmpty }
        }
    }
}
