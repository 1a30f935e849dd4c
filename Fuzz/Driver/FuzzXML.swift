// SPDX-License-Identifier: Apache-2.0
internal import XMLDifferential
internal import XMPP

/// Compares the XML parser with expat on very many faulty streams, or measures both.
///
/// `apus-fuzz-xml [N [SEED]]` compares N cases; the exit status is 1 when the parsers disagreed on one.
/// `apus-fuzz-xml measure [FILE]` parses a stream, or ordinary traffic, with both; `parse` only with ours.
@main
enum FuzzXML {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "measure": measure(stream(arguments.dropFirst().first))
        case "parse": parseOnly(stream(arguments.dropFirst().first))
        default:
            let count = arguments.first.flatMap { Int($0) } ?? 100_000
            let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1
            compare(count, seed: seed)
        }
    }
}
