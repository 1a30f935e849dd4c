// SPDX-License-Identifier: Apache-2.0

/// As much of YAML as `docs/openapi.yaml` is written in.
///
/// Block and flow collections, plain and double-quoted scalars, literal blocks; anything else is an error.
indirect enum YAMLValue: Equatable {
    case map([(key: String, value: YAMLValue)])
    case list([YAMLValue])
    case text(String)
    case null

    static func == (left: YAMLValue, right: YAMLValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        case (.map(let left), .map(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.key == $1.key && $0.value == $1.value }
        case (.null, .null): true
        default: false
        }
    }

    struct Fault: Error, CustomStringConvertible {
        let line: Int
        let description: String
    }

    subscript(key: String) -> YAMLValue? {
        guard case .map(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    var entries: [(key: String, value: YAMLValue)] {
        if case .map(let entries) = self { entries } else { [] }
    }

    var items: [YAMLValue] {
        if case .list(let items) = self { items } else { [] }
    }

    var string: String? {
        if case .text(let text) = self { text } else { nil }
    }

    init(parsing text: String) throws {
        var lines: [BlockReader.Line] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let indent = line.prefix { $0 == " " }.count
            lines.append(.init(number: index + 1, indent: indent, text: String(line.dropFirst(indent))))
        }
        var reader = BlockReader(lines: lines)
        self = try reader.value(indent: 0)
        if let line = reader.peek() { throw Fault(line: line.number, description: "not understood: \(line.text)") }
    }
}

/// Reads collections that are shown by indentation.
private struct BlockReader {
    struct Line {
        let number: Int
        let indent: Int
        let text: String
        var isBlank: Bool { text.isEmpty || text.hasPrefix("#") }
    }

    let lines: [Line]
    var place = 0

    init(lines: [Line]) { self.lines = lines }

    mutating func peek() -> Line? {
        while place < lines.count, lines[place].isBlank { place += 1 }
        return place < lines.count ? lines[place] : nil
    }

    mutating func value(indent: Int) throws -> YAMLValue {
        guard let first = peek(), first.indent == indent else { return .null }
        return first.text.hasPrefix("- ") ? try list(indent) : try map(indent)
    }

    private mutating func list(_ indent: Int) throws -> YAMLValue {
        var items: [YAMLValue] = []
        while let line = peek(), line.indent == indent, line.text.hasPrefix("- ") {
            place += 1
            items.append(try scalar(String(line.text.dropFirst(2)), line.number))
        }
        return .list(items)
    }

    private mutating func map(_ indent: Int) throws -> YAMLValue {
        var entries: [(key: String, value: YAMLValue)] = []
        while let line = peek(), line.indent == indent {
            guard let mark = keyEnd(line.text) else {
                throw YAMLValue.Fault(line: line.number, description: "no key: \(line.text)")
            }
            place += 1
            var key = String(line.text[..<mark])
            if key.hasPrefix("\"") { key = String(key.dropFirst().dropLast()) }
            guard !entries.contains(where: { $0.key == key }) else {
                throw YAMLValue.Fault(line: line.number, description: "\(key) stands there twice")
            }
            let rest = line.text[line.text.index(after: mark)...].drop { $0 == " " }
            if rest == "|" {
                entries.append((key, literal(deeperThan: indent)))
            } else if rest.isEmpty {
                let inner = peek().map { $0.indent > indent ? $0.indent : -1 } ?? -1
                entries.append((key, inner < 0 ? .null : try value(indent: inner)))
            } else {
                entries.append((key, try scalar(String(rest), line.number)))
            }
        }
        return .map(entries)
    }

    private func keyEnd(_ text: String) -> String.Index? {
        if text.hasPrefix("\"") {
            guard let end = text.dropFirst().firstIndex(of: "\"") else { return nil }
            let mark = text.index(after: end)
            return mark < text.endIndex && text[mark] == ":" ? mark : nil
        }
        if let range = text.firstRange(of: ": ") { return range.lowerBound }
        return text.hasSuffix(":") ? text.index(before: text.endIndex) : nil
    }

    private mutating func literal(deeperThan indent: Int) -> YAMLValue {
        var parts: [String] = []
        while place < lines.count, lines[place].text.isEmpty || lines[place].indent > indent {
            parts.append(lines[place].text)
            place += 1
        }
        return .text(parts.joined(separator: "\n"))
    }

    private func scalar(_ text: String, _ number: Int) throws -> YAMLValue {
        var reader = FlowReader(rest: text[...], line: number)
        let value = try reader.value(isInFlow: false)
        guard reader.rest.allSatisfy({ $0 == " " }) else {
            throw YAMLValue.Fault(line: number, description: "not understood: \(reader.rest)")
        }
        return value
    }
}

/// Reads values on one line.
private struct FlowReader {
    var rest: Substring
    let line: Int

    mutating func value(isInFlow: Bool) throws -> YAMLValue {
        rest = rest.drop { $0 == " " }
        switch rest.first {
        case "{": return try map()
        case "[": return try list()
        case "\"": return .text(try quoted())
        default: return .text(plain(isInFlow: isInFlow))
        }
    }

    private mutating func map() throws -> YAMLValue {
        rest.removeFirst()
        var entries: [(key: String, value: YAMLValue)] = []
        while true {
            rest = rest.drop { $0 == " " || $0 == "," }
            if rest.first == "}" { break }
            let key = rest.first == "\"" ? try quoted() : String(rest.prefix { $0 != ":" && $0 != "," && $0 != "}" })
            if rest.hasPrefix(key) { rest.removeFirst(key.count) }
            guard rest.first == ":" else { throw YAMLValue.Fault(line: line, description: "\(key) has no value") }
            rest.removeFirst()
            entries.append((key, try value(isInFlow: true)))
        }
        rest.removeFirst()
        return .map(entries)
    }

    private mutating func list() throws -> YAMLValue {
        rest.removeFirst()
        var items: [YAMLValue] = []
        while true {
            rest = rest.drop { $0 == " " || $0 == "," }
            guard let next = rest.first else { throw YAMLValue.Fault(line: line, description: "a list does not end") }
            if next == "]" { break }
            items.append(try value(isInFlow: true))
        }
        rest.removeFirst()
        return .list(items)
    }

    private mutating func quoted() throws -> String {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "\"") else {
            throw YAMLValue.Fault(line: line, description: "a quoted text does not end")
        }
        defer { rest = rest[rest.index(after: end)...] }
        return String(rest[..<end])
    }

    private mutating func plain(isInFlow: Bool) -> String {
        let text = isInFlow ? rest.prefix { !",}]".contains($0) } : rest
        rest = rest[text.endIndex...]
        return String(text).trimmed
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
