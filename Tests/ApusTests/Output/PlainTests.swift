// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import apus

/// Text from the network must not work the terminal.
@Suite struct PlainTests {
    @Test(arguments: [
        ("\u{1B}[31mred\u{1B}[0m", "\u{241B}[31mred\u{241B}[0m"), ("\u{1B}]0;title\u{07}", "\u{241B}]0;title\u{2407}"),
        ("a\u{8}b\u{7F}", "a\u{2408}b\u{2421}"), ("\u{9B}31m", "\u{FFFD}31m"), ("nul\u{0}", "nul\u{2400}"),
        ("admin\u{202E}gro.live", "admin\u{FFFD}gro.live"), ("\u{2066}x\u{2069}", "\u{FFFD}x\u{FFFD}"),
        ("tab\there", "tab    here"),
    ])
    func `controls are shown, not obeyed`(text: String, shown: String) {
        #expect(Plain.line(text) == shown)
    }

    @Test func `a line stays one line`() {
        #expect(Plain.line("one\ntwo\r\nthree\rfour\u{2028}five\u{85}six") == "one two three four five six")
    }

    @Test func `no line of a message looks like one of ours`() {
        #expect(
            Plain.block("hi\n2026-01-01 00:00 bo: lie\r\nend", indent: 4) == "hi\n    2026-01-01 00:00 bo: lie\n    end"
        )
    }

    @Test func `letters of every script, emoji and joiners stay`() {
        for text in ["Grüße", "日本語", "שלום", "مرحبا", "👩‍👩‍👧", "ไทย", "e\u{301}"] { #expect(Plain.line(text) == text) }
    }

    @Test func `no control character survives, whatever comes`() {
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = Plain.line("a" + String(scalar) + "b").unicodeScalars
            #expect(!shown.contains { $0.properties.generalCategory == .control || Plain.isDangerous($0) })
        }
    }

    @Test func `JSON means the same and shows nothing dangerous`() throws {
        let text = "x\u{9B}\u{202E}\u{7F}\u{E0041}y"
        let json = Plain.escapedJSON("[\"\(text)\"]")
        #expect(json.unicodeScalars.allSatisfy { $0.value < 0x7F })
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
    }
}
