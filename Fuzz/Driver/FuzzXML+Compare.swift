// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import XMLDifferential

extension FuzzXML {
    static func compare(_ count: Int, seed: UInt64) {
        guard let comparison = XMLComparison() else { return fail("expat cannot be started") }
        var mutator = XMLMutator(seed: seed)
        var pieces = XMLMutator(seed: seed &+ 1)
        var outcomes: [XMLComparison.Outcome: Int] = [:]
        var disagreements = 0
        let start = ContinuousClock.now
        for number in 0..<count {
            let bytes = mutator.next()
            var outcome = comparison.compare(bytes) { pieces.piece() }
            if number % 8 == 0, !comparison.stanzasSurviveWriting() {
                outcome = .disagreement("a stanza means something else after it was written")
            }
            if case .disagreement(let reason) = outcome {
                disagreements += 1
                if disagreements <= 20 { print("case \(number), seed \(seed): \(reason)\n  \(quoted(bytes))") }
            } else {
                outcomes[outcome, default: 0] += 1
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        for (outcome, number) in outcomes.sorted(by: { $0.value > $1.value }) { print("\(number)\t\(outcome)") }
        print("\(count) cases with seed \(seed) in \(Int(seconds)) s: \(disagreements) disagreements")
        if disagreements > 0 { exit(1) }
    }

    static func fail(_ message: String) {
        print(message)
        exit(2)
    }

    private static func quoted(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\")
                ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
        }.joined()
    }
}
