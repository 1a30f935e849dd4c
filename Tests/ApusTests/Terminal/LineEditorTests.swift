// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import apus

@Suite struct LineEditorTests {
    private func edit(_ text: String) -> (LineEditor, [LineEditor.Action]) {
        var editor = LineEditor()
        let actions = editor.feed(Array(text.utf8))
        return (editor, actions)
    }

    @Test(arguments: [
        ("abc", "abc", 3), ("abc\u{7F}", "ab", 2), ("abc\u{1}x", "xabc", 1), ("abc\u{1}\u{5}x", "abcx", 4),
        ("abc\u{1B}[D\u{1B}[Dx", "axbc", 2), ("abc\u{1B}[D\u{1B}[C", "abc", 3), ("abc\u{15}", "", 0),
        ("one two \u{17}", "one ", 4), ("one two\u{17}\u{17}", "", 0), ("abc\u{1}\u{B}", "", 0),
        ("abc\u{1}\u{4}", "bc", 0),
        ("abc\u{1B}[H\u{1B}[3~", "bc", 0), ("abc\u{1B}OH1\u{1B}OF2", "1abc2", 5),
        ("\u{7F}\u{1B}[D\u{1B}[C\u{17}\u{15}", "", 0),
        ("a\u{1B}[15~b\u{1B}xc", "abc", 3), ("日本\u{7F}", "日", 1), ("e\u{301}\u{7F}", "", 0),
        ("\u{1B}[200~a\rb\tc\u{3}\u{1B}[201~d", "a\nb cd", 6),
    ])
    func `keys edit the line`(keys: String, text: String, cursor: Int) {
        let (editor, _) = edit(keys)
        #expect(editor.string == text)
        #expect(editor.cursor == cursor)
    }

    @Test func `return submits and begins anew`() {
        let (editor, actions) = edit("hi\rx")
        #expect(actions == [.changed, .changed, .submitted("hi"), .changed])
        #expect(editor.string == "x")
    }

    @Test func `Ctrl-D ends on an empty line only`() {
        #expect(edit("\u{4}").1 == [.ended])
        #expect(edit("a\u{4}").1 == [.changed])
    }

    @Test func `keys may be cut at any byte`() {
        let keys = Array("aü日👩‍👧\u{1B}[D\u{1B}[3~\u{1B}[200~x\ry\u{1B}[201~\u{7F}z".utf8)
        var whole = LineEditor()
        _ = whole.feed(keys)
        for cut in 1..<keys.count {
            var editor = LineEditor()
            _ = editor.feed(Array(keys[..<cut]))
            _ = editor.feed(Array(keys[cut...]))
            #expect(editor.string == whole.string)
            #expect(editor.cursor == whole.cursor)
        }
    }

    @Test func `bytes that are no UTF-8 are skipped, and no input makes it stop`() {
        var editor = LineEditor()
        _ = editor.feed([0x61, 0xFF, 0xC3, 0x28, 0x62, 0x80, 0xED, 0xA0, 0x80, 0x63])
        #expect(editor.string == "a(bc")
        var generator = SeededGenerator(state: 7)
        for _ in 0..<20_000 { _ = editor.feed([UInt8.random(in: 0...255, using: &generator)]) }
        _ = editor.feed(Array("\u{1B}[\(String(repeating: "1", count: 40))".utf8))
        #expect(editor.feed(Array("\u{1B}[201~\r".utf8)).contains { if case .submitted = $0 { true } else { false } })
    }

    private struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }
}
