// SPDX-License-Identifier: Apache-2.0

/// The status line and the fields of an HTTP/1 response (RFC 9112 §4 and §5), read strictly.
package struct HTTPHead: Sendable, Hashable {
    package let status: Int
    private let fields: [Field]

    private struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// Reads a head without its empty line; nil when it breaks the grammar: bare line ends, folded lines, control
    /// characters, spaces before a colon, another version.
    init?(_ bytes: some Collection<UInt8>) {
        var lines: [[UInt8]] = [[]]
        var previous: UInt8 = 0
        for byte in bytes {
            if previous == 0x0d {
                guard byte == 0x0a else { return nil }
                lines.append([])
            } else if byte != 0x0d {
                guard byte >= 0x20 && byte != 0x7f || byte == 0x09 else { return nil }
                lines[lines.count - 1].append(byte)
            }
            previous = byte
        }
        guard previous != 0x0d, let status = HTTPHead.status(lines[0]) else { return nil }
        var fields: [Field] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
                line[..<colon].allSatisfy(HTTPHead.isToken)
            else { return nil }
            fields.append(
                Field(
                    name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                    value: HTTPHead.trimmed(line[(colon + 1)...])))
        }
        self.status = status
        self.fields = fields
    }

    /// All values of a field, by its name in lower case.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// The members of a comma-separated field, in lower case.
    package func tokens(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }.map { HTTPHead.trimmed($0.utf8).lowercased() }
    }

    /// `HTTP/1.x NNN`, and after a space a reason that says nothing.
    private static func status(_ line: [UInt8]) -> Int? {
        guard line.count >= 12, line.starts(with: "HTTP/1.".utf8), line[7] == 0x30 || line[7] == 0x31, line[8] == 0x20,
            line[9...11].allSatisfy({ (0x30...0x39).contains($0) }), line.count == 12 || line[12] == 0x20
        else { return nil }
        let status = line[9...11].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return (100...599).contains(status) ? status : nil
    }

    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    static func trimmed(_ bytes: some Collection<UInt8>) -> String {
        var text = Array(bytes.drop { $0 == 0x20 || $0 == 0x09 })
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Gathers a head from bytes as they come.
struct HTTPHeadReader: Sendable {
    enum Outcome {
        case wait
        /// The head, and the bytes that follow it.
        case head(HTTPHead, rest: ArraySlice<UInt8>)
        case malformed
        case tooLong
    }

    /// The longest head that is taken, with its empty line.
    static let limit = 16 * 1024

    private var input: [UInt8] = []

    /// Takes bytes until the empty line has come; not to be called after another outcome than `wait`.
    mutating func received(_ bytes: some Sequence<UInt8>) -> Outcome {
        // The empty line may have begun in an earlier piece.
        let start = max(0, input.count - 3)
        input += bytes
        var index = start
        while index + 3 < input.count {
            if input[index] == 0x0d, input[index + 1] == 0x0a, input[index + 2] == 0x0d, input[index + 3] == 0x0a {
                guard index + 4 <= HTTPHeadReader.limit else { return .tooLong }
                guard let head = HTTPHead(input[..<index]) else { return .malformed }
                return .head(head, rest: input[(index + 4)...])
            }
            index += 1
        }
        return input.count > HTTPHeadReader.limit ? .tooLong : .wait
    }
}
