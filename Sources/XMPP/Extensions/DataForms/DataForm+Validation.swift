// SPDX-License-Identifier: Apache-2.0

extension DataForm {
    /// What the values of a field have to look like beyond the kind of the field (XEP-0122 §3).
    public struct Validation: Sendable, Hashable {
        /// How values are checked (XEP-0122 §3.2).
        public enum Method: Sendable, Hashable {
            /// They are of the data type.
            case basic
            /// As basic, and a list takes values that are not among its options.
            case open
            /// They are not below the first nor above the second, as far as those are given.
            case range(String?, String?)
            /// They match a pattern, which is shown and sent back, but never run: patterns of strangers can take for ever.
            case pattern(String)
        }

        /// The data type, as `xs:integer`; one that is not known is read as `xs:string`.
        public var dataType: String
        /// How values are checked.
        public var method: Method
        /// How many values a list may have at least (XEP-0122 §3.3).
        public var minimumCount: Int?
        /// How many values a list may have at most (XEP-0122 §3.3).
        public var maximumCount: Int?

        /// Makes a rule.
        public init(
            dataType: String = "xs:string", method: Method = .basic, minimumCount: Int? = nil, maximumCount: Int? = nil
        ) {
            self.dataType = dataType
            self.method = method
            self.minimumCount = minimumCount
            self.maximumCount = maximumCount
        }
    }
}

extension DataForm.Validation: StanzaPayload {
    package static let namespace = "http://jabber.org/protocol/xdata-validate"
    package static let name = XMLName("validate", namespace)
    private static let basic = XMLName("basic", namespace)
    private static let open = XMLName("open", namespace)
    private static let range = XMLName("range", namespace)
    private static let pattern = XMLName("regex", namespace)
    private static let listRange = XMLName("list-range", namespace)

    /// XEP-0122 §4.1: a method that is not known is read as the basic one.
    package init?(_ element: Element) {
        guard element.matches(Self.name) else { return nil }
        var method = Method.basic
        if element.child(Self.open) != nil {
            method = .open
        } else if let range = element.child(Self.range) {
            method = .range(range.filled("min"), range.filled("max"))
        } else if let pattern = element.child(Self.pattern)?.text, !pattern.isEmpty {
            method = .pattern(pattern)
        }
        let list = element.child(Self.listRange)
        self.init(
            dataType: element.filled("datatype") ?? "xs:string", method: method,
            minimumCount: ResultSet.number(list?["min"]), maximumCount: ResultSet.number(list?["max"]))
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("datatype", dataType)
            switch method {
            case .basic: builder.child(Element(Self.basic))
            case .open: builder.child(Element(Self.open))
            case .range(let low, let high):
                builder.child(Element(Self.range, attributes: ["min": low, "max": high]))
            case .pattern(let text): builder.child(Self.pattern, text: text)
            }
            guard minimumCount != nil || maximumCount != nil else { return }
            builder.child(
                Element(
                    Self.listRange,
                    attributes: ["min": minimumCount.map(String.init), "max": maximumCount.map(String.init)]))
        }
    }
}
