// SPDX-License-Identifier: Apache-2.0

extension DataForm {
    /// Why values do not fit into a field.
    public enum Problem: Sendable, Hashable {
        /// The field is required and has no value.
        case missing
        /// The field takes one value and has several.
        case severalValues
        /// A value is not of the kind or data type of the field.
        case malformed(String)
        /// A value is not among the options of a list.
        case notAnOption(String)
        /// A value lies outside of the range.
        case outOfRange(String)
        /// A list has too few or too many values.
        case wrongCount(Int)
    }

    /// What is wrong with the values that ``filled(with:)`` would send, by the name of the field; empty when nothing is.
    ///
    /// The other side checks again, and may be stricter (XEP-0004 §3.7).
    public func problems(in values: [String: [String]]) -> [String: Problem] {
        var problems: [String: Problem] = [:]
        for field in fields {
            guard let name = field.name else { continue }
            problems[name] = field.problem(in: values[name] ?? field.values)
        }
        return problems
    }
}

extension DataForm.Field {
    /// What is wrong with values for this field, nil when nothing is.
    public func problem(in values: [String]) -> DataForm.Problem? {
        guard kind != .fixed, kind != .hidden else { return nil }
        let filled = values.filter { !$0.isEmpty }
        if filled.isEmpty { return isRequired ? .missing : nil }
        if values.count > 1, !takesSeveralValues { return .severalValues }
        for value in filled {
            if let problem = problem(with: value) { return problem }
        }
        guard kind == .choices, let validation else { return nil }
        if let least = validation.minimumCount, filled.count < least { return .wrongCount(filled.count) }
        if let most = validation.maximumCount, filled.count > most { return .wrongCount(filled.count) }
        return nil
    }

    /// Whether several values are no mistake (XEP-0004 §3.2).
    public var takesSeveralValues: Bool {
        switch kind {
        case .addresses, .choices, .lines, .hidden, .fixed: true
        case .boolean, .address, .choice, .secret, .line: false
        }
    }

    private func problem(with value: String) -> DataForm.Problem? {
        switch kind {
        case .boolean: return DataForm.flag(value) == nil ? .malformed(value) : nil
        case .address, .addresses: return (try? JID(value)) == nil ? .malformed(value) : nil
        case .choice, .choices:
            // XEP-0122 §3.2: every method but the basic one opens a list.
            if validation.map({ $0.method == .basic }) ?? true, !options.isEmpty,
                !options.contains(where: { $0.value == value })
            {
                return .notAnOption(value)
            }
        case .fixed, .hidden, .lines, .secret, .line: break
        }
        guard let validation else { return nil }
        let type = FormDataType(validation.dataType)
        guard type.accepts(value) else { return .malformed(value) }
        if case .range(let low, let high) = validation.method {
            if let low, type.isOrdered(value, before: low) { return .outOfRange(value) }
            if let high, type.isOrdered(high, before: value) { return .outOfRange(value) }
        }
        return nil
    }
}

/// The data types of XML Schema that are checked; all others are texts (XEP-0122 §4.1).
enum FormDataType: Sendable, Hashable {
    case text
    case boolean
    case integer(ClosedRange<Int64>)
    case decimal
    case moment
    case date
    case time

    init(_ name: String) {
        self =
            switch name {
            case "xs:boolean": .boolean
            case "xs:byte": .integer(-128...127)
            case "xs:short": .integer(-32_768...32_767)
            case "xs:int": .integer(Int64(Int32.min)...Int64(Int32.max))
            case "xs:long", "xs:integer": .integer(.min ... .max)
            case "xs:unsignedByte": .integer(0...255)
            case "xs:unsignedShort": .integer(0...65_535)
            case "xs:unsignedInt": .integer(0...Int64(UInt32.max))
            case "xs:unsignedLong", "xs:nonNegativeInteger": .integer(0 ... .max)
            case "xs:positiveInteger": .integer(1 ... .max)
            case "xs:decimal", "xs:double", "xs:float": .decimal
            case "xs:dateTime": .moment
            case "xs:date": .date
            case "xs:time": .time
            default: .text
            }
    }

    func accepts(_ value: String) -> Bool {
        switch self {
        case .text: true
        case .boolean: DataForm.flag(value) != nil
        case .integer(let range): Int64(value).map { range.contains($0) } ?? false
        case .decimal: Double(value)?.isFinite ?? false
        case .moment, .date, .time: moment(value) != nil
        }
    }

    /// Whether one value comes before another; false where that cannot be said.
    func isOrdered(_ value: String, before other: String) -> Bool {
        switch self {
        case .text, .boolean: false
        case .integer:
            if let value = Int64(value), let other = Int64(other) { value < other } else { false }
        case .decimal:
            if let value = Double(value), let other = Double(other) { value < other } else { false }
        case .moment, .date, .time:
            if let value = moment(value), let other = moment(other) { value < other } else { false }
        }
    }

    private func moment(_ value: String) -> DateTime? {
        switch self {
        case .date: DateTime(String(value.prefix(10)) + "T00:00:00" + value.dropFirst(10))
        case .time: DateTime("1970-01-01T" + value)
        default: DateTime(value)
        }
    }
}
