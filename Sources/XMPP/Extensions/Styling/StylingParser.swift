// SPDX-License-Identifier: Apache-2.0

/// Takes a text apart in one pass for blocks and one for the spans of each line.
///
/// A span ends at the first character that can end it. Where that is, is written down for each place of a line before the
/// line is read, so no place is looked at more often than spans can lie in each other: four times. Quotes deeper than the
/// cap are lines.
struct StylingParser {
    private typealias Scalars = ArraySlice<Unicode.Scalar>

    /// So deep quotes lie in each other.
    static let quoteCap = 16

    private static let fence: [Unicode.Scalar] = ["`", "`", "`"]
    private static let directives: [Unicode.Scalar] = ["*", "_", "~", "`"]

    /// For each directive: where, from each place of the line on, the next one stands that can end a span.
    private var ends: [[Int32]] = [[], [], [], []]
    private var offset = 0

    mutating func parse(_ text: String) -> [StyledBlock] {
        let scalars = Array(text.unicodeScalars)
        return blocks(scalars.split(separator: "\n", omittingEmptySubsequences: false), depth: 0)
    }

    private mutating func blocks(_ lines: [Scalars], depth: Int) -> [StyledBlock] {
        var blocks: [StyledBlock] = []
        var index = 0
        while index < lines.count {
            let line = lines[index]
            if line.starts(with: Self.fence) {
                let first = index + 1
                index = first
                while index < lines.count, !lines[index].elementsEqual(Self.fence) { index += 1 }
                let content = lines[first..<index].map { Self.string($0) }.joined(separator: "\n")
                blocks.append(.preformatted(content, language: Self.string(line.dropFirst(3))))
                index += 1
            } else if line.first == ">", depth < Self.quoteCap {
                var inner: [Scalars] = []
                while index < lines.count, lines[index].first == ">" {
                    var rest = lines[index].dropFirst()
                    if let space = rest.first, space.properties.isWhitespace { rest = rest.dropFirst() }
                    inner.append(rest)
                    index += 1
                }
                blocks.append(.quote(self.blocks(inner, depth: depth + 1)))
            } else {
                findEnds(line)
                blocks.append(.line(spans(line)))
                index += 1
            }
        }
        return blocks
    }

    /// From the back to the front: a directive can end a span when no white space stands before it.
    private mutating func findEnds(_ line: Scalars) {
        offset = line.startIndex
        for number in Self.directives.indices {
            let directive = Self.directives[number]
            ends[number].removeAll(keepingCapacity: true)
            ends[number].append(contentsOf: repeatElement(-1, count: line.count + 1))
            var next: Int32 = -1
            for place in stride(from: line.endIndex - 1, through: line.startIndex, by: -1) {
                if line[place] == directive, place > line.startIndex, !line[place - 1].properties.isWhitespace {
                    next = Int32(truncatingIfNeeded: place - line.startIndex)
                }
                ends[number][place - line.startIndex] = next
            }
        }
    }

    private func end(_ number: Int, from place: Int) -> Int? {
        let relative = place - offset
        guard relative < ends[number].count, ends[number][relative] >= 0 else { return nil }
        return Int(ends[number][relative]) + offset
    }

    private func spans(_ line: Scalars) -> [StyledSpan] {
        var spans: [StyledSpan] = []
        var textStart = line.startIndex
        var place = line.startIndex
        func flush(_ end: Int) {
            if textStart < end { spans.append(.text(Self.string(line[textStart..<end]))) }
        }
        while place < line.endIndex {
            guard let number = Self.directives.firstIndex(of: line[place]), canOpen(place, line),
                let close = end(number, from: place + 1), close < line.endIndex
            else {
                place += 1
                continue
            }
            guard close > place + 1 else {
                // Nothing between: neither of the two counts.
                place += 2
                continue
            }
            flush(place)
            let inner = line[(place + 1)..<close]
            switch number {
            case 0: spans.append(.strong(self.spans(inner)))
            case 1: spans.append(.emphasis(self.spans(inner)))
            case 2: spans.append(.struck(self.spans(inner)))
            default: spans.append(.preformatted(Self.string(inner)))
            }
            place = close + 1
            textStart = place
        }
        flush(line.endIndex)
        return spans
    }

    /// At the beginning of what is around it, or behind white space, and not before any.
    private func canOpen(_ place: Int, _ line: Scalars) -> Bool {
        guard place + 1 < line.endIndex, !line[place + 1].properties.isWhitespace else { return false }
        return place == line.startIndex || line[place - 1].properties.isWhitespace
    }

    private static func string(_ scalars: Scalars) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
