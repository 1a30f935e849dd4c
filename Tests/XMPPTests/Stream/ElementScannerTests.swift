// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Where an element ends")
struct ElementScannerTests {
    private func scan(_ text: String, pieces: Int = .max) -> ElementScanner.Outcome {
        var scanner = ElementScanner()
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, pieces == .max ? bytes.count : start + pieces)
            switch scanner.scan(bytes[start..<end]) {
            case .open: start = end
            case .ended(let count): return .ended(start + count)
            case .wrong: return .wrong
            }
        }
        return .open
    }

    @Test(
        "whole elements, cut anywhere",
        arguments: [
            "<a/>", "<a></a>", "<a><b/><c>x</c></a>", "<a b='>' c=\"/>\"/>", "<a>]]&gt;<![CDATA[</a>]]]></a>",
            "<p:a x:b='1' ></p:a >", "<é>🦊</é>", "<a>'\"/</a>", "<a b=\"'\"><c d='\"'/></a>", "<a><![CDATA[]]></a>",
        ])
    func whole(text: String) {
        let count = text.utf8.count
        for pieces in [1, 2, 3, Int.max] {
            #expect(scan(text, pieces: pieces) == .ended(count))
            #expect(scan(text + "<z/>", pieces: pieces) == .ended(count))
            #expect(scan(String(text.dropLast()), pieces: pieces) == .open)
        }
    }

    @Test(
        "what is no element",
        arguments: [
            " <a/>", "a", "<?xml version='1.0'?><a/>", "<!-- -->", "<!DOCTYPE a>", "</a>", "<1/>", "<a><!-- --></a>",
            "<a><?pi?></a>", "<a><!DOCTYPE b></a>", "<a><![CDAT[]]></a>", "<>", "<a>< /a>",
        ])
    func wrong(text: String) {
        #expect(scan(text) == .wrong)
        #expect(scan(text, pieces: 1) == .wrong)
    }

    @Test("for whatever the parser takes, both see the same end")
    func agreesWithTheParser() throws {
        let pieces = [
            "<a", "<b", " c='", "'", "\"", " d=\"", ">", "/>", "</a>", "</b>", "x", "]]>", "<![CDATA[", "&lt;", "/",
        ]
        var generator = SeededNumbers(seed: 7)
        var taken = 0
        for _ in 0..<60_000 {
            let text = (0..<Int.random(in: 2...9, using: &generator)).reduce("<a") { text, _ in
                text + pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }
            var parser = XMLStreamParser(limits: .afterLogin)
            Array("<s>\(text)".utf8).withUnsafeBytes { parser.append($0) }
            guard case .open? = try? parser.next(), case .stanza? = try? parser.next() else { continue }
            taken += 1
            #expect(scan(text) == .ended(text.utf8.count - parser.bufferedBytes), "\(text)")
        }
        #expect(taken > 500)
    }
}

/// Numbers that repeat with their seed.
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 31
    }
}
