// SPDX-License-Identifier: Apache-2.0

/// What a Range header asks for (RFC 9110 §14): one range of bytes, or something that is answered with all of them.
package enum ByteRange: Hashable, Sendable {
    /// No range, several, or one that cannot be read: everything.
    case whole
    case part(Range<Int>)
    /// It begins behind the end.
    case unsatisfiable

    /// `size` is that of the whole in bytes.
    package init(_ header: String?, size: Int) {
        self = .whole
        guard let header, header.hasPrefix("bytes=") else { return }
        let text = header.dropFirst(6)
        guard !text.contains(","), let mark = text.firstIndex(of: "-") else { return }
        let (first, last) = (text[..<mark], text[text.index(after: mark)...])
        let isNumber = { (text: Substring) in !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        if first.isEmpty {
            guard isNumber(last) else { return }
            let count = min(Int(last) ?? .max, size)
            self = count > 0 ? .part(size - count..<size) : .unsatisfiable
            return
        }
        guard isNumber(first), last.isEmpty || isNumber(last) else { return }
        let start = Int(first) ?? .max
        let end = last.isEmpty ? Int.max : Int(last) ?? .max
        guard start <= end else { return }
        guard start < size else {
            self = .unsatisfiable
            return
        }
        self = .part(start..<min(end, size - 1) + 1)
    }
}

/// Whether an If-None-Match or If-Range header names an entity tag, or stands for any.
package func names(_ tag: String, in header: String?) -> Bool {
    guard let header else { return false }
    return header.split(separator: ",").contains { part in
        var text = part.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        if text == "*" { return true }
        if text.hasPrefix("W/") { text.removeFirst(2) }
        return text == tag
    }
}
