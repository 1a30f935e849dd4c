// SPDX-License-Identifier: Apache-2.0
import Testing
import XMLDifferential

@testable import XMPP

/// The parser against expat: the same events for the same bytes, or a refusal for a listed reason.
@Suite struct XMLDifferentialTests {
    private func compare(_ bytes: [UInt8], chunk: Int) throws -> XMLComparison.Outcome {
        let comparison = try #require(XMLComparison())
        let outcome = comparison.compare(bytes) { chunk }
        #expect(comparison.stanzasSurviveWriting())
        return outcome
    }

    @Test("T065 ordinary traffic gives expat's events at every chunk size")
    func ordinaryTraffic() throws {
        var corpus = XMLCorpus(seed: 7)
        let stream = corpus.stream(bytes: 6000)
        for chunk in Array(1...64) + [100, 511, 512, 513, 1024, 4096, 6000] {
            #expect(try compare(stream, chunk: chunk) == .accepted, "chunk \(chunk)")
        }
    }

    @Test("T065 the rare parts of XML give expat's events at every chunk size", arguments: XMLCorpus.oddities)
    func oddities(stream: String) throws {
        let bytes = Array(stream.utf8)
        for chunk in 1...bytes.count {
            #expect(try compare(bytes, chunk: chunk) == .accepted, "chunk \(chunk)")
        }
    }

    @Test("T065 a stream cut at every byte gives the same events")
    func everyCut() throws {
        var corpus = XMLCorpus(seed: 11)
        let bytes = corpus.stream(bytes: 1500)
        let whole = ParsedStream(bytes)
        #expect(whole.error == nil)
        for cut in 1..<bytes.count {
            var parser = XMLStreamParser(limits: .afterLogin)
            var events: [XMLStreamEvent] = []
            for part in [bytes[..<cut], bytes[cut...]] {
                part.withUnsafeBytes { parser.append($0) }
                while case let event = try parser.next(), event != .needsMoreBytes { events.append(event) }
            }
            #expect(events == whole.events, "cut at \(cut)")
        }
    }

    @Test("T065 the end of a CDATA section in text is refused wherever it is cut")
    func endOfCDATAInText() {
        let bytes = Array("<r><m>a]]>b</m><m>c</m>".utf8)
        for cut in 1..<bytes.count {
            var parser = XMLStreamParser(limits: .afterLogin)
            #expect(throws: XMLError.self, "cut at \(cut)") {
                for part in [bytes[..<cut], bytes[cut...]] {
                    part.withUnsafeBytes { parser.append($0) }
                    while try parser.next() != .needsMoreBytes {}
                }
            }
        }
    }

    @Test("T065 faulty streams are refused where expat refuses them", arguments: 1...4)
    func mutations(seed: UInt64) throws {
        let comparison = try #require(XMLComparison())
        var mutator = XMLMutator(seed: seed)
        var pieces = XMLMutator(seed: seed + 100)
        var outcomes: [XMLComparison.Outcome: Int] = [:]
        for number in 0..<2500 {
            let bytes = mutator.next()
            let outcome = comparison.compare(bytes) { pieces.piece() }
            if case .disagreement(let reason) = outcome {
                Issue.record("case \(number): \(reason): \(String(decoding: bytes, as: UTF8.self))")
            }
            #expect(comparison.stanzasSurviveWriting())
            outcomes[outcome, default: 0] += 1
        }
        // The mix reaches both sides.
        #expect(outcomes[.accepted, default: 0] > 200)
        #expect(outcomes[.refused, default: 0] > 200)
    }

    @Test("the comparison notices events that differ")
    func theComparisonCanFail() throws {
        let reference = try #require(ExpatReference())
        var ours = XMLTrace()
        for event in ParsedStream("<r><a b='1'>x</a>").events { ours.append(event) }
        Array("<r><a b='2'>x</a>".utf8).withUnsafeBufferPointer { reference.parse($0) }
        #expect(ours.bytes != reference.trace.bytes)
        Array("<r><a b='1'>x</a>".utf8).withUnsafeBufferPointer { reference.parse($0) }
        #expect(ours.bytes == reference.trace.bytes)
    }

    @Test(
        "reasons for which only we refuse are told apart",
        arguments: [
            ("<a><!DOCTYPE x>", "notWellFormed"), ("<!DOCTYPE x><a/>", "documentType"),
            ("<a><b><!--x--></b>", "comment"),
            ("<a><?x y?>", "processingInstruction"), ("<a>x", "textBetweenStanzas"), ("<a>&#32;", "textBetweenStanzas"),
            ("\u{FEFF}<a/>", "byteOrderMark"), ("<?xml version='1.0' encoding='latin1'?><a/>", "encoding"),
        ])
    func rulesAreToldApart(stream: String, rule: String) throws {
        let outcome = try compare(Array(stream.utf8), chunk: 3)
        if let expected = ExpatReference.Rule(rawValue: rule) {
            #expect(outcome == .rule(expected))
        } else {
            #expect(outcome == .refused)
        }
    }

    @Test("names follow the fifth edition of XML 1.0, expat the fourth")
    func namesOfTheFifthEdition() throws {
        #expect(try compare(Array("<r><Ș/></r>".utf8), chunk: 1) == .fifthEditionName)
        #expect(try compare(Array("<r><a \u{10000}=''/></r>".utf8), chunk: 1) == .fifthEditionName)
        #expect(try compare(Array("<r><é/></r>".utf8), chunk: 1) == .accepted)
        #expect(try compare(Array("<r><\u{2028}/></r>".utf8), chunk: 1) == .refused)
    }
}
